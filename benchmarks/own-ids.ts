/**
 * `npm run bench -- own-ids`: measures what compaction and lists cost when some creates have ids of the last week. Writes
 * `docs/performance/own-ids.md`.
 *
 * `--rows 100000,1000000` measures collections with so many tasks. `--creates 20000` creates so many, one in ten with such an id.
 */
import { parseArgs } from 'node:util';
import { forEach } from '../functions/runtime/for-each.ts';
import { compact } from '../functions/store/lists/engine/compaction/compact.ts';
import { openLog } from '../functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { openLogReader } from '../functions/store/lists/engine/dynamodb-storage.ts';
import { type LogMemory, ProcessMemory } from '../functions/store/lists/engine/process-memory.ts';
import { toRowQuery } from '../functions/store/lists/to-row-query.ts';
import { marginMs } from '../functions/store/model/log-timing.ts';
import { listQuery, sortedBy } from '../test/support/list-queries.ts';
import { startTestStore, type TestStore } from '../test/support/local-store.ts';
import { readRows } from '../test/support/read-rows.ts';
import { formOption, usualOrSmallest } from './form.ts';
import { kind, Tasks, tenant, writeRecord } from './logged-tasks.ts';
import { publishPage, table } from './report.ts';

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: usualOrSmallest('100000,1000000', '2000') },
    creates: { type: 'string', default: usualOrSmallest('20000', '400') },
    ...formOption,
  },
});

const dayMs = 86_400_000;

/** Days in which the tasks of a collection were created. */
const collectionDays = 100;

/** Days by which an own id is old, at most. */
const ownDays = 7;

/** One create in so many has an own id. */
const ownShare = 10;

/** Creates between two looks of compaction: seven in a second, and a look after 15 seconds. */
const createsOfALook = 105;

/** Milliseconds between two creates. */
const createIntervalMs = 140;

const batchSize = 25;
const concurrency = 16;
const lists = 15;

interface Log {
  readonly store: TestStore;
  readonly memory: LogMemory;
}

/** Takes steps until nothing is left. Returns their write units. */
async function compactAll({ store, memory }: Log, nowMs: number): Promise<number> {
  let units = 0;
  for (let isDone = false; !isDone; ) {
    const database = store.database(60_000);
    const step = await compact({ writer: openLog(database, tenant, kind), memory, nowMs });
    isDone = step !== undefined && !step.hasMore;
    units += database.consumption.writeUnits;
  }
  return units;
}

/** Writes a collection whose tasks were created one after the other. */
async function writeCollection(log: Log, tasks: Tasks, rows: number, endMs: number): Promise<void> {
  const batches = Math.ceil(rows / batchSize);
  const interval = (collectionDays * dayMs) / batches;
  // A part at a time: compaction reads them before they are too many.
  for (let first = 0; first < batches; first += 8_000) {
    const part = Array.from({ length: Math.min(8_000, batches - first) }, (_, place) => first + place);
    await forEach(part, concurrency, async (batch) => {
      const idMs = endMs - (batches - batch) * interval;
      const changes = Array.from({ length: batchSize }, (_, place) => ({
        after: tasks.create(idMs + (interval * place) / batchSize),
      }));
      await writeRecord(log.store, changes, endMs - batches + batch);
    });
    await compactAll(log, endMs + marginMs);
  }
}

/** Returns the median of the milliseconds of a warm list, and its read units. */
async function measureList(
  { store, memory }: Log,
  nowMs: number,
): Promise<{ readonly listMs: number; readonly readUnits: number }> {
  const query = toRowQuery(kind, listQuery({ sort: sortedBy('priority', 'desc'), limit: 20 }));
  const times: number[] = [];
  let readUnits = 0;
  for (let list = 0; list < lists; list += 1) {
    const database = store.database(60_000);
    const reader = openLogReader(database, tenant, kind);
    const began = performance.now();
    await readRows({ reader, memory, nowMs }, query);
    times.push(performance.now() - began);
    readUnits = database.consumption.readUnits;
  }
  return { listMs: times.sort((one, other) => one - other)[lists >> 1] ?? 0, readUnits };
}

interface Measured {
  /** Write units of compaction. */
  readonly units: number;
  /** Out-of-order rows, at most. */
  readonly waiting: number;
  /** When most rows wait. */
  readonly listMs: number;
  readonly readUnits: number;
}

/** The rows by which more must wait than before to measure the list again. */
const waitingStep = 25;

/**
 * Creates tasks, with compaction.
 * @param startMs when the first one is created.
 * @param isOwn returns whether a create has an own id.
 */
async function measureCreates(
  log: Log,
  tasks: Tasks,
  startMs: number,
  isOwn: (number: number) => boolean,
): Promise<Measured> {
  let units = 0;
  let waiting = 0;
  let atList = Number.NEGATIVE_INFINITY;
  let slowest = { listMs: 0, readUnits: 0 };
  for (let number = 0; number < creates; number += createsOfALook) {
    const length = Math.min(createsOfALook, creates - number);
    const all = Array.from({ length }, (_, place) => number + place);
    await forEach(all, concurrency, async (one) => {
      const timeMs = startMs + (one + 1) * createIntervalMs;
      const after = tasks.create(isOwn(one) ? timeMs - Math.random() * ownDays * dayMs : timeMs);
      await writeRecord(log.store, [{ after: { ...after, stamp: timeMs } }], timeMs);
    });
    const nowMs = startMs + (number + length) * createIntervalMs + marginMs + 1;
    units += await compactAll(log, nowMs);
    const { manifest } = await openLogReader(log.store.database(), tenant, kind).readHead(nowMs);
    const now = (manifest?.outOfOrder ?? []).reduce((sum, item) => sum + item.rows, 0);
    waiting = Math.max(waiting, now);
    if (now < atList + waitingStep) continue;
    atList = now;
    slowest = await measureList(log, nowMs + marginMs);
  }
  return { units, waiting, ...slowest };
}

async function measure(rows: number): Promise<readonly [plain: Measured, own: Measured]> {
  const store = await startTestStore();
  const log = { store, memory: new ProcessMemory().of(tenant, kind) };
  const tasks = new Tasks();
  const durationMs = creates * createIntervalMs + 60_000;
  const startMs = Date.now() - 2 * durationMs;
  await writeCollection(log, tasks, rows, startMs);
  const plain = await measureCreates(log, tasks, startMs, () => false);
  const own = await measureCreates(log, tasks, startMs + durationMs, (number) => number % ownShare === 0);
  await store.stop();
  return [plain, own];
}

const creates = Number(flags.creates);
const measured: (string | number)[][] = [];
for (const rows of String(flags.rows).split(',').map(Number)) {
  const [plain, own] = await measure(rows);
  const price = (own.units - plain.units) / (creates / ownShare) + plain.units / creates;
  const row = [
    rows.toLocaleString('en'),
    (plain.units / creates).toFixed(2),
    price.toFixed(1),
    own.waiting.toLocaleString('en'),
    plain.listMs.toFixed(1),
    own.listMs.toFixed(1),
    plain.readUnits,
    own.readUnits,
  ];
  console.log(row.join('  '));
  measured.push(row);
}
publishPage(
  'own-ids.md',
  `${creates.toLocaleString('en')} creates in collections of several sizes, whose tasks were created in ${collectionDays} days, seven creates in a second. One in ${ownShare}
has an id of the last ${ownDays} days. Write units are those of compaction: for a create with a new id, and for one with an own id. The list is the first page
by priority with its columns in memory, without and with own ids, when most out-of-order rows wait.

${table(
  [
    'tasks',
    'new id, write units',
    'own id, write units',
    'rows that wait, at most',
    'list, ms',
    'with own ids, ms',
    'list, read units',
    'with own ids, read units',
  ],
  measured,
)}
`,
);
