import { type Client, ConnectionError, createClient, ProblemError } from '../../client/index.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { CommandFailure } from '../cli/command-line.ts';
import type { Progress } from '../cli/progress.ts';
import { DataGenerator } from './data.ts';
import { type Kind, kinds, type SeedOptions } from './options.ts';

interface SeedResult {
  /** Number of requests, including retries. */
  readonly requests: number;
  readonly durationMs: number;
  readonly exampleUrl: string;
}

/** Attempts per request. The client waits longer before each one, and sends the same idempotency key. */
const maxAttempts = 8;

async function create(client: Client, kind: Kind, body: object): Promise<string> {
  try {
    return (await client[kind].create(body as never)).id;
  } catch (error) {
    if (!(error instanceof ProblemError || error instanceof ConnectionError)) throw error;
    throw new CommandFailure(`POST /v1/${kind} failed: ${error.message}`, { cause: error });
  }
}

/**
 * Creates the entities that the options ask for.
 * @throws CommandFailure when the service does not respond or rejects a request. Entities that were created stay.
 */
export async function seed(options: SeedOptions, progress: Progress): Promise<SeedResult> {
  const { amounts, url, concurrency } = options;
  let requests = 0;
  const client = createClient({
    url,
    tries: maxAttempts,
    fetch: (...request) => {
      requests += 1;
      return fetch(...request);
    },
  });
  const data = new DataGenerator(amounts, options.seed, new Date());
  const ids: Record<Kind, string[]> = { organizations: [], users: [], tags: [], projects: [], tasks: [] };
  const started = performance.now();
  try {
    for (const kind of kinds) {
      progress.begin(kind, amounts[kind]);
      await forEach(Array(amounts[kind]).keys(), concurrency, async (position) => {
        // Generated before the first await, so in the order of positions.
        ids[kind][position] = await create(client, kind, data[kind](position, ids));
        progress.step();
      });
    }
  } finally {
    progress.end();
  }
  const [projectId] = ids.projects;
  const list = projectId ? `projects/${projectId}/tasks` : 'tasks';
  const exampleUrl =
    amounts.tasks > 0 ? `${url}/v1/${list}?sortBy=dueDate&limit=10` : `${url}/v1/organizations`;
  return { requests, durationMs: performance.now() - started, exampleUrl };
}
