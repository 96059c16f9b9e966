/**
 * Words of texts, for search. Rows hold only the beginning of a long text. So the record of a change of a text has its other words too, in a field of the row
 * that is no field of the entity; columns have all words of a row there.
 */
import { beginningOf } from './long-text.ts';
import type { Row } from './row.ts';
import { schemaInUse } from './schema.ts';

/** The field of rows that has words. Names of other fields of entities do not begin with `$`. */
export const wordsField = '$words';

/** Characters at the beginning of a word that a search compares. */
export const maxWordLength = 50;

/** Marks, and the letters of which NFKD makes nothing else. */
const marks = /[\p{M}\uFF9E\uFF9F]+/gu;
const runs = /[\p{L}\p{N}]+/gu;

/**
 * Returns the distinct words of a text: runs of letters, digits and marks, in lower case and without marks. Other forms of a character count as the character
 * (NFKD). Where words are not separated, as in Chinese, a run is one word.
 */
export function wordsOf(text: string): string[] {
  // To normalize a run of marks takes a time that grows with the square of their number.
  const letters = text.replaceAll(marks, '').normalize('NFKD').replaceAll(marks, '');
  const folded = letters.toLowerCase().replaceAll('ς', 'σ');
  return [...new Set(folded.match(runs) ?? [])];
}

/** Returns the distinct words of a text, without what is not searched. */
const searchedWords = (text: string): string[] =>
  wordsOf(text).map((word) => [...word].slice(0, maxWordLength).join(''));

const textsOf = (row: Row): string[] => schemaInUse().searchedFields.flatMap((field) => row[field] ?? []);

/** Returns whether a row has the beginning of a text instead of the text. */
export const isCut = (row: Row): boolean => textsOf(row).some((text) => beginningOf(text) !== text);

/** Returns whether two rows of an entity have the same words, because they have the same texts. */
export const haveSameTexts = (one: Row, other: Row): boolean =>
  schemaInUse().searchedFields.every((field) => one[field] === other[field]);

/** Returns the words of the texts that a row has, or of their beginnings. */
export const visibleWords = (row: Row): string[] =>
  textsOf(row).flatMap((text) => searchedWords(beginningOf(text)));

/** Returns a row with the words of an entity's texts that the row does not show. A text that was not read has not changed: the row before has its words. */
export function withOtherWords(row: Row, entity: Readonly<Record<string, unknown>>): Row {
  if (!isCut(row)) return row;
  const texts = schemaInUse().searchedFields.map((field) => entity[field] ?? '');
  if (!texts.every((text) => typeof text === 'string')) return row;
  const visible = new Set(visibleWords(row));
  const others = new Set(texts.flatMap(searchedWords).filter((word) => !visible.has(word)));
  return { ...row, [wordsField]: [...others].join(' ') };
}

/** Returns all words of a row, separated by spaces; `undefined` when an earlier row of the entity has those that this one does not show. */
export function rowWords(row: Row): string | undefined {
  const others = row[wordsField];
  if (others === undefined && isCut(row)) return undefined;
  return [...new Set([...visibleWords(row), ...splitWords(others)])].join(' ');
}

/** Returns a row as the engine's users know it. */
export function withoutWords({ [wordsField]: _, ...row }: Row): Row {
  return row;
}

/** Returns the words of a value of the field. */
export const splitWords = (words: string | null | undefined): string[] => (words ? words.split(' ') : []);

/** Returns whether one of some words, separated by spaces, begins with a text. */
export const hasWord = (words: string, beginning: string): boolean => ` ${words}`.includes(` ${beginning}`);
