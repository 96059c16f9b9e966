/**
 * `npm run bench -- deleted`: measures what the rows of deleted tasks cost the lists of 10,000 others, by the deployed function in processes of its own. Writes
 * `benchmarks/results/deleted.md`.
 *
 * `npm run bench -- deleted --sizes 10000,20000` measures other numbers of all tasks.
 */
import { measureEachSize } from './each-size.ts';
import { usualOrSmallest } from './form.ts';
import { type ListCosts, settlingLists } from './list-process.ts';
import { openListStage } from './list-stage.ts';
import { milliseconds, publishPage, table } from './report.ts';
import type { TaskCollection } from './task-collection.ts';

/** Tasks that exist. */
const existing = usualOrSmallest(10_000, 150);

const limit = 20;
const processes = usualOrSmallest(3, 1);
const warmRuns = usualOrSmallest(15, 2);

interface Row extends ListCosts {
  readonly list: string;
}

interface Results {
  readonly size: number;
  readonly rows: readonly Row[];
}

/** Returns the queries of lists by their names. */
const listsOf = ({ frequent: { project, tag } }: TaskCollection): Readonly<Record<string, string>> => ({
  'by creation': 'sortBy=createdAt',
  'a status': 'status=planned&sortBy=createdAt',
  'a project': `projectId=${project}&sortBy=createdAt`,
  'a tag': `tagIds=${tag}&sortBy=createdAt`,
  'a status by due date': 'status=planned&sortBy=dueDate',
  'by priority': 'sortBy=priority',
  'by name': 'sortBy=name',
  'by estimate, with the sum': 'sumBy=estimate&sortBy=estimate',
  'counts of statuses': 'countBy=status&sortBy=createdAt',
  'the most frequent word': 'search=the&sortBy=createdAt',
});

async function measure(size: number, report: (results: Results) => void): Promise<void> {
  const deleted = size - existing;
  const stage = await openListStage(size, { deleted });
  const { functions, collection } = stage;
  const rows: Row[] = [];
  for (const [list, query] of Object.entries(listsOf(collection))) {
    const request = { collection: 'tasks', query: `${query}&limit=${limit}&page=3` } as const;
    const { total } = (await functions.list(request)).body;
    if (list === 'by creation' && total !== existing)
      throw new Error(`There are ${total} tasks, not ${existing}.`);
    rows.push({ list, ...(await functions.measure(request, { processes, warmRuns })) });
  }
  report({ size, rows });
  await stage.stop();
}

const percent = (size: number): string => `${Math.round((100 * (size - existing)) / existing)} %`;

/** Returns a figure with its ratio to that without deleted tasks. */
const withRatio = (value: number, base: number | undefined): string =>
  base === undefined || base === 0
    ? milliseconds(value)
    : `${milliseconds(value)} (${(value / base).toFixed(2)})`;

function rowsOf(results: readonly Results[]): (string | number)[][] {
  const [base] = results;
  return results.flatMap(({ size, rows }) =>
    rows.map(({ list, cold, settlingUnits, warm }, place) => [
      list,
      percent(size),
      cold.calls,
      cold.readUnits,
      milliseconds(cold.cpuMs),
      settlingUnits,
      warm.calls,
      warm.readUnits,
      withRatio(warm.cpuMs, base?.rows[place]?.warm.cpuMs),
    ]),
  );
}

const head = [
  'list',
  'deleted',
  ...['cold: calls', 'cold: read units', 'cold: CPU ms'],
  `first ${settlingLists}: read units`,
  ...['warm: calls', 'warm: read units', 'warm: CPU ms'],
];

function publishAll(results: readonly Results[]): void {
  publishPage(
    'deleted.md',
    `Third pages of ${limit} tasks, of ${existing.toLocaleString('en')} that exist beside deleted ones, which can be restored. "Deleted" is their number as a share of the others. They were created
among them, and deleted today. The rest is as in \`npm run bench -- lists\`; in brackets is the ratio to the same list without deleted tasks. Warm figures are medians of
${processes * warmRuns} lists.

${table(head, rowsOf(results))}
`,
  );
}

// Beside no deleted tasks, a tenth of the others, as many, and ten times as many.
await measureEachSize('deleted', measure, publishAll, '10000,11000,20000,110000');
