import { type Client, createClient, isProblem } from '../../client/index.ts';
import { allProjectsScope } from '../../functions/contract/scopes.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import {
  type CollectionName,
  collectionOf,
  collections,
  createAll,
  inBatches,
  maxAttempts,
  toFailure,
} from '../command-line/collections.ts';
import { CommandFailure } from '../command-line/command-line.ts';
import type { Progress } from '../command-line/progress.ts';
import { type Amounts, DataGenerator } from './data.ts';

export interface SeedOptions {
  readonly amounts: Amounts;
  readonly seed: number;
  readonly url: string;
  readonly token?: string | undefined;
  readonly concurrency: number;
  /** Whether all entities of the service are deleted first. */
  readonly reset?: boolean | undefined;
}

/** Deletes all entities. Their children go first, so no job has to. */
async function deleteAll(client: Client, progress: Progress): Promise<void> {
  for (const kind of collections.toReversed()) {
    const collection = collectionOf(client, kind);
    const list = () => collection.list({ limit: 100, fields: ['id'] });
    let page = await list();
    progress.begin(`${kind} to delete`, page.total);
    while (page.data.length > 0) {
      const { total } = page;
      const operations = page.data.map(({ id }) => ({ operation: 'delete' as const, id }));
      await forEach(inBatches(operations), operations.length, async (batch) => {
        await collection.batch(batch).catch((error: unknown) => {
          // Another batch has deleted a task with its sub-tasks, one of which is in this batch. The next page has the rest.
          if (!isProblem(error, 'not-found')) throw error;
        });
      });
      page = await list();
      progress.step(total - page.total);
    }
  }
}

/**
 * Creates the entities that the options ask for, and deletes all others before if they ask for it.
 * @returns how long it took, the address of an example, and the greatest number of a task, if there are any.
 * @throws CommandFailure when the service does not respond or rejects a request. Entities that were created stay.
 */
export async function seed(options: SeedOptions, progress: Progress) {
  const { amounts, url, token, concurrency } = options;
  const client = createClient({ url, token, tries: maxAttempts });
  const data = new DataGenerator(amounts, options.seed, new Date());
  const none = collections.map((name): [string, string[]] => [name, []]);
  const ids = Object.fromEntries(none) as Record<CollectionName, string[]>;
  const started = performance.now();
  const me = token === undefined ? undefined : await client.me();
  if (me && !me.scopes.includes(allProjectsScope))
    throw new CommandFailure(
      `The token lacks the scope "${allProjectsScope}", which private projects need. Without --token and the variable TOKEN, this command takes one of the local issuer itself.`,
    );
  if (options.reset) {
    await deleteAll(client, progress).catch((error: unknown) => {
      throw toFailure('The deletion', error);
    });
  }
  // The first user is who seeds, so that an app that signs in has tasks of its own.
  const subject = me?.user ? undefined : me?.subject;
  for (const kind of collections) {
    progress.begin(kind, amounts[kind]);
    const batches = inBatches([...Array(amounts[kind]).keys()]);
    await forEach(batches, concurrency, async (positions) => {
      // Generated before the first await, so in the order of positions.
      const bodies = positions.map((position) => {
        const body = data[kind](position, ids);
        return kind === 'users' && position === 0 && subject ? { ...body, subject } : body;
      });
      const created = await createAll(client, kind, bodies);
      for (const [place, position] of positions.entries()) ids[kind][position] = created[place] as string;
      progress.step(positions.length);
    });
  }
  const [projectId] = ids.projects;
  const list = projectId ? `projects/${projectId}/tasks` : 'tasks';
  const exampleUrl =
    amounts.tasks > 0 ? `${url}/v1/${list}?sortBy=dueDate&limit=10` : `${url}/v1/organizations`;
  const durationMs = performance.now() - started;
  const last = await client.tasks.list({ sortBy: 'number', limit: 1, fields: ['number'] });
  return { durationMs, exampleUrl, lastNumber: last.data[0]?.number ?? undefined };
}
