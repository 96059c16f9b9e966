/**
 * `npm run bench -- lists`: measures what pages of tasks cost in collections of several sizes, by the deployed function in processes of its own: cold, as
 * the first list of a tenant, and warm; on PostgreSQL; and while others write. Writes `benchmarks/results/lists.md` and its plot.
 *
 * `--sizes 10000,100000,1000000,100000:words` measures up to 10^6 tasks, which takes some GB of memory. With `:words`, the descriptions of a size have 300
 * characters of words that are as frequent as in a language, and only searches are measured.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { compactUntil } from './compact-until.ts';
import { measureEachSize } from './each-size.ts';
import { usualOrSmallest } from './form.ts';
import { type Cost, type ListCosts, type ListProcess, settlingLists } from './list-process.ts';
import { type ListStage, openListStage } from './list-stage.ts';
import { plot } from './plot.ts';
import { median, milliseconds, publish, publishPage, table } from './report.ts';
import type { TaskCollection } from './task-collection.ts';
import { randomWords, wordOf } from './words.ts';
import { writeAtRate } from './write-load.ts';

const limit = 20;

/** New processes in which each list is measured, and its warm lists in each of them. */
const processes = usualOrSmallest(3, 1);
const warmRuns = usualOrSmallest(9, 2);

/** Runs of each list on PostgreSQL. */
const postgresRuns = usualOrSmallest(5, 1);

/** Writes in a second beside a list that is asked for once a second, and how long. */
const rates = usualOrSmallest([1, 10, 50], [10]);
const loadMs = usualOrSmallest(60_000, 1_000);
const askIntervalMs = 1_000;

/** Tags of each task, of a thousand. */
const tags = 5;

interface List {
  readonly name: string;
  /** The query, without the page. */
  readonly query: string;
  readonly isViewer: boolean;
  /** The same list in SQL. */
  readonly where: string;
  readonly order: string;
  readonly hasSum: boolean;
  /** A statement that counts more than the tasks. */
  readonly counts: string | undefined;
}

const listOf = (
  name: string,
  query: string,
  where = '',
  order = 'created_at, id',
  more: Partial<List> = {},
): List => ({
  name,
  query: query.includes('sortBy') ? query : `${query}&sortBy=createdAt`,
  isViewer: false,
  where: where && ` where ${where}`,
  order,
  hasSum: query.includes('sumBy'),
  counts: undefined,
  ...more,
});

/** Returns the list of a search. @param more of its query, and the same in SQL. */
function searchOf(name: string, words: readonly string[], more = '', where = ''): List {
  const wanted = words.map((word) => `${word}:*`).join(' & ');
  const found = `to_tsvector('simple', name || ' ' || description) @@ to_tsquery('simple', '${wanted}')`;
  return listOf(name, `search=${words.join('+')}${more}`, `${found}${where}`);
}

/** Returns the lists that search. The words of usual descriptions are in 2 % of them, those of random words in some. */
function searchesOf(isOfWords: boolean): List[] {
  const words = isOfWords ? [320, 840, 400, 500, 600, 700, 800, 900].map(wordOf) : ['wireless', 'bypass'];
  const [one = '', other = ''] = words;
  return [
    searchOf('a word', [one]),
    searchOf('a word and a status', [one], '&status=planned', " and status = 'planned'"),
    searchOf('two words', [one, other]),
    searchOf('one letter', ['t']),
    searchOf('the most frequent word', [isOfWords ? wordOf(0) : 'the']),
    ...(isOfWords ? [searchOf('eight words', words)] : []),
  ];
}

/** What a caller sees who is in no private project. */
const visible = 'project_id is null or project_id in (select id from projects where visibility = 0)';

/** Returns the condition for tasks that have all of some tags. */
const tagged = (...ids: readonly string[]): string => `tag_ids @> array['${ids.join("','")}']::uuid[]`;

function listsOf({ frequent: { project, tag }, rareTag, smallProject }: TaskCollection): List[] {
  const sorted = (column: string): string => `${column}, created_at, id`;
  return [
    listOf('by creation', ''),
    listOf('a status', 'status=planned', "status = 'planned'"),
    listOf(
      'a project and a status',
      `projectId=${project}&status=planned`,
      `project_id = '${project}' and status = 'planned'`,
    ),
    listOf('a small project', `projectId=${smallProject}`, `project_id = '${smallProject}'`),
    listOf('a frequent tag', `tagIds=${tag}`, tagged(tag)),
    listOf('a rare tag', `tagIds=${rareTag}`, tagged(rareTag)),
    listOf('two tags', `tagIds[all]=${tag},${rareTag}`, tagged(tag, rareTag)),
    listOf('by creation, with counts of tags', 'countBy=tagIds', '', undefined, {
      counts: 'select tag, count(*) from tasks, unnest(tag_ids) tag group by tag order by 2 desc',
    }),
    listOf('by creation, in visible projects', '', visible, undefined, { isViewer: true }),
    listOf(
      'a status by due date',
      'status=planned&sortBy=dueDate',
      "status = 'planned'",
      sorted('due_date nulls first'),
    ),
    listOf('by priority', 'sortBy=priority', '', sorted('priority')),
    listOf(
      'by priority, without descriptions',
      'sortBy=priority&fields=id,name,status,priority,dueDate',
      '',
      sorted('priority'),
    ),
    listOf('by project', 'sortBy=projectId', '', sorted('project_id nulls first')),
    listOf('by name', 'sortBy=name', '', sorted('name')),
    listOf('by estimate, with the sum', 'sumBy=estimate&sortBy=estimate', '', sorted('estimate nulls first')),
    listOf('an estimate of 3 or more, with the sum', 'estimate[gte]=3&sumBy=estimate', 'estimate >= 3'),
    listOf('by description', 'sortBy=description', '', sorted('left(description, 100)')),
    ...searchesOf(false),
  ];
}

const queryOf = ({ query }: List, page: number): string =>
  `${query}&sortOrder=asc&page=${page}&limit=${limit}`.replace(/^&/, '');

/** Returns the statements that count a list and read one of its pages on PostgreSQL. */
const statementsOf = ({ where, order, hasSum, counts }: List, page: number): string[] => [
  ...(counts ? [counts] : []),
  `select count(*)${hasSum ? ', sum(estimate)' : ''} from tasks${where}`,
  `select * from tasks${where} order by ${order} limit ${limit} offset ${(page - 1) * limit}`,
];

interface Row extends ListCosts {
  readonly list: string;
  /** Tasks that match. */
  readonly total: number;
  readonly postgresMs: number | undefined;
}

/** Measures the middle page of a list. */
async function measureList({ collection, functions, postgres }: ListStage, list: List): Promise<Row> {
  const { isViewer } = list;
  const { body } = await functions.list({ collection: 'tasks', query: queryOf(list, 1), isViewer });
  const { total } = body;
  if (list.where === '' && total !== collection.size)
    throw new Error(`The list "${list.name}" has ${total} of ${collection.size} tasks.`);
  const page = Math.max(1, Math.ceil(total / limit / 2));
  const request = { collection: 'tasks', query: queryOf(list, page), isViewer } as const;
  const costs = await functions.measure(request, { processes, warmRuns });
  const postgresMs = await postgres?.medianMs(statementsOf(list, page), postgresRuns);
  const row = { list: list.name, total, ...costs, postgresMs };
  console.log(...rowOf(row));
  return row;
}

/** What a list costs while others write. */
interface Load {
  readonly rate: number;
  /** Writes in a second. */
  readonly reached: number;
  readonly costs: readonly Cost[];
}

/** Asks for a list until a time, once at least. */
async function askUntil(process: ListProcess, query: string, endMs: number): Promise<Cost[]> {
  const costs: Cost[] = [];
  do {
    await delay(askIntervalMs);
    costs.push((await process.list(query)).cost);
  } while (Date.now() < endMs);
  return costs;
}

async function measureLoad(
  { store, collection }: ListStage,
  process: ListProcess,
  rate: number,
): Promise<Load> {
  const query = queryOf(loadedList(collection), 1);
  await collection.compact();
  for (let list = 0; list < settlingLists; list += 1) await process.list(query);
  const endMs = Date.now() + loadMs;
  const [written, costs] = await Promise.all([
    writeAtRate(collection, rate, endMs),
    askUntil(process, query, endMs),
    compactUntil(store, endMs),
  ]);
  const load = { rate, reached: (1_000 * written.length) / loadMs, costs };
  console.log(...loadRow(load));
  return load;
}

const loadedList = (collection: TaskCollection): List =>
  listsOf(collection).find(({ name }) => name === 'a status') as List;

interface Results {
  /** Number of tasks. */
  readonly size: number;
  readonly isOfWords: boolean;
  readonly rows: readonly Row[];
  readonly loads: readonly Load[];
  /** The version of PostgreSQL. */
  readonly version: string | undefined;
}

const costCells = ({ calls, readUnits, cpuMs }: Cost): (string | number)[] => [
  calls,
  readUnits,
  milliseconds(cpuMs),
];

const rowOf = ({ list, total, cold, first, settlingUnits, warm, postgresMs }: Row): (string | number)[] => [
  list,
  total.toLocaleString('en'),
  ...[cold, first].flatMap(costCells),
  settlingUnits,
  ...costCells(warm),
  milliseconds(warm.durationMs),
  milliseconds(postgresMs),
  Math.round(warm.residentBytes / 1e6),
];

const headOf = (state: string): string[] =>
  ['calls', 'read units', 'CPU ms'].map((figure) => `${state}: ${figure}`);
const head = [
  'list',
  'matching',
  ...headOf('cold'),
  ...headOf('first'),
  `first ${settlingLists}: read units`,
  ...headOf('warm'),
  ...['warm: ms', 'PostgreSQL: ms', 'memory, MB'],
];

const medianAndHighest = (
  costs: readonly Cost[],
  name: keyof Cost,
  shown: (value: number) => string = String,
): string => {
  const values = costs.map((cost) => cost[name]);
  return `${shown(median(values))}, ${shown(Math.max(...values))}`;
};

const loadRow = ({ rate, reached, costs }: Load): (string | number)[] => [
  rate,
  reached.toFixed(1),
  medianAndHighest(costs, 'calls'),
  medianAndHighest(costs, 'readUnits'),
  medianAndHighest(costs, 'cpuMs', milliseconds),
];

/** Names the lists that take more than twice as long as on PostgreSQL. */
function comparison(rows: readonly Row[]): string {
  const behind = rows.filter(({ warm, postgresMs = Infinity }) => warm.durationMs > 2 * postgresMs);
  if (behind.length === 0) return '';
  const named = behind.map(({ list, warm, postgresMs = 0 }) => {
    const times = (warm.durationMs / postgresMs).toFixed(1);
    return `${list} (${times} times, with ${warm.calls} ${warm.calls === 1 ? 'call' : 'calls'} to the table)`;
  });
  return `\n\nMore than twice the time of PostgreSQL: ${named.join('; ')}.`;
}

const titleOf = ({ size, isOfWords }: Results): string =>
  `${size.toLocaleString('en')} tasks${isOfWords ? ' with 300 characters of 20,000 words' : ''}`;

const ofSize = (results: Results): string =>
  `## ${titleOf(results)}\n\n${table(head, results.rows.map(rowOf))}${comparison(results.rows)}`;

/** Writes the results so far. */
function report(results: readonly Results[]): void {
  const version = results[0]?.version;
  const compared = version
    ? `\n- ${version} counts and pages over one connection, with the indexes of \`benchmarks/postgres-indexes.sql\`: medians of ${postgresRuns} runs.`
    : '';
  const loadRows = results.flatMap(({ size, loads }) =>
    loads.map((load) => [size.toLocaleString('en'), ...loadRow(load)]),
  );
  publishPage(
    'lists.md',
    `Middle pages of ${limit} tasks with the names, texts and relations of \`npx pm-api seed\`, and ${tags} of 1,000 tags each, by the deployed function \`listTasks\` in processes of its
own. Node.js ${process.versions.node}; the table is one in memory that counts units as DynamoDB does, in another process. CPU time is that of the function alone. In AWS, it has
1,769 MB, which is one core: a request takes there at least its CPU time.

- "Cold" is the first list of a new process, without the import of its code; "first" is the first list of a tenant in a process that has listed the tasks
  of another one. Both are medians of ${processes} processes.
- A process reads the entities of a page by key, until that has cost as much as their columns. "Warm" are the lists after the first ${settlingLists}:
  medians of ${processes * warmRuns}. The memory is the highest of their processes.${compared}

${results.map(ofSize).join('\n\n')}

## While others write

The first page of a status, asked for once a second by one process, for ${loadMs / 1_000} seconds with each rate. Mixed writes, as in \`npm run bench -- writes\`, change the
same collection, and compaction takes steps as in AWS. Medians, and the highest values:

${table(['tasks', 'writes in a second', 'reached', 'calls', 'read units', 'CPU ms'], loadRows)}
`,
  );
  const usual = results.filter(({ isOfWords }) => !isOfWords);
  const of = (pick: (row: Row) => number | undefined) =>
    usual.map(({ size, rows }) => {
      const row = rows.find(({ list }) => list === 'a status by due date');
      return { x: size, y: row && pick(row) };
    });
  const drawing = plot('The middle page of all tasks with a status, by due date', 'tasks', 'milliseconds', [
    { name: 'first list of a tenant', points: of(({ first }) => first.durationMs) },
    { name: 'warm list', points: of(({ warm }) => warm.durationMs) },
    { name: 'count(*) and OFFSET, PostgreSQL', points: of(({ postgresMs }) => postgresMs) },
  ]);
  publish('lists.svg', drawing);
}

/** Measures one collection. @param onResults receives the results. */
async function measureCollection(
  size: number,
  onResults: (results: Results) => void,
  form: string | undefined,
): Promise<void> {
  const isOfWords = form === 'words';
  const stage = await openListStage(size, { tags, ...(isOfWords && { describe: () => randomWords(300) }) });
  const rows: Row[] = [];
  const lists = isOfWords ? searchesOf(true) : listsOf(stage.collection);
  for (const list of lists) rows.push(await measureList(stage, list));
  const loads: Load[] = [];
  const process = await stage.functions.start({ collection: 'tasks' });
  for (const rate of isOfWords ? [] : rates) loads.push(await measureLoad(stage, process, rate));
  await process.stop();
  onResults({ size, isOfWords, rows, loads, version: stage.postgres?.version });
  await stage.stop();
}

await measureEachSize('lists', measureCollection, report);
