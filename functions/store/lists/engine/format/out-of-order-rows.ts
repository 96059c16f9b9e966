/**
 * Out-of-order rows: their ids are among those of a segment that was written before they arrived. They wait in items of their own until they are
 * worth that the segment is written again. A newer item replaces rows of older ones.
 */
import type { LogEntry } from '../../../model/log-entry.ts';
import { decodeContents, encodeContents } from '../../../model/record-codec.ts';
import { type ItemName, maxItemBytes, type OutOfOrderItem, outOfOrderName, type StepId } from './manifest.ts';

/** An out-of-order row: the whole row and its version, or without a row that it is gone. */
export type OutOfOrderRow = Pick<LogEntry, 'id' | 'version' | 'after'>;

/** Times are encoded as differences from this one. */
const baseMs = 0;

export const encodeRows = (rows: readonly OutOfOrderRow[]): Buffer => {
  const entries = rows.map(
    ({ id, version, after }): LogEntry => ({ id, version, previousPosition: 0, after }),
  );
  return encodeContents({ entries }, baseMs);
};

export const decodeRows = (encoded: Uint8Array): readonly OutOfOrderRow[] =>
  decodeContents(encoded, baseMs).entries;

/** Bytes of a row in memory, about. */
const rowBytes = 1_000;

export const bytesOfRows = (rows: readonly OutOfOrderRow[]): number => rowBytes * rows.length;

/** Items of out-of-order rows, and the contents of those that are new. */
export interface OutOfOrderItems {
  readonly outOfOrder: readonly OutOfOrderItem[];
  readonly items: ReadonlyMap<ItemName, Uint8Array>;
}

/** The share of an item up to which the items of steps are joined. */
const joinedShare = 3 / 4;

/** Rows of items for each row that waits, at most: the others are gone, or older versions. */
const maxRowsOfOne = 2;

/**
 * Returns the number of the first items that stay. Newer rows are joined with items of at most as many rows, so a row is written O(log n) times.
 * @param waiting number of rows that wait now.
 */
function countKept(items: readonly OutOfOrderItem[], added: number, waiting: number): number {
  const all = items.reduce((sum, item) => sum + item.rows, added);
  if (all > maxRowsOfOne * waiting) return 0;
  let kept = items.length;
  let rows = added;
  let bytes = 0;
  for (; kept > 0; kept -= 1) {
    const item = items[kept - 1] as OutOfOrderItem;
    bytes += item.bytes;
    if (item.rows > rows || bytes > joinedShare * maxItemBytes) return kept;
    rows += item.rows;
  }
  return kept;
}

/** Returns parts of rows of which each is one item. */
function divideRows(rows: readonly OutOfOrderRow[]): { rows: readonly OutOfOrderRow[]; encoded: Buffer }[] {
  if (rows.length === 0) return [];
  const encoded = encodeRows(rows);
  if (encoded.length <= maxItemBytes || rows.length === 1) return [{ rows, encoded }];
  const half = rows.length >> 1;
  return [...divideRows(rows.slice(0, half)), ...divideRows(rows.slice(half))];
}

/**
 * Adds rows to those that wait.
 * @param before the items of the manifest, the oldest first.
 * @param rowsOf returns the rows of such an item.
 * @param added new rows, new versions of others, and those that do not wait any more.
 * @param waiting number of rows that wait then.
 */
export function addOutOfOrder(
  before: readonly OutOfOrderItem[],
  rowsOf: (item: OutOfOrderItem) => readonly OutOfOrderRow[],
  { added, waiting }: { readonly added: readonly OutOfOrderRow[]; readonly waiting: number },
  step: StepId,
): OutOfOrderItems {
  if (added.length === 0) return { outOfOrder: before, items: new Map() };
  const kept = countKept(before, added.length, waiting);
  const joined = new Map([...before.slice(kept).flatMap(rowsOf), ...added].map((row) => [row.id, row]));
  // An older item can have a row that is gone.
  const rows = [...joined.values()].filter(({ after }) => after !== undefined || kept > 0);
  const parts = divideRows(rows);
  const named = parts.map(({ rows: own, encoded }, number) => {
    const name = outOfOrderName(step, number);
    return { item: { name, rows: own.length, bytes: encoded.length }, encoded };
  });
  return {
    outOfOrder: [...before.slice(0, kept), ...named.map(({ item }) => item)],
    items: new Map(named.map(({ item, encoded }) => [item.name, encoded])),
  };
}
