/** Cursors of histories: the position of the next change. Whatever the position, a history has only changes of its entity. */
import { type CursorCodec, cursorHash, fromCursor, toCursor } from '../lists/cursor-codec.ts';
import { maxPosition } from '../model/change-log.ts';
import type { Kind } from '../model/schema.ts';

export interface EntityName {
  readonly kind: Kind;
  readonly id: string;
}

/** Characters of a cursor, at most: 17 bytes. */
export const maxHistoryCursorLength = 24;

const codecOf = ({ kind, id }: EntityName): CursorCodec<number> => ({
  item: 'cursor of a history',
  maxLength: maxHistoryCursorLength,
  hash: cursorHash(`${kind} ${id}`),
  ofAnother: 'is the cursor of another history',
  write: (writer, position) => writer.number(position),
  read: (reader) => {
    const position = reader.number();
    return position <= maxPosition ? position : undefined;
  },
});

export const encodeHistoryCursor = (name: EntityName, position: number): string =>
  toCursor(codecOf(name), position);

/** Returns the position of a cursor. @throws InvalidCursor for a text that is not a cursor of this history. */
export const decodeHistoryCursor = (name: EntityName, cursor: string): number =>
  fromCursor(codecOf(name), cursor);
