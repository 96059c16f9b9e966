/** The report of the lists: a page of medians, and a file with all figures. */
import type { ProcessCost } from './list-function.ts';
import type { MeasuredCost } from './list-request.ts';
import { median, milliseconds, table } from './report.ts';

/** What a page of a list costs. */
export interface ListCost {
  /** Number of tasks. */
  readonly size: number;
  readonly list: string;
  readonly page: 'first' | 'middle';
  /** Records that compaction has not absorbed. */
  readonly pending: number;
  /** Tasks that match. */
  readonly total: number;
  readonly cold: MeasuredCost;
  readonly warm: MeasuredCost;
  readonly postgresMs?: number | undefined;
  /** Measured for middle pages without pending records only. */
  readonly process?: ProcessCost | undefined;
}

/** What a warm list costs when nobody writes, and while others write. */
export interface LoadCost {
  /** Number of tasks. */
  readonly size: number;
  /** Writes in a second. */
  readonly perSecond: number;
  /** Read units of each request. */
  readonly quiet: readonly number[];
  readonly busy: readonly number[];
}

const number = (value: number): string => value.toLocaleString('en');

const sizesOf = (costs: readonly ListCost[]): number[] => [...new Set(costs.map(({ size }) => size))];

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);

/** Returns the table of the middle pages without pending records. */
const middlePages = (costs: readonly ListCost[]): string =>
  table(
    [
      'list',
      'cold: read units',
      'ms',
      'warm: read units',
      'ms',
      'PostgreSQL: ms',
      'function, first request: CPU ms',
      'next requests: CPU ms',
      'memory, MB',
    ],
    costs
      .filter(({ page, pending }) => page === 'middle' && pending === 0)
      .map(({ list, cold, warm, postgresMs, process }) => [
        list,
        cold.readUnits,
        milliseconds(cold.durationMs),
        warm.readUnits,
        milliseconds(warm.durationMs),
        milliseconds(postgresMs),
        milliseconds(process?.firstMs),
        milliseconds(process?.nextMs),
        process ? megabytes(process.residentBytes) : '',
      ]),
  );

/** Returns the table of the medians over all lists and pages, by the number of pending records. */
function pendingTable(costs: readonly ListCost[]): string {
  const amounts = [...new Set(costs.map(({ pending }) => pending))];
  const groups = sizesOf(costs).flatMap((size) => amounts.map((pending) => ({ size, pending })));
  return table(
    ['tasks', 'pending records', 'cold: read units', 'ms', 'warm: read units', 'ms'],
    groups.flatMap(({ size, pending }) => {
      const group = costs.filter((cost) => cost.size === size && cost.pending === pending);
      // A report is written after each amount of pending records.
      if (group.length === 0) return [];
      return [
        [
          number(size),
          number(pending),
          median(group.map(({ cold }) => cold.readUnits)),
          milliseconds(median(group.map(({ cold }) => cold.durationMs))),
          median(group.map(({ warm }) => warm.readUnits)),
          milliseconds(median(group.map(({ warm }) => warm.durationMs))),
        ],
      ];
    }),
  );
}

const medianAndHighest = (units: readonly number[]): string => `${median(units)}, ${Math.max(...units)}`;

/** Returns the section about lists while others write; nothing while it is not measured. */
const loadSection = (loads: readonly LoadCost[]): string =>
  loads.length === 0
    ? ''
    : `
## While others write

Read units of a request, median and highest:

${table(
  ['tasks', 'writes in a second, reached', 'nobody writes', 'while others write'],
  loads.map(({ size, perSecond, quiet, busy }) => [
    number(size),
    perSecond.toFixed(1),
    medianAndHighest(quiet),
    medianAndHighest(busy),
  ]),
)}
`;

/** Returns the page. @param introduction says what was measured and how. */
export const listPage = (
  costs: readonly ListCost[],
  introduction: string,
  loads: readonly LoadCost[],
): string => `${introduction}

${sizesOf(costs)
  .map((size) => `## ${number(size)} tasks\n\n${middlePages(costs.filter((cost) => cost.size === size))}`)
  .join('\n\n')}

## Pending records

Medians over all lists, of their first and middle pages:

${pendingTable(costs)}
${loadSection(loads)}`;

const figures = ['readUnits', 'durationMs', 'calls', 'bytes'] as const;
const statistics = ['min', 'median', 'p99', 'max'] as const;
const states = ['cold', 'warm'] as const;

/** Returns a number of a CSV file, with at most three decimals. Nothing was measured when it is absent. */
const csvNumber = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toFixed(3)));

/** The names of the columns for the costs of one state. */
const costColumns = (state: string): string[] =>
  figures.flatMap((figure) => statistics.map((statistic) => `${state}_${figure}_${statistic}`));

const costCells = ({ spread }: MeasuredCost): string[] =>
  figures.flatMap((figure) => statistics.map((statistic) => csvNumber(spread[figure][statistic])));

/** Returns all figures as CSV, with a line for each page of a list. @param commit names the code that was measured. */
export function listData(commit: string, costs: readonly ListCost[]): string {
  const head = [
    ...['commit', 'tasks', 'list', 'page', 'pending_records', 'matching'],
    ...states.flatMap(costColumns),
    ...['postgres_ms', 'function_first_cpu_ms', 'function_next_cpu_ms', 'function_memory_bytes'],
  ];
  const lines = costs.map((cost) => [
    commit,
    ...[cost.size, cost.list, cost.page, cost.pending, cost.total],
    ...states.flatMap((state) => costCells(cost[state])),
    csvNumber(cost.postgresMs),
    csvNumber(cost.process?.firstMs),
    csvNumber(cost.process?.nextMs),
    csvNumber(cost.process?.residentBytes),
  ]);
  return `${[head, ...lines].map((cells) => cells.join(',')).join('\n')}\n`;
}
