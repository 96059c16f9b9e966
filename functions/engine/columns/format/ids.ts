/** Ids of rows, 16 bytes each, in their order. */
import { idBytes, uuidAt, uuidBytes } from '../../model/bytes.ts';
import { firstPosition } from './binary-search.ts';

/** Rows in one item of ids: with its key, the item stays below 4 KB, which is half a read unit. */
export const chunkRows = 240;

export const chunkOfRow = (row: number): number => Math.floor(row / chunkRows);

export const encodeIds = (ids: readonly string[]): Buffer => Buffer.concat(ids.map(uuidBytes));

export const countIds = (ids: Buffer): number => ids.length / idBytes;

export const idAt = (ids: Buffer, position: number): string => uuidAt(ids, position * idBytes);

/** Returns the position of an id; -1 if it is not among some ids. */
export function findId(ids: Buffer, id: string): number {
  const position = positionOfBoundary(ids, id);
  return position < countIds(ids) && idAt(ids, position) === id ? position : -1;
}

/** Returns the number of ids that are less than a text, which need not be an id. */
export const positionOfBoundary = (ids: Buffer, text: string): number =>
  firstPosition(0, countIds(ids), (position) => idAt(ids, position) >= text);

/** Returns the chunk of a segment that has the last id that is less than a text; the first one if there is none. */
export const chunkOfBoundary = (fence: Buffer, text: string): number =>
  Math.max(0, positionOfBoundary(fence, text) - 1);

/** Returns the chunk of a segment that an id belongs to. @param fence the first id of each chunk. */
export const chunkOf = (fence: Buffer, id: string): number => chunkOfBoundary(fence, `${id}\u0000`);

/** Returns the ids of a segment in chunks, and the first id of each chunk. */
export function encodeIdChunks(ids: readonly string[]) {
  const chunks = Array.from({ length: Math.ceil(ids.length / chunkRows) }, (_, chunk) =>
    encodeIds(ids.slice(chunk * chunkRows, (chunk + 1) * chunkRows)),
  );
  return { chunks, fence: encodeIds(ids.filter((_, row) => row % chunkRows === 0)) };
}
