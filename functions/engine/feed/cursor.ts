/**
 * Cursors of the change feed: how far a caller has read a collection, as a text. A cursor is not signed: it can only move the caller within what
 * the token and the filters allow. So each part of it is checked.
 */

import { hasQueryHash, queryHashBytes } from '../lists/query-hash.ts';
import { maxHoles, type Progress } from '../log/progress.ts';
import { ByteReader, ByteWriter } from '../model/bytes.ts';
import { maxPosition } from '../model/change-log.ts';
import { InvalidCursor } from '../model/errors.ts';
import { formats } from '../model/formats.ts';
import { isId } from '../model/ids.ts';
import { isReadFormat } from '../model/stored-format.ts';

interface Place {
  /** A number of the table: a restored one has another name, and need not have what the caller has. */
  readonly table: number;
  /** What the caller has of the log. During the walk, that is from before its first page. */
  readonly progress: Progress;
}

/** The caller reads the entities, in the order of creation. */
export interface WalkCursor extends Place {
  readonly by: 'walk';
  /** The last entity that was given. */
  readonly lastId: string;
}

/** The caller has read all entities once, and reads the log of their changes. */
export interface LogCursor extends Place {
  readonly by: 'log';
}

export type ChangesCursor = WalkCursor | LogCursor;

/** Characters of a cursor, at most: most holes take one or two bytes. */
export const maxChangesCursorLength = 1_000;

const kinds = { walk: 0, log: 1 } as const;

/** @param hash of the query that the cursor belongs to. */
export function encodeCursor(hash: Uint8Array, cursor: ChangesCursor): string {
  const { by, table, progress } = cursor;
  const writer = new ByteWriter();
  writer.number(kinds[by]);
  writer.number(table);
  writer.number(progress.position);
  writer.number(progress.holes.length);
  // As differences from the position before.
  let last = progress.position;
  for (const hole of progress.holes.toReversed()) {
    writer.number(last - hole);
    last = hole;
  }
  if (by === 'walk') writer.id(cursor.lastId);
  return Buffer.concat([Buffer.of(formats['cursor of changes'].writes), hash, writer.bytes()]).toString(
    'base64url',
  );
}

function readCursor(reader: ByteReader): ChangesCursor | undefined {
  const kind = reader.number();
  const [table, position, count] = [reader.number(), reader.number(), reader.number()];
  if (position > maxPosition || count > maxHoles) return undefined;
  const holes: number[] = [];
  for (let last = position; holes.length < count; last = holes[0] as number) {
    const hole = last - reader.number();
    if (hole >= last || hole <= 0) return undefined;
    holes.unshift(hole);
  }
  const place = { table, progress: { position, holes } };
  if (kind === kinds.log) return { by: 'log', ...place };
  const lastId = reader.id();
  return kind === kinds.walk && isId(lastId) ? { by: 'walk', ...place, lastId } : undefined;
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
  if (!hasQueryHash(bytes, hash))
    throw new InvalidCursor('belongs to another collection, to other filters or to other "fields"');
  try {
    const cursor = readCursor(new ByteReader(bytes.subarray(1 + queryHashBytes)));
    // Each cursor has one text: a damaged one does not come out as it was.
    if (cursor && encodeCursor(hash, cursor) === text) return cursor;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new InvalidCursor('is damaged');
}
