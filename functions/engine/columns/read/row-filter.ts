import { rowOfDeletion } from '../../model/deletion.ts';
import { isId } from '../../model/ids.ts';
import { type Row, sortedText, type Value } from '../../model/row.ts';
import { hasWord } from '../../model/words.ts';
import { firstPosition } from '../format/binary-search.ts';
import type { Column, Ordinals } from '../format/column.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import { placeholdersOf } from '../format/lists.ts';
import { firstVersion, versionField } from '../format/manifest.ts';
import { type SearchTexts, toSearchText } from './search-texts.ts';

/** A condition on the texts of a field. Texts compare by Unicode code point. */
export type TextCondition =
  /** Is one of these. */
  | { readonly by: 'texts'; readonly texts: readonly string[] }
  /** Is not less than one text, and less than another. */
  | { readonly by: 'range'; readonly from: string; readonly to: string | undefined }
  /** Begins with a text, or contains it, in lower case. */
  | { readonly by: 'beginning' | 'part'; readonly text: string }
  /** Of an array of ids: has one of these, or without them any id. */
  | { readonly by: 'anyId'; readonly ids?: readonly string[] }
  /** Of words: each of these is the beginning of one. */
  | { readonly by: 'words'; readonly words: readonly string[] };

export interface RowFilter {
  readonly field: string;
  readonly condition: TextCondition;
  /** Accepts the texts for which the condition does not hold. */
  readonly isNegated?: boolean;
  readonly acceptsNull?: boolean;
  /** The value of rows that are older than the field. */
  readonly defaultValue?: Value;
  /** A row matches if this filter accepts it instead. */
  readonly or?: RowFilter;
  /** Names all texts of a condition that many lists have: what the filter accepts of a column is found once for all of them. */
  readonly name?: string;
}

export const alternativesOf = (filter: RowFilter): RowFilter[] => [
  filter,
  ...(filter.or ? alternativesOf(filter.or) : []),
];

/** Returns the text that sorts next after another one. */
export const textAfter = (text: string): string => `${text}\u0000`;

export const isOneOf = (field: string, texts: readonly string[]): RowFilter => ({
  field,
  condition: { by: 'texts', texts },
});

export const isNotDeleted: RowFilter = {
  field: versionField,
  condition: { by: 'range', from: firstVersion, to: undefined },
};

/** Accepts rows of deleted entities that were not erased. */
export const isDeleted: RowFilter = {
  field: rowOfDeletion.deletedAt,
  condition: { by: 'texts', texts: [] },
  isNegated: true,
};

/** Returns the only texts, or single ids, that a filter accepts, if no row without a text matches. */
export function onlyTexts({
  condition,
  isNegated,
  acceptsNull,
  defaultValue = null,
  or,
}: RowFilter): readonly string[] | undefined {
  if (isNegated || acceptsNull || or) return undefined;
  const ids = condition.by === 'anyId' ? condition.ids : undefined;
  const texts = condition.by === 'texts' ? condition.texts : ids;
  return defaultValue !== null && texts?.includes(defaultValue) ? undefined : texts;
}

/** Returns whether a filter accepts arrays that are not empty. */
export const acceptsAnyId = ({ condition, isNegated }: RowFilter): boolean =>
  condition.by === 'anyId' && !condition.ids && !isNegated;

/**
 * Returns the texts that a filter accepts in the buckets of a column of lists, or of a filter that accepts any id those that it does not; `undefined` if
 * they do not decide.
 */
export function textsOfLists(filter: RowFilter): readonly string[] | undefined {
  const { condition, isNegated = false } = filter;
  if (acceptsAnyId(filter))
    return textsOfLists({ ...filter, isNegated: true, acceptsNull: !filter.acceptsNull });
  if (condition.by !== 'anyId' || (condition.ids && isNegated)) return undefined;
  return [...(condition.ids ?? []).filter(isId), ...placeholdersOf(valuePredicate(filter))];
}

function textPredicate({ field, condition }: RowFilter): (text: string) => boolean {
  switch (condition.by) {
    case 'texts': {
      const texts = new Set(condition.texts);
      return (text) => texts.has(text);
    }
    case 'range': {
      const from = Buffer.from(condition.from);
      const to = condition.to === undefined ? undefined : Buffer.from(condition.to);
      return (text) => {
        const bytes = Buffer.from(text);
        return bytes.compare(from) >= 0 && (to === undefined || bytes.compare(to) < 0);
      };
    }
    case 'beginning':
      return (text) => toSearchText(sortedText(field, text)).startsWith(condition.text);
    case 'part':
      return (text) => toSearchText(sortedText(field, text)).includes(condition.text);
    case 'words':
      return (text) => condition.words.every((word) => hasWord(text, word));
    case 'anyId': {
      if (!condition.ids) return (text) => text !== '';
      const ids = new Set(condition.ids.filter(Boolean));
      return (text) => text.split(',').some((id) => ids.has(id));
    }
  }
}

/** The value `undefined` is that of a row that is older than the field. */
export function valuePredicate(filter: RowFilter): (value: ColumnValue) => boolean {
  const { isNegated = false, acceptsNull = false, defaultValue = null } = filter;
  const meets = textPredicate(filter);
  return (value) => {
    const known = value === undefined ? defaultValue : value;
    return known === null ? acceptsNull : meets(known) !== isNegated;
  };
}

export function rowPredicate(filters: readonly RowFilter[]): (row: Row) => boolean {
  const predicates = filters.map((filter) =>
    alternativesOf(filter).map((one) => [one.field, valuePredicate(one)] as const),
  );
  return (row) => predicates.every((either) => either.some(([field, accepts]) => accepts(row[field])));
}

export const wordsOfFilter = ({ condition }: RowFilter): readonly string[] =>
  condition.by === 'words' ? condition.words : [];

export const isWordFilter = (filter: RowFilter): boolean => wordsOfFilter(filter).length > 0;

export const isSearch = ({ condition: { by } }: RowFilter): boolean => by === 'beginning' || by === 'part';

export interface FilteredColumn {
  readonly filter: RowFilter;
  readonly column: Column;
  /** Present if the filter searches. */
  readonly searchTexts?: SearchTexts | undefined;
  /** What the filter accepts, if that is known. */
  readonly accepted?: Uint8Array;
  readonly or?: FilteredColumn | undefined;
}

/** So many texts of a condition are found one by one, for each text that a column has. With more, all texts of the column are compared. */
const searchedShare = 1 / 8;

function markEach(accepted: Uint8Array, { dictionary }: Column, meets: (text: string) => boolean): void {
  for (let ordinal = dictionary.special.length; ordinal < dictionary.size; ordinal += 1) {
    if (meets(dictionary.at(ordinal) as string)) accepted[ordinal] = 1;
  }
}

function markTexts(accepted: Uint8Array, { filter, column, searchTexts }: FilteredColumn): void {
  const { condition } = filter;
  const { dictionary } = column;
  const positionOf = (text: string): number => dictionary.positionOf(Buffer.from(text));
  if (condition.by === 'texts' && condition.texts.length <= Math.max(1, dictionary.size * searchedShare)) {
    for (const ordinal of condition.texts.map((text) => dictionary.ordinalOf(text))) {
      if (ordinal >= 0) accepted[ordinal] = 1;
    }
  } else if (condition.by === 'range') {
    const { from, to } = condition;
    accepted.fill(1, positionOf(from), to === undefined ? dictionary.size : positionOf(to));
  } else if ('text' in condition && searchTexts) {
    searchTexts.mark(accepted, condition.text, condition.by === 'beginning');
  } else {
    markEach(accepted, column, textPredicate(filter));
  }
}

export function acceptedOrdinals(filtered: FilteredColumn): Uint8Array {
  const { filter, column } = filtered;
  const { special, size } = column.dictionary;
  const accepted = new Uint8Array(size);
  markTexts(accepted, filtered);
  if (filter.isNegated) {
    for (let ordinal = special.length; ordinal < size; ordinal += 1)
      accepted[ordinal] = 1 - (accepted[ordinal] as number);
  }
  const accepts = valuePredicate(filter);
  for (const [ordinal, value] of special.entries()) accepted[ordinal] = accepts(value) ? 1 : 0;
  return accepted;
}

/** A range of rows: `from` up to, but without, `to`. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** The ordinals of a column, and 1 for each of them that a filter accepts. */
interface AcceptedOrdinals {
  readonly ordinals: Ordinals;
  readonly accepted: Uint8Array;
}

/** Keeps the rows that a filter accepts, in place. A row is written before it is known to match, because nobody could predict the branch. */
function keepRows(rows: Uint32Array, { ordinals, accepted }: AcceptedOrdinals): Uint32Array {
  let kept = 0;
  for (let position = 0; position < rows.length; position += 1) {
    const row = rows[position] as number;
    rows[kept] = row;
    kept += accepted[ordinals[row] as number] as number;
  }
  return rows.subarray(0, kept);
}

/** Keeps the rows that one of several filters accepts, in place. */
function keepEither(rows: Uint32Array, filters: readonly AcceptedOrdinals[]): Uint32Array {
  let kept = 0;
  for (const row of rows) {
    if (filters.some(({ ordinals, accepted }) => accepted[ordinals[row] as number] === 1)) rows[kept++] = row;
  }
  return rows.subarray(0, kept);
}

function acceptedBy(filtered: FilteredColumn): AcceptedOrdinals[] {
  const { column, accepted = acceptedOrdinals(filtered), or } = filtered;
  return [{ ordinals: column.ordinals, accepted }, ...(or ? acceptedBy(or) : [])];
}

function allRows(ranges: readonly RowRange[]): Uint32Array {
  const rows = new Uint32Array(ranges.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0));
  let count = 0;
  for (const { from, to } of ranges) for (let row = from; row < to; row += 1) rows[count++] = row;
  return rows;
}

function rowsBetween(rows: Uint32Array, ranges: readonly RowRange[]): Uint32Array {
  const placeOf = (row: number): number =>
    firstPosition(0, rows.length, (position) => (rows[position] as number) >= row);
  const found = new Uint32Array(rows.length);
  let count = 0;
  for (const { from, to } of ranges) {
    const part = rows.subarray(placeOf(from), placeOf(to));
    found.set(part, count);
    count += part.length;
  }
  return found.subarray(0, count);
}

/** Keeps the rows that are among others, in place. */
function keepCommon(rows: Uint32Array, others: Uint32Array): Uint32Array {
  let kept = 0;
  let place = 0;
  for (const row of rows) {
    while (place < others.length && (others[place] as number) < row) place += 1;
    if (others[place] === row) rows[kept++] = row;
  }
  return rows.subarray(0, kept);
}

/** Returns the rows that are in some ranges and in all of some sets, whose rows are in their order. */
function commonRows(sets: readonly Uint32Array[], ranges: readonly RowRange[]): Uint32Array | undefined {
  const [smallest, ...others] = sets.toSorted((one, other) => one.length - other.length);
  return smallest && others.reduce(keepCommon, rowsBetween(smallest, ranges));
}

/**
 * Returns the rows of some ranges that match all filters, in their order.
 * @param known for each of some further filters all rows that it accepts, in their order: no others are looked at.
 */
export function matchingRows(
  filtered: readonly FilteredColumn[],
  ranges: readonly RowRange[],
  known: readonly Uint32Array[],
): Uint32Array {
  let found = commonRows(known, ranges) ?? allRows(ranges);
  for (const one of filtered) {
    if (found.length === 0) break;
    const either = acceptedBy(one).filter(({ accepted }) => accepted.includes(1));
    const [first, ...others] = either;
    if (!first) return found.subarray(0, 0);
    if (either.some(({ accepted }) => !accepted.includes(0))) continue;
    found = others.length === 0 ? keepRows(found, first) : keepEither(found, either);
  }
  return found;
}
