/**
 * `npm run bench -- lists`: measures what pages of tasks cost in collections of several sizes: with all columns in memory and without, with
 * and without records that compaction has not absorbed, while others write, and on PostgreSQL. Writes the medians to
 * `docs/performance/lists.md` and its plot, and all figures to `lists.csv` beside it.
 *
 * `--sizes 10000,100000,1000000` measures up to 10^6 tasks, which takes more than an hour and 10 GB of memory.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { compactUntil } from './compact-until.ts';
import { measureEachSize } from './each-size.ts';
import { isSmallest, usualOrSmallest } from './form.ts';
import { furtherRuns, ListFunction } from './list-function.ts';
import { type ListCost, type LoadCost, listData, listPage } from './list-report.ts';
import { coldCost, type ListRequest, requestList, warmCost } from './list-request.ts';
import { type ListStage, openListStage } from './list-stage.ts';
import { plot } from './plot.ts';
import { milliseconds, publish, publishPage } from './report.ts';
import { commitOf, source } from './source.ts';
import type { TaskCollection } from './task-collection.ts';
import { writeAtRate } from './write-load.ts';

const limit = 20;

/** Records that compaction has not absorbed. */
const pendingRecords = usualOrSmallest([0, 100, 1_000], [0, 10]);

/** How long lists are asked for while nobody writes, and while others do, and the milliseconds between two requests. */
const quietMs = usualOrSmallest(10_000, 1);
const loadMs = usualOrSmallest(60_000, 1_000);
const askIntervalMs = usualOrSmallest(1_000, 200);

const writesPerSecond = 50;

/** Runs of each measurement. The result is their median. */
const runsOf = (size: number): number => usualOrSmallest(size < 1_000_000 ? 9 : 3, 2);

type Filters = readonly [field: string, value: string][];

interface List {
  readonly name: string;
  readonly filters: Filters;
  readonly sortBy: string;
  /** The same list in SQL. */
  readonly where: string;
  readonly order: string;
}

const bySize = (name: string, filters: Filters, where: string): List => ({
  name,
  filters,
  sortBy: 'createdAt',
  where,
  order: 'created_at, id',
});

const sorted = (name: string, filters: Filters, sortBy: string, where: string, column: string): List => ({
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
    bySize('a status', [['status', 'planned']], "status = 'planned'"),
    bySize('a project', [['projectId', project]], `project_id = '${project}'`),
    bySize(
      'a project and a status',
      [
        ['projectId', project],
        ['status', 'planned'],
      ],
      `project_id = '${project}' and status = 'planned'`,
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
      [['status', 'planned']],
      'dueDate',
      "status = 'planned'",
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
    sorted('by project', [], 'projectId', '', 'project_id nulls first'),
    sorted('by updatedAt', [], 'updatedAt', '', 'updated_at'),
    sorted('by name', [], 'name', '', 'name'),
    sorted('by description', [], 'description', '', 'left(description, 100)'),
  ];
}

const requestOf = ({ filters, sortBy }: List, page: number): ListRequest => {
  const parameters = new URLSearchParams([
    ...filters,
    ['sortBy', sortBy],
    ['sortOrder', 'asc'],
    ['page', String(page)],
    ['limit', String(limit)],
  ]);
  return { collection: 'tasks', query: parameters.toString() };
};

/** Returns the statements that count a list and read one of its pages on PostgreSQL. */
function statementsOf({ where, order }: List, page: number): string[] {
  const from = `from tasks ${where && `where ${where}`}`;
  const window = `limit ${limit} offset ${(page - 1) * limit}`;
  return [`select count(*) ${from}`, `select * ${from} order by ${order} ${window}`];
}

/** Returns whether the function is measured. Each list needs a process of its own, so the smallest form measures one. */
const measuresFunction = ({ name }: List): boolean => !isSmallest || name === 'a status by due date';

interface Stage extends ListStage {
  readonly listFunction: ListFunction;
}

async function measure(
  { store, collection, postgres, listFunction }: Stage,
  pending: number,
): Promise<ListCost[]> {
  const rows: ListCost[] = [];
  const runs = runsOf(collection.size);
  for (const list of listsOf(collection)) {
    const { total } = (await requestList(requestOf(list, 1))).body;
    if (list.filters.length === 0 && total !== collection.size) {
      throw new Error(`The list "${list.name}" has ${total} of ${collection.size} tasks.`);
    }
    for (const [page, number] of [
      ['first', 1],
      ['middle', Math.max(1, Math.ceil(total / limit / 2))],
    ] as const) {
      const request = requestOf(list, number);
      const cold = await coldCost(request, runs);
      const warm = await warmCost(request, runs);
      const isQuiet = pending === 0;
      const postgresMs = isQuiet ? await postgres?.medianMs(statementsOf(list, number), runs) : undefined;
      const process =
        isQuiet && page === 'middle' && measuresFunction(list)
          ? await listFunction.measure(store, request.query)
          : undefined;
      const { name } = list;
      rows.push({ size: collection.size, list: name, page, pending, total, cold, warm, postgresMs, process });
      console.log(
        collection.size,
        name,
        page,
        pending,
        'of',
        total,
        ...[cold, warm].flatMap(({ readUnits, durationMs }) => [readUnits, milliseconds(durationMs)]),
        milliseconds(postgresMs),
        process ?? '',
      );
    }
  }
  return rows;
}

/** Asks for the same list once a second, with its columns in memory. Returns the read units of each request. */
async function askUntil(request: ListRequest, endMs: number): Promise<number[]> {
  const units: number[] = [];
  while (Date.now() < endMs) {
    units.push((await requestList(request)).cost.readUnits);
    await delay(askIntervalMs);
  }
  return units;
}

/** Measures a warm list when nobody writes, and while others write. */
async function measureLoad({ store, collection }: ListStage): Promise<LoadCost> {
  const list = listsOf(collection).find(({ name }) => name === 'a status') as List;
  const request = requestOf(list, 1);
  await collection.compact();
  await requestList(request);
  const quiet = await askUntil(request, Date.now() + quietMs);
  const endMs = Date.now() + loadMs;
  const [written, busy] = await Promise.all([
    writeAtRate(collection, writesPerSecond, endMs),
    askUntil(request, endMs),
    compactUntil(store, endMs),
  ]);
  const result = { size: collection.size, perSecond: (1_000 * written.length) / loadMs, quiet, busy };
  console.log(result);
  return result;
}

interface Results {
  readonly rows: readonly ListCost[];
  /** Absent while it is not measured. */
  readonly load?: LoadCost;
  /** The version of PostgreSQL. */
  readonly version: string | undefined;
}

/** Writes the results so far. */
function report(results: readonly Results[]): void {
  const rows = results.flatMap((one) => one.rows);
  const loads = results.flatMap(({ load }) => load ?? []);
  const version = results[0]?.version;
  const compared = version
    ? `, and ${version} over one connection, which counts and pages with the indexes of \`benchmarks/postgres-indexes.sql\``
    : '';
  publishPage(
    'lists.md',
    listPage(
      rows,
      `Middle pages of ${limit} tasks with the names, texts and relations of \`npm run seed\`. Node.js ${process.versions.node}; the values are medians of
${runsOf(0)} runs (${runsOf(1_000_000)} with 1,000,000 tasks) on one machine, with the embedded engine${compared}.
[\`lists.csv\`](lists.csv) has every figure: also the first pages, and the lowest and highest values, the 99th percentiles, the calls and the bytes.

- A list is a request to the handler: the milliseconds include validation and JSON.
- "Cold" is the first list of a process, which reads the columns; "warm" is a list whose columns are in memory.
- "Function" is the deployed function \`listTasks\` in a process of its own, one for each list. In AWS, it has 1,769 MB, which is one core: a
  request takes there at least its CPU time. The first request is one measurement, with the start of the code. The next requests are the
  median of ${furtherRuns}. The memory is the highest of the process over these requests.
- "Pending records" are records of the change log that compaction has not absorbed. They were written just before the first of their lists. A
  process that has read them has them in memory.
- "While others write": the first page of a status, asked once a second by one process for ${loadMs / 1_000} seconds, while ${writesPerSecond} mixed writes a second
  change the same collection, as in \`npm run bench -- writes\`, and compaction takes steps as in AWS; and when nobody writes.`,
      loads,
    ),
  );
  publish('lists.csv', listData(source ? commitOf(source) : '', rows));
  const ofMiddle = (list: string, pick: (row: ListCost) => number | undefined) =>
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

/** Measures one collection. @param onResults receives all results so far. */
async function measureCollection(size: number, onResults: (results: Results) => void): Promise<void> {
  const listFunction = new ListFunction();
  await listFunction.bundle();
  const stage = await openListStage(size);
  const { collection, postgres } = stage;
  const rows: ListCost[] = [];
  let pending = 0;
  for (const wanted of pendingRecords) {
    await collection.update(wanted - pending);
    pending = wanted;
    rows.push(...(await measure({ ...stage, listFunction }, pending)));
    onResults({ rows, version: postgres?.version });
  }
  onResults({ rows, load: await measureLoad(stage), version: postgres?.version });
  await stage.stop();
  listFunction.remove();
}

await measureEachSize('lists', measureCollection, report);
