/**
 * `npm run bench -- memory`: how often a process finds the columns of a list in its memory, and what its lists cost, by its memory and the size of tenants. A
 * thousand tenants ask one process for the screens of an app, in virtual time. Writes `benchmarks/results/memory.md`.
 *
 * The engine lists, and its memory decides what to keep. All tenants have copies of one collection, under names of their own, so that a machine can hold them.
 */
import { processMemory } from '../functions/engine/columns/process-memory.ts';
import { listEntities } from '../functions/engine/lists/list-entities.ts';
import type { ListQuery } from '../functions/engine/model/list-query.ts';
import { Database } from '../functions/engine/table/database.ts';
import { Deadline } from '../functions/engine/table/deadline.ts';
import type { DynamoDb } from '../functions/engine/table/operations.ts';
import { readListQuery } from '../functions/http/parse-list-query.ts';
import { setTimeAndChance } from '../functions/runtime/time-and-chance.ts';
import '../functions/schema.ts';
import { task } from '../functions/tasks/resource.ts';
import { startTestStore } from '../test/support/local-store.ts';
import { seededRandom, VirtualTime } from '../test/support/virtual-time.ts';
import { usualOrSmallest } from './form.ts';
import { publishPage, table } from './report.ts';
import { TaskCollection, tenant } from './task-collection.ts';

const tenants = usualOrSmallest(1_000, 20);
/** By the number of tasks: megabytes of the memory. 512 MB hold a thousand tenants with 1,000 tasks. */
const memoriesMb = usualOrSmallest<Readonly<Record<number, readonly number[]>>>(
  { 1000: [128], 10000: [512, 2_048] },
  { 150: [8] },
);

/** Lists of a process before those that are measured, and these: eight minutes of its life. */
const settling = usualOrSmallest(5_000, 50);
const measured = usualOrSmallest(1_000, 50);

/** Milliseconds between two lists of one process, which can make 20 in a second or more. */
const intervalMs = 80;

/** How often tenants ask: all as often, or the one in place n as often as 1 / n^0.8 says. */
const demands: Readonly<Record<string, (place: number) => number>> = {
  'all alike': () => 1,
  'Zipf, 0.8': (place) => place ** -0.8,
};

const screensOf = ({ frequent: { project, user } }: TaskCollection): string[] => [
  'sortBy=createdAt',
  `projectId=${project}&sortBy=status,priority,dueDate&countBy=status`,
  `userId=${user}&status[notIn]=completed,archived&sortBy=priority,dueDate`,
  'sortBy=updatedAt',
  'status=planned&sortBy=dueDate',
];

/**
 * Returns a client that has the table under another name. The memory of a process tells tables and tenants apart.
 * @param onColumns is called when columns are read.
 */
function renamed(client: DynamoDb, from: string, to: string, onColumns: () => void): DynamoDb {
  const translate = (input: object, source: string, target: string): object =>
    Object.fromEntries(
      Object.entries(input).map(([key, value]) => {
        if (key === 'TableName') return [key, target];
        if (!['RequestItems', 'Responses', 'UnprocessedKeys'].includes(key)) return [key, value];
        return [key, value?.[source] === undefined ? value : { [target]: value[source] }];
      }),
    );
  return new Proxy(client, {
    get: (own, name: keyof DynamoDb) => async (input: object, options?: object) => {
      if (JSON.stringify(input).includes('#columns#')) onColumns();
      const call = own[name] as unknown as (input: object, options?: object) => Promise<object>;
      return translate(await call.call(own, translate(input, to, from), options), from, to);
    },
  });
}

/** Returns a function that draws the place of a tenant. */
function drawing(weightOf: (place: number) => number, random: () => number): () => number {
  let sum = 0;
  const sums = Array.from({ length: tenants }, (_, place) => {
    sum += weightOf(place + 1);
    return sum;
  });
  return () => {
    const drawn = random() * sum;
    return sums.findIndex((one) => one > drawn);
  };
}

/** Lists screens of random tenants in one process. @returns the share of first lists among those that are measured, and the read units of all of these. */
async function listRandomly(
  store: ReturnType<typeof startTestStore>,
  queries: readonly ListQuery[],
  draw: () => number,
) {
  const time = new VirtualTime(1, Date.now());
  setTimeAndChance(time);
  const random = seededRandom(2);
  let [units, first] = [0, 0];
  for (let list = 0; list < settling + measured; list += 1) {
    await time.delay(intervalMs);
    let isFirst = 0;
    const name = `tenant ${draw()}`;
    const client = renamed(store.table, store.tableName, name, () => {
      isFirst = 1;
    });
    const database = new Database(client, name, new Deadline(300_000));
    const query = queries[Math.floor(random() * queries.length)] as ListQuery;
    await listEntities({ tenant, database }, 'task', query);
    if (list < settling) continue;
    units += database.consumption.readUnits;
    first += isFirst;
  }
  return { units, first };
}

async function measure(size: number): Promise<(string | number)[][]> {
  setTimeAndChance();
  const store = startTestStore();
  store.table.onCommit(() => store.table.takeRecords());
  const collection = new TaskCollection(store, size);
  await collection.load(() => undefined);
  const queries = screensOf(collection).map((text) => readListQuery(task, text).query);
  const rows: (string | number)[][] = [];
  for (const memoryMb of memoriesMb[size] ?? []) {
    for (const [demand, weightOf] of Object.entries(demands)) {
      process.env['COLUMN_MEMORY_MB'] = String(memoryMb);
      processMemory.clear();
      const { units, first } = await listRandomly(store, queries, drawing(weightOf, seededRandom(1)));
      const share = Math.round((100 * first) / measured);
      const row = [size.toLocaleString('en'), demand, memoryMb, `${share} %`, (units / measured).toFixed(1)];
      console.log(...row);
      rows.push(row);
    }
  }
  return rows;
}

const rows: (string | number)[][] = [];
for (const size of Object.keys(memoriesMb)) rows.push(...(await measure(Number(size))));
publishPage(
  'memory.md',
  `One process, ${tenants.toLocaleString('en')} tenants, and a list every ${intervalMs} ms of virtual time: five screens of an app, at random. The figures are those of
${measured.toLocaleString('en')} lists after ${settling.toLocaleString('en')}. "First" is the share of lists that do not find all of their columns in the memory, which has
512 MB by default.

${table(['tasks of a tenant', 'tenants ask', 'memory, MB', 'first', 'read units of a list'], rows)}`,
);
