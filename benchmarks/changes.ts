/**
 * `npm run bench -- changes`: measures the read units of requests of the change feed, for 200 changed tasks and at rates of writes. Then three
 * callers follow lists, two of them with filters, while eight writers write as fast as they can. It fails when a copy is not the list at the end, when a
 * version went back, or when a request of the log costs more than 100 read units. Writes `benchmarks/results/changes.md`.
 *
 * `--seconds 300` measures each load for five minutes.
 */
import { parseArgs } from 'node:util';
import { logPartition, recordPrefix } from '../functions/engine/model/change-log.ts';
import { startEngineStore } from '../test/support/local-store.ts';
import { compactUntil } from './compact-until.ts';
import { FeedFollower } from './feed-follower.ts';
import { formOption, usualOrSmallest } from './form.ts';
import { itemBytes } from './item-bytes.ts';
import { median, publishPage, table } from './report.ts';
import { TaskCollection, tenant } from './task-collection.ts';
import { writeAtRate, writeByWriters } from './write-load.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: usualOrSmallest('60', '1') }, ...formOption },
});
const durationMs = Number(values.seconds) * 1_000;

const size = usualOrSmallest(10_000, 300);

const writers = 8;

/** Writes per second. */
const rates = usualOrSmallest([1, 10, 50], [10]);

/** Milliseconds between two requests of a caller that has all changes. */
const intervalMs = 1_000;

const changedTasks = 200;

/** The fields of the two callers of each load: the second one reads long descriptions too. */
const queries = ['fields=id,name,status', 'limit=100'] as const;

const store = await startEngineStore();
const collection = new TaskCollection(store, size);
await collection.load(() => {});
const followers = queries.map((query) => new FeedFollower(store, query));

/** Absorbs all records, and lets the callers read all changes. */
async function catchUp(): Promise<void> {
  await collection.compact();
  for (const follower of followers) await follower.catchUp();
}

/** Returns the bytes of the newest records, which are one for each write. */
async function bytesOfRecords(count: number): Promise<number> {
  const { items } = await store.database().query({
    KeyConditionExpression: 'pk = :partition AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':partition': logPartition(tenant, 'task'), ':prefix': recordPrefix },
    ScanIndexForward: false,
    Limit: count,
  });
  return items.reduce((sum, item) => sum + itemBytes(item), 0);
}

const longestCursor = (): number => Math.max(...followers.map((follower) => follower.longestCursor));

/**
 * Returns a row: what the requests cost that read the changes of writes that are over.
 * @param isLater whether compaction has absorbed the changes before.
 */
async function measureChanges(
  name: string,
  write: () => Promise<unknown>,
  isLater = false,
): Promise<(string | number)[]> {
  await catchUp();
  await write();
  if (isLater) await collection.compact();
  const totals: string[] = [];
  for (const follower of followers) {
    const total = await follower.follow();
    totals.push(follower.units.length === 1 ? `${total}` : `${total} in ${follower.units.length} requests`);
  }
  return [name, '', ...totals, longestCursor()];
}

/** Returns two rows: at once, and after compaction. */
const measureBoth = async (name: string, write: () => Promise<unknown>): Promise<(string | number)[][]> => [
  await measureChanges(`${name}, at once`, write),
  await measureChanges(`${name}, after compaction`, write, true),
];

const cost = ({ units }: FeedFollower): string => `${median(units)}, ${Math.max(...units)}`;

const perSecond = (written: readonly number[]): string =>
  (written.length / Number(values.seconds)).toFixed(1);

/** Returns a row: what requests cost while others write. */
async function measureRate(rate: number): Promise<(string | number)[]> {
  await catchUp();
  const endMs = Date.now() + durationMs;
  const [written] = await Promise.all([
    writeAtRate(collection, rate, endMs),
    compactUntil(store, endMs),
    ...followers.map((follower) => follower.followUntil(endMs, intervalMs)),
  ]);
  return [
    rate === 1 ? 'a write a second' : `${rate} writes a second`,
    perSecond(written),
    ...followers.map(cost),
    longestCursor(),
  ];
}

const small = await collection.createSmall(changedTasks);

const rows = [
  await measureChanges('nothing has changed', async () => {}),
  await measureChanges('one change', () => collection.update(1)),
  ...(await measureBoth(`${changedTasks} tasks, in batches of 25`, () =>
    collection.updateInBatches(changedTasks),
  )),
  ...(await measureBoth(`${changedTasks} tasks with a name and a status alone, each by a request`, () =>
    collection.updateEach(small),
  )),
];
const smallBytes = await bytesOfRecords(changedTasks);
rows.push(
  ...(await measureBoth(`${changedTasks} tasks of the benchmark, each by a request`, () =>
    collection.update(changedTasks),
  )),
);
const recordBytes = await bytesOfRecords(changedTasks);
for (const rate of rates) rows.push(await measureRate(rate));

const filters = [
  'fields=id,name,status',
  '',
  'status=planned',
  `projectId=${collection.frequent.project}&priority[gte]=medium`,
];
const names = ['all tasks, without descriptions', 'all tasks', 'a status', 'a project and a priority'];
const callers = filters.map((query) => new FeedFollower(store, query));
const endMs = Date.now() + durationMs;
const [written] = await Promise.all([
  writeByWriters(collection, writers, endMs),
  compactUntil(store, endMs),
  ...callers.map((caller) => caller.followUntil(endMs, intervalMs)),
]);
const copies: (string | number)[][] = [];
for (const [place, caller] of callers.entries()) {
  const tasks = await caller.check();
  copies.push([names[place] ?? '', caller.units.length, cost(caller), caller.longestCursor, tasks]);
}
for (const follower of followers) await follower.check();
await store.stop();

publishPage(
  'changes.md',
  `Read units of requests of the change feed of ${size.toLocaleString('en')} tasks, on the embedded engine, with compaction as in AWS. A caller asks again
after ${intervalMs / 1_000} second, or at once while there is more. Each rate lasts ${values.seconds} seconds, with mixed writes as in \`npm run bench -- writes\`.

${table(['', 'writes in a second, reached', 'without descriptions', 'all fields', 'longest cursor, characters'], rows)}

At once: compaction has absorbed none of the changes. Of the rates: the median and the highest of a request. The cursors are those of both callers.

The records of the ${changedTasks} changes have ${Math.round(recordBytes / changedTasks)} bytes on average, and those of the small ones ${Math.round(smallBytes / changedTasks)}: no consistent read
of them costs less than ${(recordBytes / 4_096).toFixed(1)} and ${(smallBytes / 4_096).toFixed(1)} read units. The others are rounding: DynamoDB rounds each query up to whole units, and a page
has several queries, because it asks only for as many records as it can pay if each of them is large.

Then ${writers} writers wrote ${written.length.toLocaleString('en')} times in ${values.seconds} seconds, ${perSecond(written)} in a second, as fast as they could. Four callers began without a copy. At the end, each copy
was the list, and no version had gone back.

${table(['list', 'requests of the log', 'read units of a request, median and highest', 'longest cursor, characters', 'tasks at the end'], copies)}
`,
);
