/** Cursors of the change feed: how far a caller has read a collection. */

import { type CursorCodec, fromCursor, toCursor } from '../lists/cursor-codec.ts';
import { maxHoles, type Progress } from '../log/progress.ts';
import type { ByteReader, ByteWriter } from '../model/bytes.ts';
import { maxPosition } from '../model/change-log.ts';
import { isId } from '../model/ids.ts';

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

function writeCursor(writer: ByteWriter, cursor: ChangesCursor): void {
  const { by, table, progress } = cursor;
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

const codecOf = (hash: Buffer): CursorCodec<ChangesCursor> => ({
  item: 'cursor of changes',
  maxLength: maxChangesCursorLength,
  hash,
  ofAnother: 'belongs to another collection, to other filters or to other "fields"',
  write: writeCursor,
  read: readCursor,
});

/** @param hash of the query that the cursor belongs to. */
export const encodeCursor = (hash: Buffer, cursor: ChangesCursor): string => toCursor(codecOf(hash), cursor);

/**
 * Returns the cursor that a text encodes.
 * @param hash of the query of the request.
 * @throws InvalidCursor for a text that is not a cursor of this query.
 */
export const decodeCursor = (hash: Buffer, text: string): ChangesCursor => fromCursor(codecOf(hash), text);
