/** Rows that are about to be written: the values of all of them by field, as columns have them. */
import { deletedAtOf, rowOfDeletion } from '../../model/deletion.ts';
import { hasTextItem } from '../../model/long-text.ts';
import type { Row, Value } from '../../model/row.ts';
import { rowWords, wordsField } from '../../model/words.ts';
import { isKept } from '../format/deleted-rows.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import { versionField, versionText } from '../format/manifest.ts';
import type { RowChange } from '../merge-records.ts';

export interface SegmentRow {
  readonly id: string;
  readonly version: number;
  readonly values: Readonly<Record<string, Value | undefined>>;
}

/** Returns a row as columns have it: with all of its words. */
export const toValues = (row: Row): Row => ({ ...row, [wordsField]: rowWords(row) ?? null });

/** Returns whether the columns keep a row: its entity exists, or can be restored. */
const isKeptRow = (row: Row, nowMs: number): boolean => {
  const deletedAt = deletedAtOf(row);
  return deletedAt === null || isKept(deletedAt, nowMs);
};

export const rowsAfter = (changes: readonly RowChange[], nowMs: number): SegmentRow[] =>
  changes.flatMap(({ id, to: version, after }) =>
    after && isKeptRow(after, nowMs) ? [{ id, version, values: toValues(after) }] : [],
  );

export interface RowBlock {
  readonly ids: readonly string[];
  /** By field, versions included: the values in the order of the ids. */
  readonly columns: ReadonlyMap<string, readonly ColumnValue[]>;
}

export function blockOf(rows: readonly SegmentRow[]): RowBlock {
  const fields = new Set(rows.flatMap(({ values }) => Object.keys(values)));
  const columns = new Map<string, readonly ColumnValue[]>();
  for (const field of fields)
    columns.set(
      field,
      rows.map(({ values }) => values[field]),
    );
  columns.set(
    versionField,
    rows.map(({ version, values }) =>
      versionText(version, Boolean(values[rowOfDeletion.deletedAt]), hasTextItem(values)),
    ),
  );
  return { ids: rows.map(({ id }) => id), columns };
}

export const pickRows = ({ ids, columns }: RowBlock, positions: readonly number[]): RowBlock => ({
  ids: positions.map((position) => ids[position] as string),
  columns: new Map(
    [...columns].map(([field, values]) => [field, positions.map((position) => values[position])]),
  ),
});

export const sliceRows = ({ ids, columns }: RowBlock, from: number, to: number): RowBlock => ({
  ids: ids.slice(from, to),
  columns: new Map([...columns].map(([field, values]) => [field, values.slice(from, to)])),
});

/** Returns the rows of several blocks. A field that one of them lacks is absent in its rows. */
export function joinBlocks(blocks: readonly RowBlock[]): RowBlock {
  const fields = new Set(blocks.flatMap(({ columns }) => [...columns.keys()]));
  const columns = new Map<string, readonly ColumnValue[]>();
  for (const field of fields) {
    const values = blocks.map(
      (block) => block.columns.get(field) ?? Array<ColumnValue>(block.ids.length).fill(undefined),
    );
    columns.set(field, values.flat());
  }
  return { ids: blocks.flatMap(({ ids }) => ids), columns };
}

export function sortRows(block: RowBlock): RowBlock {
  const { ids } = block;
  const positions = Array.from(ids, (_, position) => position);
  positions.sort((one, other) => ((ids[one] as string) < (ids[other] as string) ? -1 : 1));
  return pickRows(block, positions);
}
