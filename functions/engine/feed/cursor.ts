/** Cursors of the change feed: how far a caller has read a collection. */

import { type CursorCodec, fromCursor, toCursor } from '../lists/cursor-codec.ts';
import { maxHoles, type Progress } from '../log/progress.ts';
import type { ByteReader, ByteWriter } from '../model/bytes.ts';
import { maxPosition } from '../model/change-log.ts';
import { isId } from '../model/ids.ts';

export interface ChangesCursor {
  /** A number of the table: a restored one has another name, and need not have what the caller has. */
  readonly table: number;
  /** What the caller has of the log. During the walk, that is from before its first page. */
  readonly progress: Progress;
  /** The last entity that was given, while the caller walks through the entities, in the order of creation. Then it reads the log of their changes. */
  readonly lastId?: string;
}

/** Characters of a cursor, at most: most holes take one or two bytes. */
export const maxChangesCursorLength = 1_000;

const kinds = { walk: 0, log: 1 } as const;

function writeCursor(writer: ByteWriter, { table, progress, lastId }: ChangesCursor): void {
  writer.number(lastId === undefined ? kinds.log : kinds.walk);
  writer.number(table);
  writer.number(progress.position);
  writer.number(progress.holes.length);
  // As differences from the position before.
  let last = progress.position;
  for (const hole of progress.holes.toReversed()) {
    writer.number(last - hole);
    last = hole;
  }
  if (lastId !== undefined) writer.id(lastId);
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
  const cursor = { table, progress: { position, holes } };
  if (kind === kinds.log) return cursor;
  const lastId = reader.id();
  return kind === kinds.walk && isId(lastId) ? { ...cursor, lastId } : undefined;
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
