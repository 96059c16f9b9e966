import { deletedAtOf, notDeleted } from '../../model/deletion.ts';
import { hasTextItem } from '../../model/long-text.ts';
import type { Value } from '../../model/row.ts';
import { haveSameTexts, wordsField } from '../../model/words.ts';
import { weekOf } from '../format/deleted-rows.ts';
import { versionField, versionText } from '../format/manifest.ts';
import type { RowChange } from '../merge-records.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import { withErasedRows } from '../read/erased-rows.ts';
import { type LocatedRow, loadPlaces, locateRow } from '../read/locate-rows.ts';
import { rowsAfter, toValues } from './row-block.ts';

/** New values of a row that a segment has. */
export interface RowUpdate {
  readonly row: number;
  /** The week of the deletion that the row had before, and that of the one that it has now; absent when it exists. */
  readonly weeks: { readonly removed?: number; readonly added?: number };
  readonly values: ReadonlyMap<string, Value | undefined>;
}

function updateOf({ to, before = {}, after }: RowChange, { row, isDeleted }: LocatedRow): RowUpdate {
  const deletion = after ? deletedAtOf(after) : undefined;
  const weeks = {
    ...(isDeleted && { removed: weekOf(deletedAtOf(before)) }),
    ...(deletion !== null && { added: weekOf(deletion) }),
  };
  const version = versionText(to, deletion !== null, hasTextItem(after ?? {}));
  const values = new Map<string, Value | undefined>([[versionField, version]]);
  // A change after a restore does not say that the entity is not deleted, and neither does an erasure.
  if (isDeleted && !deletion)
    for (const [field, value] of Object.entries(notDeleted)) values.set(field, value);
  if (!after) return { row, weeks, values };
  const { [wordsField]: words, ...fields } = toValues(after);
  for (const field of Object.keys(fields))
    if (after[field] !== before[field]) values.set(field, after[field]);
  // A record of a changed text has its words. The text can be the one before again: then a rebuild may have seen another one between.
  if (after[wordsField] !== undefined || !haveSameTexts(before, after)) values.set(wordsField, words);
  return { row, weeks, values };
}

/**
 * Returns what changes mean for the rows. Each record is absorbed once, in the order of positions, so the columns have the row before each change.
 * @param changes of rows that do not wait.
 * @returns the updates by the position of the segment, and the rows that no segment has.
 */
export async function locateChanges(
  columnReader: ColumnReader,
  changes: readonly RowChange[],
  nowMs: number,
) {
  const unlocated: RowChange[] = [];
  const updates = new Map<number, RowUpdate[]>();
  await loadPlaces(columnReader, changes);
  for (const change of await withErasedRows(columnReader, changes)) {
    const located = locateRow(columnReader, change.id);
    if (!located) {
      unlocated.push(change);
      continue;
    }
    const ofSegment = updates.get(located.position) ?? [];
    updates.set(located.position, ofSegment);
    ofSegment.push(updateOf(change, located));
  }
  return { updates, inserts: rowsAfter(unlocated, nowMs) };
}
