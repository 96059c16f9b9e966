/**
 * `npm run bench:lists`: measures what pages of tasks cost in collections of several sizes: with all columns in memory and without, with
 * and without records that compaction has not absorbed, and on PostgreSQL. Writes `docs/performance/lists.md` and its plot.
 *
 * `-- --sizes 10000,100000,1000000` measures up to 10^6 tasks, which takes more than an hour and 10 GB of memory.
 */
import { fileURLToPath } from 'node:url';
import { sharedColumns } from '../functions/shared/store/lists/engine/column-cache.ts';
import { listEntities } from '../functions/shared/store/lists/list-entities.ts';
import type { ListQuery } from '../functions/shared/store/model/list-query.ts';
import { task } from '../functions/tasks/contract.ts';
import { startTestStore, type TestStore } from '../test/support/local-store.ts';
import { measureEachSize } from './each-size.ts';
import { ListFunction, type ProcessCost } from './list-function.ts';
import { plot } from './plot.ts';
import { Postgres } from './postgres.ts';
import { median, publish, table } from './report.ts';
import { TaskCollection, tenant } from './task-collection.ts';

const limit = 20;

/** Records that compaction has not absorbed. */
const pendingRecords = [0, 100, 1_000];

/** Runs of each measurement. The result is their median. */
const runsOf = (size: number): number => (size < 1_000_000 ? 9 : 3);

/** Deadline of a page. It is that of a request. */
const maxPageMs = 10_000;

interface List {
  readonly name: string;
  readonly filters: ListQuery['filters'];
  readonly sortBy: string;
  /** The same list in SQL. */
  readonly where: string;
  readonly order: string;
}

const bySize = (name: string, filters: ListQuery['filters'], where: string): List => ({
  name,
  filters,
  sortBy: 'createdAt',
  where,
  order: 'created_at, id',
});

const sorted = (
  name: string,
  filters: ListQuery['filters'],
  sortBy: string,
  where: string,
  column: string,
): List => ({
  name,
  filters,
  sortBy,
  where,
  order: `${column}, created_at, id`,
});

function listsOf({ frequent, smallProject }: TaskCollection): List[] {
  const { project, user, tag } = frequent;
  return [
    bySize('by creation', [], ''),
    bySize('a status', [['status', 'todo']], "status = 'todo'"),
    bySize('a project', [['projectId', project]], `project_id = '${project}'`),
    bySize(
      'a project and a status',
      [
        ['projectId', project],
        ['status', 'todo'],
      ],
      `project_id = '${project}' and status = 'todo'`,
    ),
    bySize('a small project', [['projectId', smallProject]], `project_id = '${smallProject}'`),
    bySize('a priority', [['priority', 'high']], 'priority = 3'),
    bySize('a tag', [['tagIds', tag]], `tag_ids @> array['${tag}']::uuid[]`),
    bySize(
      'a project and a priority',
      [
        ['projectId', project],
        ['priority', 'high'],
      ],
      `project_id = '${project}' and priority = 3`,
    ),
    bySize(
      'a small project and a priority',
      [
        ['projectId', smallProject],
        ['priority', 'high'],
      ],
      `project_id = '${smallProject}' and priority = 3`,
    ),
    bySize('a due date', [['dueDate', new Date().toISOString().slice(0, 10)]], 'due_date = current_date'),
    sorted(
      'a status by due date',
      [['status', 'todo']],
      'dueDate',
      "status = 'todo'",
      'due_date nulls first',
    ),
    sorted(
      'a user by due date',
      [['userId', user]],
      'dueDate',
      `user_id = '${user}'`,
      'due_date nulls first',
    ),
    sorted('by priority', [], 'priority', '', 'priority'),
    sorted('by updatedAt', [], 'updatedAt', '', 'updated_at'),
    sorted('by name', [], 'name', '', 'name collate "C"'),
    sorted('by description', [], 'description', '', 'left(description, 100) collate "C"'),
  ];
}

interface Cost {
  readonly durationMs: number;
  readonly readUnits: number;
}

interface Row {
  readonly size: number;
  readonly list: string;
  readonly page: string;
  readonly pending: number;
  readonly total: number;
  readonly cold: Cost;
  readonly warm: Cost;
  readonly postgresMs: number | undefined;
  /** Measured without pending records only. */
  readonly process?: ProcessCost | undefined;
}

async function readPage(store: TestStore, query: ListQuery): Promise<Cost & { readonly total: number }> {
  const database = store.database(maxPageMs);
  const started = performance.now();
  const { total } = await listEntities({ tenant, database }, 'task', query);
  return { total, durationMs: performance.now() - started, readUnits: database.consumption.readUnits };
}

async function medianCost(
  store: TestStore,
  query: ListQuery,
  runs: number,
  beforeEach: () => void,
): Promise<Cost> {
  const costs: Cost[] = [];
  for (let run = 0; run < runs; run += 1) {
    beforeEach();
    costs.push(await readPage(store, query));
  }
  return {
    durationMs: median(costs.map(({ durationMs }) => durationMs)),
    readUnits: median(costs.map(({ readUnits }) => readUnits)),
  };
}

/** Counts and reads a page on PostgreSQL. @returns the milliseconds of both. */
async function postgresCost(
  postgres: Postgres | undefined,
  { where, order }: List,
  page: number,
  runs: number,
): Promise<number | undefined> {
  if (!postgres) return undefined;
  const from = `from task ${where && `where ${where}`}`;
  const statements = [
    `select count(*) ${from}`,
    `select * ${from} order by ${order} limit ${limit} offset ${(page - 1) * limit}`,
  ];
  const times = await postgres.time(Array.from({ length: runs }, () => statements).flat());
  const pairs = times.flatMap((time, place) => (place % 2 === 0 ? [time + (times[place + 1] ?? 0)] : []));
  return median(pairs);
}

interface Stage {
  readonly store: TestStore;
  readonly collection: TaskCollection;
  readonly postgres: Postgres | undefined;
  readonly listFunction: ListFunction;
}

async function measure(
  { store, collection, postgres, listFunction }: Stage,
  pending: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  const runs = runsOf(collection.size);
  for (const list of listsOf(collection)) {
    const { ranks, defaults } = task;
    const first: ListQuery = { ...list, ranks, defaults, sortOrder: 'asc', page: 1, limit };
    const { total } = await readPage(store, first);
    if (list.filters.length === 0 && total !== collection.size) {
      throw new Error(`The list "${list.name}" has ${total} of ${collection.size} tasks.`);
    }
    for (const [page, number] of [
      ['first', 1],
      ['middle', Math.max(1, Math.ceil(total / limit / 2))],
    ] as const) {
      const query = { ...first, page: number };
      const cold = await medianCost(store, query, runs, () => sharedColumns.clear());
      const warm = await medianCost(store, query, runs, () => undefined);
      const isQuiet = pending === 0;
      const postgresMs = isQuiet ? await postgresCost(postgres, list, number, runs) : undefined;
      const process = isQuiet && page === 'middle' ? await listFunction.measure(store, query) : undefined;
      const { name } = list;
      rows.push({ size: collection.size, list: name, page, pending, total, cold, warm, postgresMs, process });
      console.log(
        collection.size,
        name,
        page,
        pending,
        'of',
        total,
        cold,
        warm,
        postgresMs ?? '',
        process ?? '',
      );
    }
  }
  return rows;
}

const ms = (number: number | undefined): string =>
  number === undefined ? '' : number.toFixed(number < 10 ? 1 : 0);

const measurements = (rows: readonly Row[]): string =>
  table(
    [
      'list',
      'page',
      'tasks',
      'pending records',
      'cold: read units',
      'ms',
      'warm: read units',
      'ms',
      'PostgreSQL: ms',
    ],
    rows.map(({ size, list, page, pending, cold, warm, postgresMs }) => [
      list,
      page,
      size.toLocaleString('en'),
      pending,
      cold.readUnits,
      ms(cold.durationMs),
      warm.readUnits,
      ms(warm.durationMs),
      ms(postgresMs),
    ]),
  );

const processes = (rows: readonly Row[]): string =>
  table(
    ['list, middle page', 'tasks', 'first request: CPU ms', 'next requests: CPU ms', 'memory, MB'],
    rows.flatMap(({ size, list, process }) =>
      process
        ? [
            [
              list,
              size.toLocaleString('en'),
              ms(process.firstMs),
              ms(process.nextMs),
              Math.round(process.residentBytes / 1e6),
            ],
          ]
        : [],
    ),
  );

/** Writes the results so far. */
function report(rows: readonly Row[], version: string | undefined): void {
  const compared = version
    ? `, and ${version} over one connection, which counts and pages with the indexes of \`benchmarks/postgres.ts\``
    : '';
  publish(
    'lists.md',
    `<!-- Written by "npm run bench:lists". -->

Pages of ${limit} tasks with the names, texts and relations of \`npm run seed\`. Node.js ${process.versions.node}; the values are medians of
${runsOf(0)} runs (${runsOf(1_000_000)} with 1,000,000 tasks) on one machine, with the embedded engine${compared}. "Cold" is the first list of a process, which reads the columns; "warm" is
a list whose columns are in memory. "Pending records" are records of the change log that
compaction has not absorbed. An index reads the entities of the first five lists.

${measurements(rows)}

## The function

The deployed function \`listTasks\` in a process of its own, one for each list. In AWS, it has 1,769 MB, which is one core: a request takes
there at least its CPU time. The first request is one measurement. It includes the start of the code and reading the columns. The next requests are the median of five. The memory is that of the whole process, at most, over these six
requests.

${processes(rows)}
`,
  );
  const ofMiddle = (list: string, pick: (row: Row) => number | undefined) =>
    rows
      .filter((row) => row.list === list && row.page === 'middle' && row.pending === 0)
      .map((row) => ({ x: row.size, y: pick(row) }));
  const drawing = plot('The middle page of all tasks with a status, by due date', 'tasks', 'milliseconds', [
    { name: 'list engine, cold', points: ofMiddle('a status by due date', ({ cold }) => cold.durationMs) },
    { name: 'list engine, warm', points: ofMiddle('a status by due date', ({ warm }) => warm.durationMs) },
    {
      name: 'count(*) and OFFSET, PostgreSQL',
      points: ofMiddle('a status by due date', ({ postgresMs }) => postgresMs),
    },
  ]);
  publish('lists.svg', drawing);
}

interface Results {
  readonly rows: readonly Row[];
  /** The version of PostgreSQL. */
  readonly version: string | undefined;
}

/** Measures one collection. @param onResults receives all results so far. */
async function measureCollection(size: number, onResults: (results: Results) => void): Promise<void> {
  const listFunction = new ListFunction();
  await listFunction.bundle();
  const postgres = await Postgres.start();
  if (!postgres) console.log('PostgreSQL is not installed. Its column stays empty.');
  const store = await startTestStore();
  const collection = new TaskCollection(store, size);
  const started = performance.now();
  await collection.load((tasks) => postgres?.add(tasks));
  await postgres?.settle();
  console.log(`${size} tasks loaded in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  const rows: Row[] = [];
  let pending = 0;
  for (const wanted of pendingRecords) {
    await collection.update(wanted - pending);
    pending = wanted;
    rows.push(...(await measure({ store, collection, postgres, listFunction }, pending)));
    onResults({ rows, version: postgres?.version });
  }
  await store.stop();
  await postgres?.stop();
  listFunction.remove();
}

await measureEachSize(fileURLToPath(import.meta.url), measureCollection, (results) =>
  report(
    results.flatMap(({ rows }) => rows),
    results[0]?.version,
  ),
);
