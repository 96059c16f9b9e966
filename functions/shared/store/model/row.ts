/** Rows: what lists know of an entity. The list engine filters and sorts by rows and reads entities only for the page it returns. */
import { createHash } from 'node:crypto';
import type { Entity } from './entity.ts';

/** A value of a row. An array of ids is one text, separated by commas. */
export type Value = string | null;

/** The fields of an entity that lists filter and sort by. The id is not part of it, and tells `createdAt`. */
export type Row = Readonly<Record<string, Value>>;

/** Fields that rows do not repeat. */
const keyFields = new Set(['id', 'createdAt']);

/** The field whose texts are too long for rows: lists sort by its beginning and compare the whole by a hash. */
const longText = 'description';

/** Unicode code points of a long text that lists sort by. */
export const sortedCharacters = 100;

/** Separates the beginning of a long text from the hash of the whole. No text of an entity contains it. */
const hashMark = '\u0000';

/** 128 bits: two texts with one hash do not occur by chance. */
const hashBytes = 16;

function digest(text: string): string {
  // Most texts are short, and a code point has at most two units.
  if (text.length <= sortedCharacters) return text;
  const characters = [...text.slice(0, 2 * (sortedCharacters + 1))];
  if (characters.length <= sortedCharacters) return text;
  const hash = createHash('sha256').update(text).digest().subarray(0, hashBytes).toString('base64url');
  return characters.slice(0, sortedCharacters).join('') + hashMark + hash;
}

/** Returns how rows hold a text of a field. */
export const rowText = (field: string, text: string): string => (field === longText ? digest(text) : text);

/** Returns what decides the order of a row's text: of a long text, its beginning. */
export function sortedText(field: string, text: string): string {
  if (field !== longText) return text;
  const end = text.indexOf(hashMark);
  return end < 0 ? text : text.slice(0, end);
}

/** Returns the ids of an array as rows hold it. */
export const splitIds = (text: string): string[] => (text === '' ? [] : text.split(','));

/**
 * Returns the row of an entity.
 * @throws TypeError when a field holds neither a text, nor null, nor an array of ids.
 */
export function toRow(entity: Entity): Row {
  const row: Record<string, Value> = {};
  for (const field of Object.keys(entity)) {
    if (keyFields.has(field)) continue;
    const value = entity[field];
    if (typeof value === 'string') row[field] = rowText(field, value);
    else if (Array.isArray(value)) row[field] = value.join(',');
    else if (value === null) row[field] = null;
    else if (value !== undefined) throw new TypeError(`Rows cannot hold the value of "${field}".`);
  }
  return row;
}
