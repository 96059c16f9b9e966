/**
 * `npm run bench -- screens`: measures what ten screens of an app cost in collections of several sizes, and on PostgreSQL. Both must return the
 * same entities and counts. Writes `benchmarks/results/screens.md` and its plot.
 *
 * `--sizes 10000,100000,1000000` measures up to 10^6 tasks, which takes some GB of memory.
 */
import assert from 'node:assert/strict';
import { type Screen, type ScreenValues, screensOf } from './app-screens.ts';
import { measureEachSize } from './each-size.ts';
import { usualOrSmallest } from './form.ts';
import { type Cost, type ListBody, type ListFunctions, settlingLists } from './list-process.ts';
import { type ListStage, openListStage } from './list-stage.ts';
import { plot } from './plot.ts';
import type { Postgres } from './postgres.ts';
import { milliseconds, publish, publishPage, table } from './report.ts';
import { countStatement, pageStatement } from './screen-statements.ts';

/** New processes in which each screen is measured, and its warm requests in each of them. The results are medians. */
const processes = usualOrSmallest(3, 1);
const warmRuns = usualOrSmallest(9, 2);

/** The share of the rows above which the report names a screen. */
const largeShare = 0.1;

/** Projects of the screen that shows several. */
const severalProjects = 5;

/** What a screen costs PostgreSQL. */
interface PostgresCost {
  readonly durationMs: number;
  readonly rowsRead: number;
}

interface Row {
  readonly name: string;
  /** Number of tasks. */
  readonly size: number;
  /** Entities of the listed collection. */
  readonly amount: number;
  readonly total: number;
  readonly first: Cost;
  readonly warm: Cost;
  readonly postgres: PostgresCost | undefined;
}

const dayAfter = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Returns the user with the most open tasks that are overdue. */
async function overdueUser(functions: ListFunctions): Promise<string> {
  const overdue = `dueDate[lt]=${dayAfter(0)}&status[notIn]=completed,archived&userId[isNull]=false`;
  const query = `${overdue}&countBy=userId&fields=id&limit=1`;
  const { body } = await functions.list({ collection: 'tasks', query });
  return String(body.counts?.['userId']?.[0]?.value);
}

async function valuesOf({ collection, functions }: ListStage): Promise<ScreenValues> {
  const { frequent, activeProjects } = collection;
  return {
    user: await overdueUser(functions),
    tag: frequent.tag,
    project: activeProjects[0] ?? '',
    projects: activeProjects.slice(0, severalProjects),
    search: 'sch',
    today: dayAfter(0),
    weekEnd: dayAfter(6),
  };
}

/** The values, as the report shows them. */
const placeholders: ScreenValues = {
  user: '{user}',
  tag: '{tag}',
  project: '{project}',
  projects: ['{projects}'],
  search: 'sch',
  today: '{today}',
  weekEnd: '{today + 6 days}',
};

/** Returns the counts of a response in the form of the rows of the count statement. */
function countRows({ counts, total }: ListBody): string[] {
  const [ofField] = Object.values(counts ?? {});
  return ofField?.map(({ value, count }) => `${value ?? ''}|${count}|${total}`) ?? [String(total)];
}

/** @throws AssertionError when PostgreSQL does not return the entities and the counts of the service, in the same order. */
async function compare(postgres: Postgres, screen: Screen, body: ListBody): Promise<void> {
  const rows = await postgres.rows(pageStatement(screen));
  assert.deepEqual(
    body.data.map(({ id }) => id),
    rows.map((row) => row.split('|', 1)[0]),
    `The service and PostgreSQL return different entities: ${screen.name}`,
  );
  assert.deepEqual(
    countRows(body),
    await postgres.rows(countStatement(screen)),
    `The service and PostgreSQL count differently: ${screen.name}`,
  );
}

async function postgresCost(postgres: Postgres, screen: Screen): Promise<PostgresCost> {
  const statements = [pageStatement(screen), countStatement(screen)];
  return {
    durationMs: await postgres.medianMs(statements, warmRuns),
    rowsRead: await postgres.rowsRead(statements, screen.collection),
  };
}

async function measure({ collection, functions, postgres }: ListStage, screen: Screen): Promise<Row> {
  const { body } = await functions.list(screen);
  const { first, warm } = await functions.measure(screen, { processes, warmRuns });
  if (postgres) await compare(postgres, screen, body);
  const row: Row = {
    name: screen.name,
    size: collection.size,
    amount: collection.amountOf(screen.collection),
    total: body.total,
    first,
    warm,
    postgres: postgres && (await postgresCost(postgres, screen)),
  };
  const costs = [row.first, row.warm].flatMap(({ readUnits, durationMs }) => [
    readUnits,
    milliseconds(durationMs),
  ]);
  console.log(row.size, row.name, 'of', row.total, ...costs, row.postgres ?? '');
  return row;
}

const shareOf = ({ postgres, amount }: Row): number => (postgres?.rowsRead ?? 0) / amount;

function shownRows(row: Row): string {
  if (!row.postgres) return '';
  const text = `${row.postgres.rowsRead.toLocaleString('en')} (${(100 * shareOf(row)).toFixed(0)} %)`;
  return shareOf(row) > largeShare ? `**${text}**` : text;
}

const head = [
  'screen',
  'matching',
  'first: read units',
  'calls',
  'CPU ms',
  'warm: read units',
  'calls',
  'CPU ms',
  'warm: ms',
  'PostgreSQL: ms',
  'rows read',
];

const measurements = (rows: readonly Row[]): string =>
  table(
    head,
    rows.map((row) => [
      row.name,
      row.total.toLocaleString('en'),
      ...[row.first, row.warm].flatMap(({ readUnits, calls, cpuMs }) => [
        readUnits,
        calls,
        milliseconds(cpuMs),
      ]),
      milliseconds(row.warm.durationMs),
      milliseconds(row.postgres?.durationMs),
      shownRows(row),
    ]),
  );

/** Says for which screens PostgreSQL reads a large share of the rows, and whether it takes longer for them. */
function comparison(rows: readonly Row[]): string {
  const large = rows.filter((row) => shareOf(row) > largeShare);
  if (large.length === 0) return '';
  const slower = large.filter(({ postgres, warm }) => (postgres?.durationMs ?? 0) > warm.durationMs);
  return `PostgreSQL reads more than a tenth of the rows for ${large.length} of ${rows.length} screens. Of these, ${slower.length} take longer on PostgreSQL than on the service, warm.`;
}

const ofSize = (rows: readonly Row[]): string =>
  `## ${rows[0]?.size.toLocaleString('en')} tasks

${measurements(rows)}

${comparison(rows)}
`;

const requests = (): string =>
  table(
    ['screen', 'request'],
    screensOf(placeholders).map(({ name, collection, query }) => [name, `\`/v1/${collection}?${query}\``]),
  );

interface Results {
  readonly rows: readonly Row[];
  /** The version of PostgreSQL. */
  readonly version: string | undefined;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Draws how long all screens take one after the other. */
function drawing(results: readonly Results[]): string {
  const pointsOf = (pick: (row: Row) => number) =>
    results.map(({ rows }) => ({ x: rows[0]?.size ?? 0, y: sum(rows.map(pick)) || undefined }));
  return plot('Ten screens, one after the other', 'tasks', 'milliseconds', [
    { name: 'service, first', points: pointsOf(({ first }) => first.durationMs) },
    { name: 'service, warm', points: pointsOf(({ warm }) => warm.durationMs) },
    { name: 'PostgreSQL', points: pointsOf(({ postgres }) => postgres?.durationMs ?? 0) },
  ]);
}

function report(results: readonly Results[]): void {
  const version = results[0]?.version;
  const compared = version
    ? `

${version} has the same entities, the indexes of \`benchmarks/postgres-indexes.sql\`, and one connection. Two statements fill a screen: the page with the
rows that it expands, and the counts or the total. The milliseconds are those of both, with planning and the transfer of the rows, without JSON. The
benchmark fails when a statement returns other entities or other counts than the service. "Rows read" are the rows of
the listed table that the two statements read together, by \`explain (analyze)\`; in bold: more than a tenth of the table.`
    : '';
  publishPage(
    'screens.md',
    `Ten screens of an app, each filled by one request to a deployed function in a process of its own. The organizations, users, tags, projects and tasks are
those of \`npx pm-api seed\`. Node.js ${process.versions.node}; the table is one in memory that counts units as DynamoDB does, in another process. "First" is the first list of
a tenant in a process that has listed those of another one: the median of ${processes} processes. "Warm" are those after the first ${settlingLists}. CPU time is
that of the function; the milliseconds contain the calls to the table, but no network to DynamoDB. Compaction has absorbed all records.${compared}

${requests()}

${results.map(({ rows }) => ofSize(rows)).join('\n')}`,
  );
  publish('screens.svg', drawing(results));
}

/** Measures one collection. @param onResults receives the results. */
async function measureCollection(size: number, onResults: (results: Results) => void): Promise<void> {
  const stage = await openListStage(size);
  const screens = screensOf(await valuesOf(stage));
  const rows: Row[] = [];
  for (const screen of screens) rows.push(await measure(stage, screen));
  onResults({ rows, version: stage.postgres?.version });
  await stage.stop();
}

await measureEachSize('screens', measureCollection, report);
