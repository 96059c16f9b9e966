/** Cursors of histories: the stamp of the next change, as a text that callers send back. */
import { hash } from 'node:crypto';
import { ByteReader, ByteWriter } from '../model/bytes.ts';
import { InvalidCursor } from '../model/errors.ts';
import { formats } from '../model/formats.ts';
import type { Kind } from '../model/relations.ts';
import { maxStamp } from '../model/stamp-text.ts';
import { isReadFormat } from '../model/stored-format.ts';

/** An entity, by what callers name it by. */
export interface EntityName {
  readonly kind: Kind;
  readonly id: string;
}

/** Characters of a cursor, at most: 17 bytes. */
export const maxHistoryCursorLength = 24;

/** Bytes of the hash of the entity. Two entities do not have the same one by chance. */
const hashBytes = 8;

const hashOf = ({ kind, id }: EntityName): Buffer =>
  hash('sha256', `${kind} ${id}`, 'buffer').subarray(0, hashBytes);

/** @param stamp of the next change, in milliseconds since 1970. */
export function encodeHistoryCursor(name: EntityName, stamp: number): string {
  const writer = new ByteWriter();
  writer.number(stamp);
  return Buffer.concat([
    Buffer.of(formats['cursor of a history'].writes),
    hashOf(name),
    writer.bytes(),
  ]).toString('base64url');
}

/**
 * Returns the stamp of a cursor, in milliseconds since 1970. The cursor is not signed: whatever the stamp, a history has only changes of its entity.
 * @throws InvalidCursor for a text that is not a cursor of this history.
 */
export function decodeHistoryCursor(name: EntityName, text: string): number {
  const bytes = text.length > maxHistoryCursorLength ? Buffer.alloc(0) : Buffer.from(text, 'base64url');
  if (!isReadFormat('cursor of a history', bytes[0]))
    throw new InvalidCursor('is not a cursor of this service');
  if (hashOf(name).compare(bytes, 1, 1 + hashBytes) !== 0)
    throw new InvalidCursor('is the cursor of another history');
  try {
    const stamp = new ByteReader(bytes.subarray(1 + hashBytes)).number();
    // Each place has one cursor: a damaged one does not come out as it was.
    if (stamp <= maxStamp && encodeHistoryCursor(name, stamp) === text) return stamp;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new InvalidCursor('is damaged');
}
