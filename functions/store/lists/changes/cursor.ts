/**
 * Cursors of the change feed: how far a caller has read a collection, as a text. A cursor is not signed: it can only move the caller within what
 * the token and the filters allow. So each part of it is checked.
 */
import { ByteReader, ByteWriter } from '../../model/bytes.ts';
import { isRecordKey, stampOf } from '../../model/change-log.ts';
import { InvalidCursor } from '../../model/errors.ts';
import { formats } from '../../model/formats.ts';
import { isId } from '../../model/ids.ts';
import { maxStamp } from '../../model/stamp-text.ts';
import { isReadFormat } from '../../model/stored-format.ts';
import { queryHashBytes } from '../query-hash.ts';
import { bucketCount, bucketHashBytes } from './key-hashes.ts';

interface Position {
  /** The caller has all changes with this stamp or an earlier one. Milliseconds since 1970. */
  readonly from: number;
  /** The data that the caller's entities are from: another number after a repair, and in a restored table. */
  readonly generation: number;
}

/** The caller reads the entities, in the order of creation. */
export interface WalkCursor extends Position {
  readonly by: 'walk';
  /** The last entity that was given. */
  readonly lastId: string;
}

/** The caller has read all entities once, and reads the log of their changes. */
export interface LogCursor extends Position {
  readonly by: 'log';
  /** Whether the caller can have entities in later versions than those of the records that were given. */
  readonly isAhead: boolean;
  /** The key of the last record that was given; absent if none is above `from`. */
  readonly at?: string | undefined;
  /** How many entries of the record `at` were given; 0 for all of them. */
  readonly atEntries: number;
  /** Number of records above `from` that were given. */
  readonly given: number;
  /** By bucket of the time above `from`: the hash of the keys that were given. Absent for a bucket without keys. */
  readonly hashes: readonly (Buffer | undefined)[];
}

/** Returns the cursor of a caller that has been given no record yet. */
export const logCursor = (position: Position & Pick<LogCursor, 'isAhead'>): LogCursor => ({
  by: 'log',
  ...position,
  at: undefined,
  atEntries: 0,
  given: 0,
  hashes: [],
});

export type ChangesCursor = WalkCursor | LogCursor;

/** Characters of a cursor, at most: 64 hashes of 6 bytes and less than 80 other bytes. */
export const maxChangesCursorLength = 1_000;

const kinds = { walk: 0, log: 1, logAhead: 2 } as const;

/** Writes which buckets have a hash, and their hashes. */
function writeHashes(writer: ByteWriter, hashes: LogCursor['hashes']): void {
  writer.number(hashes.length);
  for (let start = 0; start < hashes.length; start += 8) {
    const present = hashes.slice(start, start + 8).map((hash, bit) => (hash ? 1 << bit : 0));
    writer.number(present.reduce((sum, bit) => sum + bit, 0));
  }
  for (const hash of hashes) if (hash) writer.raw(hash);
}

function readHashes(reader: ByteReader): (Buffer | undefined)[] {
  const count = reader.number();
  if (count > bucketCount) throw new RangeError('A cursor has too many hashes.');
  const marks = Array.from({ length: Math.ceil(count / 8) }, () => reader.number());
  return Array.from({ length: count }, (_, bucket) =>
    (marks[bucket >> 3] ?? 0) & (1 << (bucket & 7)) ? reader.raw(bucketHashBytes) : undefined,
  );
}

/** @param hash of the query that the cursor belongs to. */
export function encodeCursor(hash: Uint8Array, cursor: ChangesCursor): string {
  const writer = new ByteWriter();
  const { from, generation, by } = cursor;
  writer.number(by === 'walk' ? kinds.walk : cursor.isAhead ? kinds.logAhead : kinds.log);
  writer.number(from);
  writer.number(generation);
  if (by === 'walk') {
    writer.id(cursor.lastId);
  } else {
    writer.text(cursor.at ?? '');
    writer.number(cursor.atEntries);
    writer.number(cursor.given);
    writeHashes(writer, cursor.hashes);
  }
  return Buffer.concat([Buffer.of(formats['cursor of changes'].writes), hash, writer.bytes()]).toString(
    'base64url',
  );
}

function readCursor(reader: ByteReader): ChangesCursor | undefined {
  const kind = reader.number();
  const position = { from: reader.number(), generation: reader.number() };
  if (position.from > maxStamp) return undefined;
  if (kind === kinds.walk) {
    const lastId = reader.id();
    return isId(lastId) ? { by: 'walk', ...position, lastId } : undefined;
  }
  const isAhead = kind === kinds.logAhead;
  const key = reader.text();
  const [atEntries, given] = [reader.number(), reader.number()];
  const hashes = readHashes(reader);
  if (key === '') return logCursor({ ...position, isAhead });
  const isValid = isRecordKey(key) && stampOf(key) > position.from;
  return isValid ? { by: 'log', ...position, isAhead, at: key, atEntries, given, hashes } : undefined;
}

/**
 * Returns the cursor that a text encodes.
 * @param hash of the query of the request.
 * @throws InvalidCursor for a text that is not a cursor of this query.
 */
export function decodeCursor(hash: Buffer, text: string): ChangesCursor {
  const bytes = text.length > maxChangesCursorLength ? Buffer.alloc(0) : Buffer.from(text, 'base64url');
  if (!isReadFormat('cursor of changes', bytes[0]))
    throw new InvalidCursor('is not a cursor of this service');
  if (hash.compare(bytes, 1, 1 + queryHashBytes) !== 0) {
    throw new InvalidCursor('belongs to another collection, to other filters or to other "fields"');
  }
  try {
    const cursor = readCursor(new ByteReader(bytes.subarray(1 + queryHashBytes)));
    // Each cursor has one text: a damaged one does not come out as it was.
    if (cursor && encodeCursor(hash, cursor) === text) return cursor;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new InvalidCursor('is damaged');
}
