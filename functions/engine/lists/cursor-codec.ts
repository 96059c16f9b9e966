/**
 * Cursors: a place, as a text that callers send back. A cursor is not signed: it can only move the caller within what the token and the query allow. So
 * each part of it is checked.
 */
import { hash } from 'node:crypto';
import { ByteReader, ByteWriter } from '../model/bytes.ts';
import { InvalidCursor } from '../model/errors.ts';
import { formats, isReadFormat, type StoredItem } from '../model/stored-format.ts';

/** Bytes of a hash. Two queries of one caller do not have the same one by chance. */
export const queryHashBytes = 8;

export const cursorHash = (text: string): Buffer =>
  hash('sha256', text, 'buffer').subarray(0, queryHashBytes);

export interface CursorCodec<Place> {
  readonly item: StoredItem;
  readonly maxLength: number;
  /** That of what the cursor continues. */
  readonly hash: Buffer;
  /** What is wrong with the cursor of something else. */
  readonly ofAnother: string;
  readonly write: (writer: ByteWriter, place: Place) => void;
  /** Returns `undefined` for what cannot be a place. */
  readonly read: (reader: ByteReader) => Place | undefined;
}

export function toCursor<Place>({ item, hash, write }: CursorCodec<Place>, place: Place): string {
  const writer = new ByteWriter();
  write(writer, place);
  return Buffer.concat([Buffer.of(formats[item].writes), hash, writer.bytes()]).toString('base64url');
}

/**
 * Returns the place of a cursor.
 * @throws InvalidCursor for a text that is not a cursor of what the hash names.
 */
export function fromCursor<Place>(codec: CursorCodec<Place>, cursor: string): Place {
  const { item, maxLength, hash, ofAnother, read } = codec;
  const bytes = cursor.length > maxLength ? Buffer.alloc(0) : Buffer.from(cursor, 'base64url');
  if (!isReadFormat(item, bytes[0])) throw new InvalidCursor('is not a cursor of this service');
  if (!hash.equals(bytes.subarray(1, 1 + queryHashBytes))) throw new InvalidCursor(ofAnother);
  try {
    const place = read(new ByteReader(bytes.subarray(1 + queryHashBytes)));
    // Each place has one cursor: a damaged one does not come out as it was.
    if (place !== undefined && toCursor(codec, place) === cursor) return place;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new InvalidCursor('is damaged');
}
