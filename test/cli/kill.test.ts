import { join } from 'node:path';
import { type Client, ConnectionError, createClient, isProblem } from '#client/index.ts';
import { isNight } from '../support/runs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { killLeftovers, start } from './started-service.ts';

/**
 * Kills the process group of the service while sixteen writers write, several times on one database. Every acknowledged write
 * must survive, and a write of several items must be complete or absent.
 */

const writers = 16;
const rounds = isNight ? 10 : 4;

type Collection = 'organizations' | 'projects' | 'tasks';

/** What was acknowledged: ids by what happened last. */
class Acknowledged {
  readonly created = new Map<string, Collection>();
  readonly deleted = new Map<string, Collection>();
  /** Deleted projects with their tasks, which are deleted too. */
  readonly deletions: { readonly project: string; readonly tasks: readonly string[] }[] = [];
}

const folder = temporaryFolder();
afterEach(killLeftovers);

/** Writes until the service is killed. @param onWrite called after each acknowledged write. */
async function write(client: Client, acknowledged: Acknowledged, onWrite: () => void): Promise<void> {
  const { created, deleted, deletions } = acknowledged;
  const create = async (collection: Collection, fields: object = {}): Promise<string> => {
    const { id } = await client[collection].create({ name: 'written', ...fields } as never);
    created.set(id, collection);
    onWrite();
    return id;
  };
  for (;;) {
    const organization = await create('organizations');
    const project = await create('projects', { organizationId: organization });
    const tasks = [
      await create('tasks', { projectId: project }),
      await create('tasks', { projectId: project }),
    ];
    deletions.push({ project, tasks });
    // From here until the response, each of them may exist or not.
    for (const id of [project, ...tasks]) created.delete(id);
    await client.projects.delete(project);
    deleted.set(project, 'projects');
    for (const id of tasks) deleted.set(id, 'tasks');
    onWrite();
  }
}

/** Returns the status of an entity, or undefined when it does not exist. */
const statusOf = (client: Client, collection: Collection, id: string): Promise<string | undefined> =>
  client[collection].get(id).then(
    ({ status }) => status,
    (error: unknown) => {
      if (!isProblem(error, 'not-found')) throw error;
      return undefined;
    },
  );

async function expectWhole(client: Client, acknowledged: Acknowledged): Promise<void> {
  const { created, deleted, deletions } = acknowledged;
  for (const [id, collection] of created) expect(await statusOf(client, collection, id)).toBeDefined();
  for (const [id, collection] of deleted) expect(await statusOf(client, collection, id)).toBeUndefined();
  for (const { project, tasks } of deletions) {
    const isKept = (await statusOf(client, 'projects', project)) !== undefined;
    for (const id of tasks) expect((await statusOf(client, 'tasks', id)) !== undefined).toBe(isKept);
  }
}

async function expectTrueTotals(client: Client): Promise<void> {
  for (const collection of ['organizations', 'projects', 'tasks'] as const) {
    // The collections have the same methods with different types.
    const all = client[collection] as unknown as Client['tasks'];
    const seen = new Set<string>();
    for await (const { id } of all.iterate({ limit: 100 })) seen.add(id);
    expect([collection, seen.size]).toEqual([collection, (await all.list()).total]);
  }
}

test('every acknowledged write survives, and no write is incomplete', async () => {
  const environment = { DATABASE_FILE: join(folder, 'database.sqlite') };
  let service = await start(environment);
  const client = () => createClient({ url: service.url, tries: 1 });
  for (let round = 1; round <= rounds; round += 1) {
    const acknowledged = new Acknowledged();
    const { pid = 0 } = service.process;
    // After a number of writes instead of a time, which would be too short on a slow machine.
    let left = writers + round * (writers / 2);
    const onWrite = (): void => {
      left -= 1;
      if (left === 0) process.kill(-pid, 'SIGKILL');
    };
    const writing = Array.from({ length: writers }, () => write(client(), acknowledged, onWrite));
    // A writer ends because of a broken connection, not because of a response.
    for (const { reason } of (await Promise.allSettled(writing)) as PromiseRejectedResult[])
      expect(reason).toBeInstanceOf(ConnectionError);
    await service.ended();
    service = await start(environment);
    await expectWhole(client(), acknowledged);
  }
  await expectTrueTotals(client());
  await service.stop();
});
