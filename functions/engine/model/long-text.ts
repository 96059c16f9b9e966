/**
 * Long texts. Every index that holds an item costs one write unit per KB, so a long text is an item of its own, beside its entity.
 * The entity's item has a digest of it, with which rows, filters and orders work as with the text.
 */
import { createHash } from 'node:crypto';
import { schemaInUse } from './schema.ts';

export const isLongTextField = (field: string): boolean => field === schemaInUse().longText;

/** Returns the text of an entity that can be long; `undefined` when its kind has none. */
export const longTextOf = (entity: Readonly<Record<string, unknown>> | undefined) =>
  entity?.[schemaInUse().longText] as string | Digest | undefined;

/** Returns an entity with a text in the place of its digest. */
export const withLongText = <Entity extends object>(entity: Entity, text: unknown): Entity => ({
  ...entity,
  [schemaInUse().longText]: text,
});

/** Bytes in UTF-8 above which a text is an item of its own. A text of more bytes has more code points than its digest shows. */
export const maxInlineBytes = 400;

/** Unicode code points at the beginning of a text that its digest shows. Lists sort by them. */
const shownCharacters = 100;

/** Separates the beginning of a text from what its digest has besides. No text of an entity contains it. */
const digestMark = '\u0000';

/** 128 bits: two texts with one hash do not occur by chance. */
const hashBytes = 16;

/** The character of the size of a text that its entity's item has. Those after it stand for the KB of a text that is an item of its own. */
const inlineMark = '0';

const kilobyte = 1_024;

const sizeMark = (text: string): string =>
  String.fromCharCode(inlineMark.charCodeAt(0) + Math.ceil(longTextBytes(text) / kilobyte));

/** Returns the first characters of a text, its size, and a hash of the whole; a text without more characters as it is. */
export function digestText(text: string): string {
  // Most texts are short, and a code point has at most two units.
  if (text.length <= shownCharacters) return text;
  const characters = [...text.slice(0, 2 * (shownCharacters + 1))];
  if (characters.length <= shownCharacters) return text;
  const hash = createHash('sha256').update(text).digest().subarray(0, hashBytes).toString('base64url');
  return characters.slice(0, shownCharacters).join('') + digestMark + sizeMark(text) + hash;
}

/** Returns the first characters of the text of a digest; a text that is no digest as it is. */
export function beginningOf(digest: string): string {
  const end = digest.indexOf(digestMark);
  return end < 0 ? digest : digest.slice(0, end);
}

/** An entity that was read without its whole text has a digest instead. */
export class Digest {
  /** As items and rows hold it. */
  readonly text: string;
  /** Bytes of the whole text in UTF-8, rounded up to KB; 0 of a text that is in the item of its entity. */
  readonly bytes: number;

  constructor(text: string) {
    this.text = text;
    const size = text.charCodeAt(text.indexOf(digestMark) + 1) - inlineMark.charCodeAt(0);
    this.bytes = size * kilobyte;
  }

  /** @throws TypeError: no response may contain a digest. */
  toJSON(): never {
    throw new TypeError('A long text was not read.');
  }
}

/** Returns a text. @throws TypeError for a digest. */
export const requireText = (text: string | Digest): string => (text instanceof Digest ? text.toJSON() : text);

export const isDigestOf = (digest: Digest, text: string): boolean => digestText(text) === digest.text;

/** Returns the bytes of the item of a text, those of a digest in KB; 0 when the text has no item of its own. */
export function longTextBytes(text: string | Digest | undefined): number {
  if (text instanceof Digest) return text.bytes;
  const bytes = Buffer.byteLength(text ?? '');
  return bytes > maxInlineBytes ? bytes : 0;
}

/** Returns whether a text is an item of its own. */
export const isLong = (text: string | Digest | undefined): text is string | Digest => longTextBytes(text) > 0;

export function hasTextItem(row: Readonly<Record<string, string | null | undefined>>): boolean {
  const text = row[schemaInUse().longText];
  return typeof text === 'string' && isLong(fromInlineText(text));
}

/** Returns what the item of an entity holds in the place of a text. */
export function toInlineText(text: string | Digest): string {
  if (text instanceof Digest) return text.text;
  return isLong(text) ? digestText(text) : text;
}

/** Returns the text, or the digest of one, that the item of an entity or a row holds. */
export const fromInlineText = (inline: string): string | Digest =>
  inline.includes(digestMark) ? new Digest(inline) : inline;
