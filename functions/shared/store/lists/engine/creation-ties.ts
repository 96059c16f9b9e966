/**
 * Ties in the order of creation: rows of the same millisecond, which other fields or the direction of ids decide. A page is selected in the
 * order of ids first. Then the rows of each millisecond with ties are listed again, in the order of ids and in that of these fields.
 */
import { firstIdAt, timestampMs } from '../../model/ids.ts';
import { allIds, intersectRanges, unionRanges } from './id-ranges.ts';
import type { RowQuery } from './row-query.ts';

interface Identified {
  readonly id: string;
}

/** Rows of one millisecond, next to each other on a page. */
interface Moment<Row> {
  readonly timeMs: number;
  readonly rows: Row[];
}

function momentsOf<Row extends Identified>(rows: readonly Row[]): Moment<Row>[] {
  const moments: Moment<Row>[] = [];
  for (const row of rows) {
    const timeMs = timestampMs(row.id);
    const last = moments.at(-1);
    if (last?.timeMs === timeMs) last.rows.push(row);
    else moments.push({ timeMs, rows: [row] });
  }
  return moments;
}

type ReadRows<Row> = (query: RowQuery) => Promise<{ readonly rows: readonly Row[]; readonly total: number }>;

/** Returns the query of the rows of a list that were created in a millisecond. */
const rowsOfMoment = (
  { ids = [allIds], filters, orders, isDescending }: RowQuery,
  timeMs: number,
): RowQuery => ({
  filters,
  ids: intersectRanges(ids, unionRanges([{ from: firstIdAt(timeMs), to: firstIdAt(timeMs + 1) }])),
  orders,
  isDescending,
  skip: 0,
  limit: 0,
  countBy: [],
});

/**
 * Returns the rows of a page in their order.
 * @param rows of the page, in the order of ids where the orders of the query are equal.
 */
export async function orderTies<Row extends Identified>(
  query: RowQuery,
  rows: readonly Row[],
  readRows: ReadRows<Row>,
): Promise<Row[]> {
  const { ties } = query;
  if (!ties) return [...rows];
  const moments = momentsOf(rows);
  const ordered: Row[] = [];
  for (const [position, { timeMs, rows: own }] of moments.entries()) {
    // Beyond the edges of a page, there can be further rows of the same millisecond.
    const isAtEdge = position === 0 || position === moments.length - 1;
    const created = rowsOfMoment(query, timeMs);
    const limit = isAtEdge || own.length > 1 ? (await readRows(created)).total : 1;
    if (limit === 1) {
      ordered.push(...own);
      continue;
    }
    const byId = await readRows({ ...created, limit });
    const orders = [...query.orders, ...ties.orders];
    const byTies = await readRows({ ...created, orders, isDescending: ties.isDescending, limit });
    // Rows that are equal in the orders of the query have the same places in both.
    const places = new Map(byId.rows.map(({ id }, place) => [id, place]));
    ordered.push(...own.map((row) => byTies.rows[places.get(row.id) ?? -1] ?? row));
  }
  return ordered;
}
