/** Cursors of histories: the position of the next change, as a text that callers send back. */
import { hash } from 'node:crypto';
import { ByteReader, ByteWriter } from '../model/bytes.ts';
import { maxPosition } from '../model/change-log.ts';
import { InvalidCursor } from '../model/errors.ts';
import { formats } from '../model/formats.ts';
import type { Kind } from '../model/schema.ts';
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

/** @param position of the next change. */
export function encodeHistoryCursor(name: EntityName, position: number): string {
  const writer = new ByteWriter();
  writer.number(position);
  return Buffer.concat([
    Buffer.of(formats['cursor of a history'].writes),
    hashOf(name),
    writer.bytes(),
  ]).toString('base64url');
}

/**
 * Returns the position of a cursor. The cursor is not signed: whatever the position, a history has only changes of its entity.
 * @throws InvalidCursor for a text that is not a cursor of this history.
 */
export function decodeHistoryCursor(name: EntityName, text: string): number {
  const bytes = text.length > maxHistoryCursorLength ? Buffer.alloc(0) : Buffer.from(text, 'base64url');
  if (!isReadFormat('cursor of a history', bytes[0]))
    throw new InvalidCursor('is not a cursor of this service');
  if (!hashOf(name).equals(bytes.subarray(1, 1 + hashBytes)))
    throw new InvalidCursor('is the cursor of another history');
  try {
    const position = new ByteReader(bytes.subarray(1 + hashBytes)).number();
    // Each place has one cursor: a damaged one does not come out as it was.
    if (position <= maxPosition && encodeHistoryCursor(name, position) === text) return position;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new InvalidCursor('is damaged');
}
