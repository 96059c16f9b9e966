/** Cursors of lists of deleted entities. */
import { ByteReader, ByteWriter } from '../model/bytes.ts';
import type { DeletedPlace } from '../model/deletion.ts';
import { InvalidCursor } from '../model/errors.ts';
import { formats } from '../model/formats.ts';
import { isId } from '../model/ids.ts';
import type { Kind } from '../model/schema.ts';
import { maxSortable } from '../model/sortable-number.ts';
import { isReadFormat } from '../model/stored-format.ts';
import { hasQueryHash, queryHash, queryHashBytes } from './query-hash.ts';

const hashOf = (kind: Kind): Buffer => queryHash(kind, [], 'deleted');

/** Returns the cursor of a place in the list of the deleted entities of a kind. */
export function encodeDeletedPlace(kind: Kind, { deletedAt, rootId, id }: DeletedPlace): string {
  const writer = new ByteWriter();
  writer.number(deletedAt);
  writer.id(rootId);
  writer.id(id);
  return Buffer.concat([
    Buffer.of(formats['cursor of deleted entities'].writes),
    hashOf(kind),
    writer.bytes(),
  ]).toString('base64url');
}

/** Characters of a cursor, at most. */
export const maxDeletedCursorLength = 100;

/**
 * Returns the place of a cursor.
 * @throws InvalidCursor for a text that is not a cursor of this list.
 */
export function decodeDeletedPlace(kind: Kind, cursor: string): DeletedPlace {
  const isTooLong = cursor.length > maxDeletedCursorLength;
  const bytes = isTooLong ? Buffer.alloc(0) : Buffer.from(cursor, 'base64url');
  if (!isReadFormat('cursor of deleted entities', bytes[0]))
    throw new InvalidCursor('is not a cursor of this service');
  if (!hasQueryHash(bytes, hashOf(kind))) throw new InvalidCursor('is the cursor of another list');
  try {
    const reader = new ByteReader(bytes.subarray(1 + queryHashBytes));
    const place = { deletedAt: reader.number(), rootId: reader.id(), id: reader.id() };
    const isValid = place.deletedAt <= maxSortable && isId(place.rootId) && isId(place.id);
    // Each place has one cursor: a damaged one does not come out as it was.
    if (isValid && encodeDeletedPlace(kind, place) === cursor) return place;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new InvalidCursor('is damaged');
}
