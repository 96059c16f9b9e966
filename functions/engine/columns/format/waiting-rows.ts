/**
 * Waiting rows: those that no segment has yet. They wait in items of their own until they are enough for a segment, or worth that the segment among whose
 * ids they are is written again. A newer item replaces rows of older ones.
 */
import { deflate, inflate } from '../../model/deflate.ts';
import { deletedAtOf } from '../../model/deletion.ts';
import { decodeEntries, encodeEntries, type LogEntry } from '../../model/record-codec.ts';
import { isCut, withoutWords, wordsField } from '../../model/words.ts';
import { changeDeleted, weekOf } from './deleted-rows.ts';
import { bytesOfValue } from './dictionary.ts';
import {
  type ItemName,
  maxItemBytes,
  type StepId,
  type WaitingItem,
  waitingName,
  wordsOfWaiting,
} from './manifest.ts';

/** A waiting row: the whole row and its version, or without a row that it is gone. */
export type WaitingRow = Pick<LogEntry, 'id' | 'version' | 'after'>;

/** Times are encoded as differences from this one. */
const baseMs = 0;

const encodeRows = (rows: readonly WaitingRow[]): Buffer => {
  const entries = rows.map(
    ({ id, version, after }): LogEntry => ({ id, version, previousPosition: 0, after }),
  );
  return deflate(encodeEntries(entries, baseMs));
};

export const decodeRows = (encoded: Uint8Array): readonly WaitingRow[] =>
  decodeEntries(inflate(encoded), baseMs);

/** Bytes of a row in memory without its words, about. */
const rowBytes = 1_000;

export const bytesOfRows = (rows: readonly WaitingRow[]): number =>
  rows.reduce((bytes, { after }) => bytes + rowBytes + bytesOfValue(after?.[wordsField]), 0);

/** The share of an item up to which the items of steps are joined. */
const joinedShare = 3 / 4;

/**
 * Returns the number of the first items that stay. Newer rows are joined with items of at most as many rows, so a row is written O(log n) times.
 * @param waiting number of rows that wait now.
 */
function countKept(
  items: readonly WaitingItem[],
  added: number,
  { waiting, maxRowsOfOne }: { readonly waiting: number; readonly maxRowsOfOne: number },
): number {
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

/** Rows that one item has, and the words that they do not show, which another one has: few lists need them. */
interface EncodedRows {
  readonly rows: readonly WaitingRow[];
  readonly encoded: Buffer;
  readonly words: Buffer | undefined;
}

function deletedRows(rows: readonly WaitingRow[]): Pick<WaitingItem, 'deleted'> {
  const times = rows.map(({ after }) => after && deletedAtOf(after));
  const added = times.flatMap((time) => (time === null ? [] : [weekOf(time)]));
  return added.length === 0 ? {} : { deleted: changeDeleted({}, { added }) };
}

const hiddenWords = ({ after, ...row }: WaitingRow): WaitingRow[] =>
  after && isCut(after) ? [{ ...row, after: { [wordsField]: after[wordsField] ?? null } }] : [];

/** Returns rows with their words. @param words those that rows do not show. */
export function joinWords(rows: readonly WaitingRow[], words: readonly WaitingRow[]): readonly WaitingRow[] {
  const byId = new Map(words.map(({ id, after }) => [id, after]));
  return rows.map(({ after, ...row }) => ({ ...row, after: after && { ...after, ...byId.get(row.id) } }));
}

/** Returns parts of rows of which each is one item. */
function divideRows(rows: readonly WaitingRow[]): EncodedRows[] {
  if (rows.length === 0) return [];
  const encoded = encodeRows(
    rows.map(({ after, ...row }) => ({ ...row, after: after && withoutWords(after) })),
  );
  const hidden = rows.flatMap(hiddenWords);
  const words = hidden.length > 0 ? encodeRows(hidden) : undefined;
  if (Math.max(encoded.length, words?.length ?? 0) <= maxItemBytes || rows.length === 1)
    return [{ rows, encoded, words }];
  const half = rows.length >> 1;
  return [...divideRows(rows.slice(0, half)), ...divideRows(rows.slice(half))];
}

interface AddedRows {
  /** New rows, new versions of others, and those that do not wait any more. */
  readonly added: readonly WaitingRow[];
  /** Number of rows that wait then. */
  readonly waiting: number;
  readonly maxRowsOfOne: number;
}

/**
 * Adds rows to those that wait.
 * @param before the items of the manifest, the oldest first.
 * @param rowsOf returns the rows of such an item.
 * @returns all items, and the contents of those that are new.
 */
export function addWaiting(
  before: readonly WaitingItem[],
  rowsOf: (item: WaitingItem) => readonly WaitingRow[],
  { added, ...numbers }: AddedRows,
  step: StepId,
) {
  const kept = countKept(before, added.length, numbers);
  if (added.length === 0 && kept === before.length)
    return { waiting: before, items: new Map<ItemName, Uint8Array>() };
  const joined = new Map([...before.slice(kept).flatMap(rowsOf), ...added].map((row) => [row.id, row]));
  // An older item can have a row that is gone.
  const rows = [...joined.values()].filter(({ after }) => after !== undefined || kept > 0);
  const parts = divideRows(rows);
  const items = new Map<ItemName, Uint8Array>();
  const written = parts.map(({ rows: own, encoded, words }, number): WaitingItem => {
    const name = waitingName(step, number);
    items.set(name, encoded);
    if (words) items.set(wordsOfWaiting(name), words);
    return {
      name,
      rows: own.length,
      bytes: encoded.length,
      ...deletedRows(own),
      ...(words && { hasWords: true }),
    };
  });
  return { waiting: [...before.slice(0, kept), ...written], items };
}
