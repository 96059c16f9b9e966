/**
 * Waiting rows: those that no segment has yet. They wait in items of their own until they are enough for a segment, or worth that the segment among whose
 * ids they are is written again. A newer item replaces rows of older ones.
 */
import { deflateRawSync } from 'node:zlib';
import { inflate } from '../../model/inflate.ts';
import type { LogEntry } from '../../model/log-entry.ts';
import { decodeEntries, encodeEntries } from '../../model/record-codec.ts';
import { type ItemName, maxItemBytes, type StepId, type WaitingItem, waitingName } from './manifest.ts';

/** A waiting row: the whole row and its version, or without a row that it is gone. */
export type WaitingRow = Pick<LogEntry, 'id' | 'version' | 'after'>;

/** Times are encoded as differences from this one. */
const baseMs = 0;

const encodeRows = (rows: readonly WaitingRow[]): Buffer => {
  const entries = rows.map(
    ({ id, version, after }): LogEntry => ({ id, version, previousPosition: 0, after }),
  );
  return deflateRawSync(encodeEntries(entries, baseMs));
};

export const decodeRows = (encoded: Uint8Array): readonly WaitingRow[] =>
  decodeEntries(inflate(encoded), baseMs);

/** Bytes of a row in memory, about. */
const rowBytes = 1_000;

export const bytesOfRows = (rows: readonly WaitingRow[]): number => rowBytes * rows.length;

/** Items of waiting rows, and the contents of those that are new. */
interface WaitingItems {
  readonly waiting: readonly WaitingItem[];
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
function countKept(items: readonly WaitingItem[], added: number, waiting: number): number {
  const all = items.reduce((sum, item) => sum + item.rows, added);
  if (all > maxRowsOfOne * waiting) return 0;
  let kept = items.length;
  let rows = added;
  let bytes = 0;
  for (; kept > 0; kept -= 1) {
    const item = items[kept - 1] as WaitingItem;
    bytes += item.bytes;
    if (item.rows > rows || bytes > joinedShare * maxItemBytes) return kept;
    rows += item.rows;
  }
  return kept;
}

/** Returns parts of rows of which each is one item. */
function divideRows(rows: readonly WaitingRow[]): { rows: readonly WaitingRow[]; encoded: Buffer }[] {
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
export function addWaiting(
  before: readonly WaitingItem[],
  rowsOf: (item: WaitingItem) => readonly WaitingRow[],
  { added, waiting }: { readonly added: readonly WaitingRow[]; readonly waiting: number },
  step: StepId,
): WaitingItems {
  if (added.length === 0) return { waiting: before, items: new Map() };
  const kept = countKept(before, added.length, waiting);
  const joined = new Map([...before.slice(kept).flatMap(rowsOf), ...added].map((row) => [row.id, row]));
  // An older item can have a row that is gone.
  const rows = [...joined.values()].filter(({ after }) => after !== undefined || kept > 0);
  const parts = divideRows(rows);
  const named = parts.map(({ rows: own, encoded }, number) => {
    const name = waitingName(step, number);
    return { item: { name, rows: own.length, bytes: encoded.length }, encoded };
  });
  return {
    waiting: [...before.slice(0, kept), ...named.map(({ item }) => item)],
    items: new Map(named.map(({ item, encoded }) => [item.name, encoded])),
  };
}
