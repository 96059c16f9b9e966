/** Rows: what lists know of an entity. The list engine filters and sorts by rows and reads entities only for the page it returns. */
import type { ItemFields } from './entity.ts';
import { beginningOf, Digest, digestText, isLongTextField } from './long-text.ts';

/** A value of a row. An array of ids is one text, separated by commas. */
export type Value = string | null;

/** The fields of an entity that lists filter and sort by. The id is not part of it, and tells `createdAt`. */
export type Row = Readonly<Record<string, Value>>;

/** Fields that rows do not repeat. */
const keyFields = new Set(['id', 'createdAt']);

/** Returns how rows hold a text of a field: of a long one, its digest. */
export const rowText = (field: string, text: string): string =>
  isLongTextField(field) ? digestText(text) : text;

/** Returns whether lists take texts of a field with the same beginning for equal. */
export const isSortedByBeginning = isLongTextField;

/** Returns what decides the order of a row's text: of a long text, its beginning. */
export const sortedText = (field: string, text: string): string =>
  isLongTextField(field) ? beginningOf(text) : text;

/** Returns the ids of an array as rows hold it. */
export const splitIds = (text: string): string[] => (text === '' ? [] : text.split(','));

/**
 * Returns the row of an entity.
 * @throws TypeError when a field holds neither a text, nor null, nor an array of ids.
 */
export function toRow(entity: ItemFields): Row {
  const row: Record<string, Value> = {};
  for (const field of Object.keys(entity)) {
    if (keyFields.has(field)) continue;
    const value = entity[field];
    if (typeof value === 'string') row[field] = rowText(field, value);
    else if (value instanceof Digest) row[field] = value.text;
    else if (Array.isArray(value)) row[field] = value.join(',');
    else if (value === null) row[field] = null;
    else if (value !== undefined) throw new TypeError(`Rows cannot hold the value of "${field}".`);
  }
  return row;
}
