/** Finds the rows that changes are about. */
import type { Value } from '../../model/row.ts';
import { haveSameTexts, wordsField } from '../../model/words.ts';
import { deletedVersion, versionField } from '../format/manifest.ts';
import type { RowChange } from '../merge-records.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import { type LocatedRow, loadPlaces, locateRow } from '../read/locate-rows.ts';
import { rowsAfter, type SegmentRow, toValues } from './row-block.ts';

/** New values of a row that a segment has. */
export interface RowUpdate {
  readonly row: number;
  /** What the update adds to the number of deleted rows: 1 if it deletes the row, and -1 if it restores it. */
  readonly deleted: -1 | 0 | 1;
  readonly values: ReadonlyMap<string, Value | undefined>;
}

/** What changes mean for the rows of a manifest. */
interface LocatedChanges {
  /** By the position of the segment. */
  readonly updates: ReadonlyMap<number, readonly RowUpdate[]>;
  /** Rows that no segment has. */
  readonly inserts: readonly SegmentRow[];
}

function updateOf({ to, before = {}, after }: RowChange, { row, isDeleted }: LocatedRow): RowUpdate {
  if (!after) {
    const values = new Map([[versionField, deletedVersion(to)]]);
    return { row, deleted: isDeleted ? 0 : 1, values };
  }
  const values = new Map<string, Value | undefined>([[versionField, String(to)]]);
  const { [wordsField]: words, ...fields } = toValues(after);
  for (const field of Object.keys(fields))
    if (after[field] !== before[field]) values.set(field, after[field]);
  if (!haveSameTexts(before, after)) values.set(wordsField, words);
  return { row, deleted: isDeleted ? -1 : 0, values };
}

/**
 * Returns what changes mean for the rows. Each record is absorbed once, in the order of positions, so the columns have the row before each change.
 * @param changes of rows that do not wait.
 */
export async function locateChanges(
  columnReader: ColumnReader,
  changes: readonly RowChange[],
): Promise<LocatedChanges> {
  const unlocated: RowChange[] = [];
  const updates = new Map<number, RowUpdate[]>();
  await loadPlaces(columnReader, changes);
  for (const change of changes) {
    const located = locateRow(columnReader, change.id);
    if (!located) {
      unlocated.push(change);
      continue;
    }
    const ofSegment = updates.get(located.position) ?? [];
    updates.set(located.position, ofSegment);
    ofSegment.push(updateOf(change, located));
  }
  return { updates, inserts: rowsAfter(unlocated) };
}
