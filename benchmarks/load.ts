/**
 * `npm run bench -- load`: measures what lists and creates cost while others write into the same tenant and kind, and while jobs clone and delete
 * projects at their pace, with compaction running as in AWS: every 15 seconds. Writes `docs/performance/load.md`.
 *
 * `--seconds 300` measures each load for five minutes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { beginSweep } from '../functions/engine/deletions/sweep.ts';
import { createEntity } from '../functions/engine/entities/create-entity.ts';
import { listEntities } from '../functions/engine/lists/list-entities.ts';
import { newId } from '../functions/engine/model/ids.ts';
import { beginJob } from '../functions/engine/model/job.ts';
import { entityKey } from '../functions/engine/model/keys.ts';
import type { Write } from '../functions/engine/model/writes.ts';
import { readListQuery } from '../functions/http/parse-list-query.ts';
import { continueJob } from '../functions/jobs/continue-job.ts';
import { task } from '../functions/tasks/resource.ts';
import { logRecordsWindowMs } from '../lib/hosting/functions.ts';
import { startEngineStore, type TestStore } from '../test/support/local-store.ts';
import { compactUntil } from './compact-until.ts';
import { formOption, usualOrSmallest } from './form.ts';
import { median, percentile, publishPage, table } from './report.ts';
import { TaskCollection, tenant } from './task-collection.ts';
import { writeAtRate } from './write-load.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: usualOrSmallest('60', '1') }, ...formOption },
});
const durationMs = Number(values.seconds) * 1_000;

const size = usualOrSmallest(10_000, 200);

/** Writes per second. */
const rates = usualOrSmallest([1, 5, 10, 50], [10]);

/** Milliseconds between two rounds of lists. */
const listIntervalMs = 1_000;

const maxPageMs = 10_000;

/** The pace of jobs in a deployment: entities in a second. */
const jobChangesPerSecond = 100;

interface Result {
  readonly name: string;
  readonly perSecond: number;
  readonly writeMs: readonly number[];
  /** By the name of the list. */
  readonly readUnits: ReadonlyMap<string, number[]>;
  readonly listMs: readonly number[];
}

const listsOf = ({ frequent }: TaskCollection): Readonly<Record<string, readonly [string, string][]>> => ({
  'by creation': [],
  'a status': [['status', 'planned']],
  'a project': [['projectId', frequent.project]],
  'a project and a status': [
    ['projectId', frequent.project],
    ['status', 'planned'],
  ],
  'a priority': [['priority', 'high']],
});

interface BegunJob {
  readonly id: string;
  readonly write: Write;
}

/** Begins jobs until the time is over, and continues each to its end. Returns the number of tasks that they have created or deleted. */
async function runJobs(store: TestStore, begin: () => Promise<BegunJob>, endMs: number): Promise<number> {
  const total = async (): Promise<number> => {
    const { query } = readListQuery(task, 'limit=1');
    return (await listEntities({ tenant, database: store.database(maxPageMs) }, 'task', query)).total;
  };
  const before = await total();
  while (Date.now() < endMs) {
    const { id, write } = await begin();
    await store.database().transact([write]);
    await continueJob(store.database(endMs - Date.now() + 1_000), { tenant, id }, { owner: id });
  }
  return Math.abs((await total()) - before);
}

/** Returns the write that begins a clone of the tasks of a project. @param clones receives the new project. */
async function beginClone(store: TestStore, from: string, clones: string[]): Promise<BegunJob> {
  const { entity } = await createEntity({ tenant, database: store.database() }, 'project', {
    name: 'Clone',
    status: 'active',
  });
  clones.push(entity.id);
  const { id } = newId(Date.now());
  return {
    id,
    write: beginJob({ tenant }, { type: 'clone', from, to: entity.id, asOf: Date.now(), after: '' }, { id }),
  };
}

/** Removes a clone, and returns the write that begins the deletion of its tasks. */
async function beginDeletion(store: TestStore, clones: string[]): Promise<BegunJob> {
  const project = clones.shift() ?? '';
  // A sweep ends at once while the entity exists.
  await store.database().deleteItem(entityKey(tenant, 'project', project));
  const { id } = newId(Date.now());
  return { id, write: beginSweep({ tenant }, 'project', [project], { id }) };
}

async function readLists(
  store: TestStore,
  collection: TaskCollection,
  endMs: number,
): Promise<Pick<Result, 'readUnits' | 'listMs'>> {
  const readUnits = new Map<string, number[]>();
  const listMs: number[] = [];
  while (Date.now() < endMs) {
    for (const [name, filters] of Object.entries(listsOf(collection))) {
      const database = store.database(maxPageMs);
      const started = performance.now();
      const { query } = readListQuery(task, new URLSearchParams([...filters]).toString());
      await listEntities({ tenant, database }, 'task', query);
      listMs.push(performance.now() - started);
      readUnits.set(name, [...(readUnits.get(name) ?? []), database.consumption.readUnits]);
    }
    await delay(listIntervalMs);
  }
  return { readUnits, listMs };
}

/** What loads the collection until a time. Returns the milliseconds of each write, or the number of changes. */
type Load = (endMs: number) => Promise<number[] | number>;

async function measure(
  store: TestStore,
  collection: TaskCollection,
  [name, load]: readonly [string, Load],
): Promise<Result> {
  const began = Date.now();
  const endMs = began + durationMs;
  const [written, lists] = await Promise.all([
    load(endMs),
    readLists(store, collection, endMs),
    compactUntil(store, endMs),
  ]);
  const writeMs = typeof written === 'number' ? [] : written;
  const count = typeof written === 'number' ? written : written.length;
  if (count === 0) throw new Error(`The load "${name}" changed nothing.`);
  return { name, writeMs, perSecond: (1_000 * count) / (Date.now() - began), ...lists };
}

const store = await startEngineStore();
const collection = new TaskCollection(store, size);
await collection.load(() => {});
process.env['JOB_CHANGES_PER_SECOND'] = String(jobChangesPerSecond);
const clones: string[] = [];
const { project } = collection.frequent;
const loads: readonly (readonly [string, Load])[] = [
  ...rates.map(
    (rate) =>
      [
        rate === 1 ? 'a write' : `${rate} writes`,
        (endMs: number) => writeAtRate(collection, rate, endMs),
      ] as const,
  ),
  ['jobs that clone', (endMs) => runJobs(store, () => beginClone(store, project, clones), endMs)],
  ['jobs that delete', (endMs) => runJobs(store, () => beginDeletion(store, clones), endMs)],
];
const results: Result[] = [];
for (const load of loads) {
  const result = await measure(store, collection, load);
  results.push(result);
  console.log(result.name, result.perSecond);
  for (const [name, units] of result.readUnits) console.log(name, median(units), Math.max(...units));
}
await store.stop();

const head = [
  'load in a second',
  'changes in a second, reached',
  'write: p99 ms',
  'list: p99 ms',
  ...[...(results[0]?.readUnits.keys() ?? [])].map((name) => `${name}: read units, median and highest`),
];
const rows = results.map(({ name, perSecond, writeMs, listMs, readUnits }) => [
  name,
  perSecond.toFixed(1),
  writeMs.length === 0 ? '' : percentile(writeMs, 0.99).toFixed(0),
  percentile(listMs, 0.99).toFixed(0),
  ...[...readUnits.values()].map((units) => `${median(units)}, ${Math.max(...units)}`),
]);
publishPage(
  'load.md',
  `First pages of 20 tasks, newest first, while others write: mixed writes as in \`npm run bench -- writes\`, into a collection of
${size.toLocaleString('en')} tasks, for ${values.seconds} seconds with each load. The jobs clone a project and delete the clones, at the pace of ${jobChangesPerSecond} tasks a second. Compaction takes a step every ${logRecordsWindowMs / 1_000} seconds, as in AWS. One process reads all lists, each once a
second. The read units are those of warm lists and of the first one, on the embedded engine.

${table(head, rows)}
`,
);
