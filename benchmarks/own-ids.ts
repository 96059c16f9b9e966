/**
 * `npm run bench -- own-ids`: measures what compaction costs when some creates have ids of the last week, and what lists cost while rows
 * wait. Writes `benchmarks/results/own-ids.md`.
 *
 * `--rows 100000,1000000` measures collections with so many tasks. `--creates 20000` creates so many, one in ten with such an id.
 */
import { parseArgs } from 'node:util';
import { compact } from '../functions/engine/columns/compact/compact.ts';
import { openLog } from '../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { openLogReader } from '../functions/engine/columns/dynamodb-storage.ts';
import { emptyManifest, type Manifest } from '../functions/engine/columns/format/manifest.ts';
import { type LogMemory, ProcessMemory } from '../functions/engine/columns/process-memory.ts';
import type { LogReader } from '../functions/engine/columns/storage.ts';
import { toRowQuery } from '../functions/engine/lists/to-row-query.ts';
import type { Change } from '../functions/engine/model/changes.ts';
import type { ListQuery } from '../functions/engine/model/list-query.ts';
import { forEach } from '../functions/runtime/for-each.ts';
import { isValue, listQuery, sortedBy } from '../test/support/list-queries.ts';
import { startEngineStore, type TestStore } from '../test/support/local-store.ts';
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

/** Milliseconds for which replaced items stay, and some more. */
const garbageMs = 70 * 60_000;

/** Times that so many creates are made. */
const phases = 4;

const batchSize = 25;
const concurrency = 16;
const lists = 50;

/** Tasks for each row that waits while lists are measured. Rows of a segment wait until they are one in 128. */
const tasksOfWaiting = 400;

interface Log {
  readonly store: TestStore;
  readonly memory: LogMemory;
  /** The position of the last record. */
  position: number;
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

/** Writes the next record. */
function append(log: Log, changes: readonly Change[], time: number): Promise<void> {
  log.position += 1;
  return writeRecord(log.store, changes, { position: log.position, time });
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
      await append(log, changes, endMs - batches + batch);
    });
    await compactAll(log, endMs - batches + first + part.length);
  }
}

interface Measured {
  /** Write units of compaction. */
  readonly units: number;
  /** Rows that wait among the ids of segments, at most. */
  readonly waiting: number;
}

const readManifest = async ({ store }: Log): Promise<Manifest> =>
  (await openLogReader(store.database(), tenant, kind).readManifest()) ?? emptyManifest;

const waitingRows = ({ segments }: Manifest): number =>
  segments.reduce((sum, { waiting = 0 }) => sum + waiting, 0);

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
  for (let number = 0; number < creates; number += createsOfALook) {
    const length = Math.min(createsOfALook, creates - number);
    const all = Array.from({ length }, (_, place) => number + place);
    await forEach(all, concurrency, async (one) => {
      const timeMs = startMs + (one + 1) * createIntervalMs;
      const after = tasks.create(isOwn(one) ? timeMs - Math.random() * ownDays * dayMs : timeMs);
      await append(log, [{ after }], timeMs);
    });
    const nowMs = startMs + (number + length) * createIntervalMs + 1;
    units += await compactAll(log, nowMs);
    waiting = Math.max(waiting, waitingRows(await readManifest(log)));
  }
  return { units, waiting };
}

/** Returns a reader of the log without the rows that wait. */
const withoutWaiting = (reader: LogReader): LogReader => ({
  readHead: async (above) => {
    const { manifest = emptyManifest, ...head } = await reader.readHead(above);
    const segments = manifest.segments.map(({ waiting: _, ...segment }) => segment);
    return { ...head, manifest: { ...manifest, segments, waiting: [] } };
  },
  readManifest: () => reader.readManifest(),
  oldestRecords: (above, isEnough) => reader.oldestRecords(above, isEnough),
  readItems: (names, isConsistent) => reader.readItems(names, isConsistent),
  readBuckets: (column, isConsistent) => reader.readBuckets(column, isConsistent),
  requireTime: () => reader.requireTime(),
});

const measuredLists: Readonly<Record<string, ListQuery>> = {
  'by creation': listQuery({ sort: sortedBy('createdAt', 'desc') }),
  'by creation, a middle page': listQuery({ sort: sortedBy('createdAt', 'desc'), page: 2_000 }),
  'by priority': listQuery({ sort: sortedBy('priority', 'desc') }),
  'by name': listQuery({ sort: sortedBy('name') }),
  'a status by due date': listQuery({ filters: [isValue('status', 'active')], sort: sortedBy('dueDate') }),
  'by priority, counted by status': listQuery({ sort: sortedBy('priority', 'desc'), countBy: ['status'] }),
};

interface ListCost {
  readonly cpuMs: number;
  readonly readUnits: number;
}

/** Returns the CPU time of a list, and its read units. */
async function readList({ store, memory }: Log, options: ListOptions): Promise<ListCost> {
  const database = store.database(60_000);
  const opened = openLogReader(database, tenant, kind);
  const reader = options.isWithout ? withoutWaiting(opened) : opened;
  const before = process.cpuUsage();
  await readRows({ reader, memory }, toRowQuery(kind, options.query));
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000, readUnits: database.consumption.readUnits };
}

interface ListOptions {
  readonly query: ListQuery;
  readonly isWithout: boolean;
}

const medianOf = (costs: readonly ListCost[]): ListCost =>
  costs.toSorted((one, other) => one.cpuMs - other.cpuMs)[costs.length >> 1] as ListCost;

/** Measures a list in turn without and with the rows that wait. Returns a row of the table. */
async function measureList(log: Log, name: string): Promise<(string | number)[]> {
  const query = measuredLists[name] as ListQuery;
  const costs: { readonly without: ListCost; readonly with: ListCost }[] = [];
  for (let list = 0; list <= lists; list += 1) {
    // Each is the first one of a pair as often as the other: garbage collection takes time of the next list.
    const read = (isWithout: boolean) => readList(log, { query, isWithout });
    const [first, second] = [await read(list % 2 === 0), await read(list % 2 !== 0)];
    costs.push(list % 2 === 0 ? { without: first, with: second } : { without: second, with: first });
  }
  // The first ones read the columns.
  const warm = costs.slice(1);
  const without = medianOf(warm.map((one) => one.without));
  const all = medianOf(warm.map((one) => one.with));
  return [name, without.cpuMs.toFixed(1), all.cpuMs.toFixed(1), without.readUnits, all.readUnits];
}

/** Lets rows wait in all segments, and measures lists. Returns rows of the table. */
async function measureLists(
  log: Log,
  tasks: Tasks,
  startMs: number,
  rows: number,
): Promise<(string | number)[][]> {
  const added = Math.ceil(rows / tasksOfWaiting);
  const changes = Array.from({ length: added }, () => ({
    after: tasks.create(startMs - Math.random() * collectionDays * dayMs),
  }));
  for (let first = 0; first < added; first += batchSize)
    await append(log, changes.slice(first, first + batchSize), startMs + first);
  await compactAll(log, startMs + added);
  const waiting = waitingRows(await readManifest(log)).toLocaleString('en');
  const measured: (string | number)[][] = [];
  for (const name of Object.keys(measuredLists))
    measured.push([rows.toLocaleString('en'), waiting, ...(await measureList(log, name))]);
  return measured;
}

async function measure(rows: number): Promise<void> {
  const store = await startEngineStore();
  const log = { store, memory: new ProcessMemory().of(tenant, kind), position: 0 };
  const tasks = new Tasks();
  const durationMs = creates * createIntervalMs + garbageMs;
  const startMs = Date.now() - (phases + 1) * durationMs;
  await writeCollection(log, tasks, rows, startMs);
  const { segments } = await readManifest(log);
  if (segments.reduce((sum, segment) => sum + segment.rows, 0) < rows)
    throw new Error('Compaction has not absorbed the collection.');
  const isOwn = (number: number): boolean => number % ownShare === 0;
  const phase = (place: number, own = (_: number): boolean => false): Promise<Measured> =>
    measureCreates(log, tasks, startMs + place * durationMs, own);
  // A step deletes what another one has replaced an hour before: each phase pays for the items that the one before it has replaced.
  await phase(1);
  const plain = await phase(2);
  const own = await phase(3, isOwn);
  const after = await phase(4);
  const added = own.units + after.units - 2 * plain.units;
  const price = added / (creates / ownShare) + plain.units / creates;
  compactionRows.push([
    rows.toLocaleString('en'),
    (plain.units / creates).toFixed(2),
    price.toFixed(1),
    own.waiting.toLocaleString('en'),
  ]);
  listsRows.push(
    ...(await measureLists(log, tasks, startMs + (phases + 1) * durationMs - garbageMs / 2, rows)),
  );
  await store.stop();
}

const creates = Number(flags.creates);
const compactionRows: (string | number)[][] = [];
const listsRows: (string | number)[][] = [];
for (const rows of String(flags.rows).split(',').map(Number)) await measure(rows);
for (const row of [...compactionRows, ...listsRows]) console.log(row.join('  '));
publishPage(
  'own-ids.md',
  `## Compaction

${creates.toLocaleString('en')} creates in collections of several sizes, whose tasks were created in ${collectionDays} days, seven creates in a second. One in ${ownShare}
has an id of the last ${ownDays} days. Write units are those of compaction, with the deletion of what it replaces: for a
create with a new id, and for one with an own id.

${table(['tasks', 'new id, write units', 'own id, write units', 'rows that wait, at most'], compactionRows)}

## Lists

The same collections, with one waiting row for ${tasksOfWaiting} tasks, whose ids are among those of all segments. Pages of 20 tasks without the reads of the tasks,
with the columns in memory, each in turn without and with these rows: medians of ${lists}.

${table(
  [
    'tasks',
    'rows that wait',
    'list',
    'without them, CPU ms',
    'with them, CPU ms',
    'without them, read units',
    'with them, read units',
  ],
  listsRows,
)}
`,
);
