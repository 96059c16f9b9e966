/**
 * The words of pending changes, for search. The record of a change of texts has them. A row whose texts have not changed has those that the columns have: it is
 * looked up there, unless what it shows decides already.
 */
import type { Row } from '../../model/row.ts';
import { hasWord, rowWords, visibleWords, wordsField } from '../../model/words.ts';
import type { RowChange } from '../merge-records.ts';
import type { ColumnReader } from './column-reader.ts';
import { loadPlaces, locateRow } from './locate-rows.ts';
import { isWordFilter, type RowFilter, wordsOfFilter } from './row-filter.ts';

/** Returns the words that a row is known to have. @param isFound whether the columns have a word that begins with a text, for its entity. */
const knownWords = (
  row: Row,
  beginnings: readonly string[],
  isFound: (beginning: string) => boolean,
): string => rowWords(row) ?? [...visibleWords(row), ...beginnings.filter(isFound)].join(' ');

/** Returns changes whose rows have the words that decide whether filters accept them. */
export async function withSearchedWords(
  columnReader: ColumnReader,
  changes: ReadonlyMap<string, RowChange>,
  filters: readonly RowFilter[],
): Promise<ReadonlyMap<string, RowChange>> {
  const beginnings = filters.flatMap(wordsOfFilter);
  if (beginnings.length === 0) return changes;
  const isUndecided = (row: Row | undefined): boolean => {
    if (!row || rowWords(row) !== undefined) return false;
    const visible = visibleWords(row).join(' ');
    return !beginnings.every((one) => hasWord(visible, one));
  };
  const undecided = [...changes.values()].filter(
    ({ before, after }) => isUndecided(before) || isUndecided(after),
  );
  const segments = columnReader.manifest.segments;
  const searched = filters.filter(isWordFilter);
  await Promise.all([
    loadPlaces(columnReader, undecided),
    columnReader.loadFilters(
      undecided.length > 0 ? segments.map((segment) => ({ segment, filters: searched })) : [],
      [],
    ),
  ]);
  const rowsOf = new Map<string, Set<number>>();
  const isStored = (id: string, beginning: string): boolean => {
    const located = locateRow(columnReader, id);
    const segment = located && segments[located.position];
    if (!segment) return false;
    const name = `${located.position} ${beginning}`;
    const filter: RowFilter = { field: wordsField, condition: { by: 'words', words: [beginning] } };
    const rows = rowsOf.get(name) ?? new Set(columnReader.rowsOfFilter(segment, filter));
    rowsOf.set(name, rows);
    return rows.has(located.row);
  };
  const needsColumns = new Set(undecided.map(({ id }) => id));
  return new Map(
    [...changes].map(([id, { before, after, ...change }]) => {
      const isFound = (beginning: string): boolean => needsColumns.has(id) && isStored(id, beginning);
      const add = (row: Row | undefined): Row | undefined =>
        row && { ...row, [wordsField]: knownWords(row, beginnings, isFound) };
      return [id, { ...change, before: add(before), after: add(after) }];
    }),
  );
}
