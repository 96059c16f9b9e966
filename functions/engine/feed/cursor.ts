/** Cursors of the change feed: how far a caller has read a collection. */

import { type CursorCodec, fromCursor, toCursor } from '../lists/cursor-codec.ts';
import type { Viewer } from '../lists/visible-set.ts';
import { completeUpTo, maxHoles, type Progress } from '../log/progress.ts';
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
  /** Whose cursor it is; absent for a caller who sees all of the kind. */
  readonly viewer?: Viewer | undefined;
}

/** Characters of a cursor, at most: most holes take one or two bytes. */
export const maxChangesCursorLength = 2_000;

/** The first number of a cursor: a sum of these. Without the first one, it is one of a walk. */
const flags = { ofLog: 1, ofViewer: 2 } as const;

/** Logs of one cursor, at most. */
const maxGuards = 3;

function writeProgress(writer: ByteWriter, { position, holes }: Progress): void {
  writer.number(position);
  writer.number(holes.length);
  // As differences from the position before.
  let last = position;
  for (const hole of holes.toReversed()) {
    writer.number(last - hole);
    last = hole;
  }
}

function readProgress(reader: ByteReader): Progress | undefined {
  const [position, count] = [reader.number(), reader.number()];
  if (position > maxPosition || count > maxHoles) return undefined;
  const holes: number[] = [];
  for (let last = position; holes.length < count; last = holes[0] as number) {
    const hole = last - reader.number();
    if (hole >= last || hole <= 0) return undefined;
    holes.unshift(hole);
  }
  return { position, holes };
}

function writeCursor(writer: ByteWriter, { table, progress, lastId, viewer }: ChangesCursor): void {
  writer.number((lastId === undefined ? flags.ofLog : 0) + (viewer ? flags.ofViewer : 0));
  writer.number(table);
  writeProgress(writer, progress);
  if (viewer) {
    writer.number(viewer.number);
    writer.number(viewer.guards.length);
    for (const guard of viewer.guards) writeProgress(writer, guard);
  }
  if (lastId !== undefined) writer.id(lastId);
}

function readViewer(reader: ByteReader): Viewer | undefined {
  const [number, count] = [reader.number(), reader.number()];
  if (count > maxGuards) return undefined;
  const guards = Array.from({ length: count }, () => readProgress(reader));
  const all = guards.filter((guard) => guard !== undefined);
  return all.length < count ? undefined : { number, guards: all };
}

function readCursor(reader: ByteReader): ChangesCursor | undefined {
  const kind = reader.number();
  const [table, progress] = [reader.number(), readProgress(reader)];
  if (kind > flags.ofLog + flags.ofViewer || !progress) return undefined;
  const viewer = (kind & flags.ofViewer) > 0 ? readViewer(reader) : undefined;
  if ((kind & flags.ofViewer) > 0 && !viewer) return undefined;
  const cursor = { table, progress, ...(viewer && { viewer }) };
  if ((kind & flags.ofLog) > 0) return cursor;
  const lastId = reader.id();
  return isId(lastId) ? { ...cursor, lastId } : undefined;
}

const codecOf = (hash: Buffer): CursorCodec<ChangesCursor> => ({
  item: 'cursor of changes',
  maxLength: maxChangesCursorLength,
  hash,
  ofAnother: 'belongs to another collection, to other filters or to other "fields"',
  write: writeCursor,
  read: readCursor,
});

/** Returns the position up to which a copy is complete, once its caller has read the last page. */
export const positionOfCursor = ({ progress }: ChangesCursor): number => completeUpTo(progress);

export const encodeCursor = (hash: Buffer, cursor: ChangesCursor): string => toCursor(codecOf(hash), cursor);

/**
 * Returns the cursor that a text encodes.
 * @param hash of the query of the request.
 * @throws InvalidCursor for a text that is not a cursor of this query.
 */
export const decodeCursor = (hash: Buffer, text: string): ChangesCursor => fromCursor(codecOf(hash), text);
