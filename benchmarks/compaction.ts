/**
 * `npm run bench -- compaction`: measures the steps of compaction after an import. Writes `benchmarks/results/compaction.md`.
 *
 * `--tasks 300000` imports so many tasks, and a tenth as many with 50 tags and long texts of another script.
 */
import { parseArgs } from 'node:util';
import { compact } from '../functions/engine/columns/compact/compact.ts';
import { openLog } from '../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { openLogReader } from '../functions/engine/columns/dynamodb-storage.ts';
import { ProcessMemory } from '../functions/engine/columns/process-memory.ts';
import { toRowQuery } from '../functions/engine/lists/filters.ts';
import type { StoredEntity } from '../functions/engine/model/entity.ts';
import { forEach } from '../functions/runtime/for-each.ts';
import { listQuery, sortedBy } from '../test/support/list-queries.ts';
import { startEngineStore, type TestStore } from '../test/support/local-store.ts';
import { readRows } from '../test/support/read-rows.ts';
import { formOption, usualOrSmallest } from './form.ts';
import { kind, Tasks, tenant, writeRecord } from './logged-tasks.ts';
import { publishPage, table } from './report.ts';

const { values: flags } = parseArgs({
  options: { tasks: { type: 'string', default: usualOrSmallest('300000', '12000') }, ...formOption },
});

/** Tasks of one record of an import: a batch of the API has as many operations. */
const batchSize = 25;

/** Milliseconds between two batches of an import: four clients send 50 in a second. */
const batchIntervalMs = 20;

/** Milliseconds that the schedule gives one job. */
const jobMs = 4_900;

/** Milliseconds below which a worker does not begin a step. */
const minStepMs = 1_000;

/** Records that are written at the same time. */
const concurrency = 16;

interface Import {
  readonly rows: string;
  readonly tasks: number;
  readonly seconds: number;
  readonly steps: number;
  readonly longestMs: number;
  readonly failures: number;
  readonly writeUnits: number;
  readonly heapMb: number;
  readonly segments: number;
  readonly firstList: number;
  readonly warmList: number;
}

/** Takes steps until nothing is left to do, each worker with the time of a job. */
async function compactAll(store: TestStore) {
  const memory = new ProcessMemory().of(tenant, kind);
  const result = { steps: 0, longestMs: 0, failures: 0, writeUnits: 0, heapBytes: 0 };
  for (let isDone = false; !isDone; ) {
    const database = store.database(jobMs);
    const open = openLog(database, tenant, kind);
    const noteHeap = (): void => {
      result.heapBytes = Math.max(result.heapBytes, process.memoryUsage().heapUsed);
    };
    const requireTime = (): void => {
      noteHeap();
      open.requireTime();
    };
    while (!isDone && database.deadline.remaining() > minStepMs) {
      const began = performance.now();
      try {
        const step = await compact({ writer: { ...open, requireTime }, memory, nowMs: Date.now() });
        isDone = step !== undefined && !step.hasMore;
      } catch (error) {
        console.error(error);
        result.failures += 1;
      }
      noteHeap();
      result.steps += 1;
      result.longestMs = Math.max(result.longestMs, performance.now() - began);
    }
    result.writeUnits += database.consumption.writeUnits;
  }
  return result;
}

/** Returns the read units of the first page by priority: of the first list of a process, and of the second one. */
async function measureList(store: TestStore): Promise<readonly [first: number, warm: number]> {
  const memory = new ProcessMemory().of(tenant, kind);
  const query = toRowQuery(kind, listQuery({ sort: sortedBy('priority', 'desc'), limit: 20 }));
  const units: number[] = [];
  for (let list = 0; list < 2; list += 1) {
    const database = store.database(60_000);
    const reader = openLogReader(database, tenant, kind);
    await readRows({ reader, memory }, query);
    units.push(database.consumption.readUnits);
  }
  return [units[0] ?? 0, units[1] ?? 0];
}

/** Measures the compaction of tasks that were all written before it begins. */
async function measureImport(
  rows: string,
  count: number,
  create: (timeMs: number) => StoredEntity,
): Promise<Import> {
  const store = await startEngineStore();
  const batches = Math.ceil(count / batchSize);
  const start = Date.now() - 1_000 - batches * batchIntervalMs;
  await forEach(Array(batches).keys(), concurrency, async (batch) => {
    const time = start + batch * batchIntervalMs;
    // A transaction takes some milliseconds, so ids and positions are not in the same order.
    const changes = Array.from({ length: batchSize }, () => ({
      after: create(time - Math.floor(Math.random() * 2 * batchIntervalMs)),
    }));
    await writeRecord(store, changes, { position: batch + 1, time });
  });
  const began = performance.now();
  const { heapBytes, writeUnits, ...result } = await compactAll(store);
  const seconds = (performance.now() - began) / 1_000;
  const manifest = await openLogReader(store.database(), tenant, kind).readManifest();
  const [firstList, warmList] = await measureList(store);
  await store.stop();
  const tasks = batches * batchSize;
  const segments = manifest?.segments.length ?? 0;
  const measured = {
    rows,
    tasks,
    seconds,
    ...result,
    writeUnits: writeUnits / tasks,
    heapMb: heapBytes / 2 ** 20,
  };
  console.log({ ...measured, segments, firstList, warmList });
  return { ...measured, segments, firstList, warmList };
}

const count = Number(flags.tasks);
const seeded = new Tasks();
const imports = [
  await measureImport('as seeded', count, (timeMs) => seeded.create(timeMs)),
  await measureImport('50 tags, long texts', Math.ceil(count / 10), (timeMs) => seeded.createWide(timeMs)),
];
publishPage(
  'compaction.md',
  `Tasks that are all pending when compaction begins: four clients have created them in batches of ${batchSize}. One process takes steps, with ${jobMs / 1_000} seconds
for each worker, as the schedule gives them. Write units are those of compaction for each task; read units those of the first page by priority.

${table(
  [
    'rows',
    'tasks',
    'seconds',
    'steps',
    'longest step, ms',
    'failed steps',
    'write units',
    'heap, MB',
    'segments',
    'first list, read units',
    'warm list, read units',
  ],
  imports.map((one) => [
    one.rows,
    one.tasks.toLocaleString('en'),
    one.seconds.toFixed(0),
    one.steps,
    one.longestMs.toFixed(0),
    one.failures,
    one.writeUnits.toFixed(2),
    one.heapMb.toFixed(0),
    one.segments,
    one.firstList,
    one.warmList,
  ]),
)}
`,
);
