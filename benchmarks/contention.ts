/**
 * `npm run bench -- contention`: creates tasks, 50 in parallel, on an engine that rejects conflicting transactions: all in one project, and in
 * fifty projects. Writes `benchmarks/results/contention.md`.
 */

import { inMemory, startEngine } from '../lib/local/dynamodb-engine.ts';
import { startCheckedService } from '../test/support/checked-service.ts';
import { requireEntity } from './available.ts';
import { conflicts, startEngineProxy } from './engine-proxy.ts';
import { usualOrSmallest } from './form.ts';
import { median, publishPage, table } from './report.ts';

const rounds = usualOrSmallest(5, 1);
const creates = usualOrSmallest(400, 40);
const concurrency = usualOrSmallest(50, 10);

/** Projects among which the tasks are distributed. */
const manyProjects = usualOrSmallest(50, 5);

/** Milliseconds for which a transaction holds its items. */
const holdMs = 8;

const engine = await startEngine(inMemory);
const proxy = await startEngineProxy(engine.endpoint);
const { url, stop } = await startCheckedService({ endpoint: proxy.endpoint });

/** What one round measures. */
interface Contention {
  readonly created: number;
  /** Transactions that were rejected because of a conflict. */
  readonly rejected: number;
  readonly milliseconds: number;
  /** Milliseconds of the slowest request. */
  readonly longest: number;
}

async function createProjects(count: number): Promise<string[]> {
  const organizationId = await requireEntity(`${url}/v1/organizations`, { name: 'x' });
  const ids: string[] = [];
  while (ids.length < count)
    ids.push(await requireEntity(`${url}/v1/projects`, { name: 'x', organizationId }));
  return ids;
}

async function createTask(projectId: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x', projectId }),
  });
  await response.arrayBuffer();
  return response.status === 201;
}

/** Creates tasks concurrently in some projects. @throws Error when no create succeeds. */
async function contend(projects: number): Promise<Contention> {
  const projectIds = await createProjects(projects);
  const injector = conflicts(holdMs);
  proxy.inject(injector);
  const started = performance.now();
  let [begun, created, longest] = [0, 0, 0];
  const worker = async (): Promise<void> => {
    while (begun < creates) {
      const projectId = projectIds[begun % projects] as string;
      begun += 1;
      const before = performance.now();
      if (await createTask(projectId)) created += 1;
      longest = Math.max(longest, performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const milliseconds = performance.now() - started;
  proxy.inject(undefined);
  if (created === 0) throw new Error(`None of ${creates} creates succeeded.`);
  return { created, rejected: injector.refused, milliseconds, longest };
}

const measured = new Map<number, Contention[]>([
  [1, []],
  [manyProjects, []],
]);
for (let round = 0; round < rounds; round += 1) {
  for (const [projects, results] of measured) {
    results.push(await contend(projects));
    console.log(projects, results.at(-1));
  }
}
await stop();
await proxy.stop();
await engine.stop();

const rate = ({ created, milliseconds }: Contention): number => (created / milliseconds) * 1_000;
const rateOf = (results: readonly Contention[] = []): number => median(results.map(rate));
const head = [
  '',
  `created of ${creates}, by round`,
  'per second',
  'rejected transactions',
  'longest request, ms',
];
const row = ([projects, results]: [number, Contention[]]) => [
  projects === 1 ? 'in one project' : `in ${projects} projects`,
  results.map(({ created }) => created).join(', '),
  rateOf(results).toFixed(0),
  median(results.map(({ rejected }) => rejected)),
  median(results.map(({ longest }) => longest)).toFixed(0),
];
const ratio = rateOf(measured.get(1)) / rateOf(measured.get(manyProjects));
publishPage(
  'contention.md',
  `${creates} creates, ${concurrency} in parallel. Each transaction holds its items for ${holdMs} ms; another transaction on one of them is rejected, as in
DynamoDB. The values are medians of ${rounds} rounds in turn. In one project, creates are ${ratio.toFixed(2)} times as fast as in ${manyProjects}.

${table(head, [...measured].map(row))}
`,
);
