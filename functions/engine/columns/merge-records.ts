import type { LogRecord } from '../model/change-log.ts';
import type { LogEntry } from '../model/record-codec.ts';
import type { Row } from '../model/row.ts';
import { haveSameTexts, wordsField } from '../model/words.ts';
import type { WaitingRow } from './format/waiting-rows.ts';

/** All changes of one entity in a part of the log, as one. */
export interface RowChange {
  readonly id: string;
  /** The version before the first change; 0 if it created the entity. */
  readonly from: number;
  /** The version after the last change. */
  readonly to: number;
  /** The row before the first change, if the entity existed. */
  readonly before: Row | undefined;
  /** The row after the last change, if the entity still exists. */
  readonly after: Row | undefined;
}

/** Returns a row with the words of another one, which it lacks when its change was not one of texts. */
const withWordsOf = (other: Row | undefined, row: Row | undefined): Row | undefined =>
  row && other?.[wordsField] !== undefined && row[wordsField] === undefined && haveSameTexts(other, row)
    ? { ...row, [wordsField]: other[wordsField] }
    : row;

function mergeEntry(merged: RowChange | undefined, { id, version, before, after }: LogEntry): RowChange {
  const isFirst = !merged || version <= merged.from;
  const isLast = !merged || version > merged.to;
  return {
    id,
    ...(isFirst ? { from: version - 1, before } : { from: merged.from, before: merged.before }),
    ...(isLast
      ? { to: version, after: withWordsOf(merged?.after, after) }
      : { to: merged.to, after: withWordsOf(after, merged.after) }),
  };
}

/**
 * Merges the entries of records by entity: the row before the lowest version and the row after the highest one. The order of the
 * records does not matter.
 */
export function mergeRecords(
  records: readonly LogRecord[],
  earlier: ReadonlyMap<string, RowChange> = new Map(),
): Map<string, RowChange> {
  const changes = new Map(earlier);
  for (const { entries } of records) {
    for (const entry of entries) changes.set(entry.id, mergeEntry(changes.get(entry.id), entry));
  }
  return changes;
}

/** Bytes of the change of a waiting row in memory beside the decoded item, which has its values. */
const changeBytes = 100;

export const bytesOfChanges = ({ size }: ReadonlyMap<string, RowChange>): number => changeBytes * size;

/** Returns waiting rows as the changes that created them, by id: no column has them. @param items their rows, the oldest item first. */
export function toChanges(items: readonly (readonly WaitingRow[])[]): Map<string, RowChange> {
  const changes = new Map<string, RowChange>();
  for (const { id, version, after } of items.flat()) {
    if (after) changes.set(id, { id, from: 0, to: version, before: undefined, after });
    else changes.delete(id);
  }
  return changes;
}
