/** Fills a running server through its API. */
import { createOrganization, listOrganizations } from '../../functions/organizations/contract.ts';
import { createProject } from '../../functions/projects/contract.ts';
import type { Contract } from '../../functions/shared/contract/contract.ts';
import type { Kind } from '../../functions/shared/store/model/relations.ts';
import { createTag } from '../../functions/tags/contract.ts';
import { createTask, listProjectTasks, listTasks } from '../../functions/tasks/contract.ts';
import { createUser } from '../../functions/users/contract.ts';
import type { Progress } from '../cli/progress.ts';
import { ApiClient } from './api-client.ts';
import { BelievableData } from './believable-data.ts';
import type { SeedOptions } from './options.ts';
import { kinds } from './source.ts';
import { largestProject } from './structure.ts';

const creations = {
  organization: createOrganization,
  user: createUser,
  tag: createTag,
  project: createProject,
  task: createTask,
} satisfies Record<Kind, Contract>;

/** What the kind is called when there are several. */
export const pluralOf = (kind: Kind): string => creations[kind].resource.plural;

export interface Seeded {
  readonly requests: number;
  readonly milliseconds: number;
  /** An address that shows something of what was created. */
  readonly lookAt: string;
}

/** Works on each position, several at once; the first failure ends it. */
async function inParallel(
  amount: number,
  concurrency: number,
  work: (position: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < amount) {
      const position = next;
      next += 1;
      try {
        await work(position);
      } catch (error) {
        next = amount;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, amount) }, worker));
}

/** Where there is something to see: the largest list. */
function placeToLook(url: string, projectId: string | undefined, tasks: number): string {
  if (tasks === 0) return `${url}${listOrganizations.path}`;
  const path = projectId ? listProjectTasks.path.replace('{id}', projectId) : listTasks.path;
  return `${url}${path}?sortBy=dueDate&limit=10`;
}

/**
 * Creates all that the options ask for.
 * @throws ServerError when the server is not there, or refuses something. What was created stays.
 */
export async function seed(options: SeedOptions, progress: Progress): Promise<Seeded> {
  const { amounts, url, concurrency } = options;
  const client = new ApiClient(url);
  await client.check();
  const data = new BelievableData(amounts, options.seed, new Date());
  const ids: Record<Kind, string[]> = { organization: [], user: [], tag: [], project: [], task: [] };
  const started = performance.now();
  try {
    for (const kind of kinds) {
      progress.begin(pluralOf(kind), amounts[kind]);
      await inParallel(amounts[kind], concurrency, async (position) => {
        ids[kind][position] = await client.create(creations[kind], data.body(kind, position, ids));
        progress.step();
      });
    }
  } finally {
    progress.end();
  }
  return {
    requests: client.requests,
    milliseconds: performance.now() - started,
    lookAt: placeToLook(url, ids.project[largestProject], amounts.task),
  };
}
