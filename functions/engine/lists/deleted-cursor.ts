/** Cursors of lists of deleted entities. */
import type { DeletedPlace } from '../model/deletion.ts';
import { isId } from '../model/ids.ts';
import type { Kind } from '../model/schema.ts';
import { maxSortable } from '../model/sortable-number.ts';
import { type CursorCodec, fromCursor, queryHash, toCursor } from './cursor-codec.ts';

export const maxDeletedCursorLength = 100;

const codecOf = (kind: Kind): CursorCodec<DeletedPlace> => ({
  item: 'cursor of deleted entities',
  maxLength: maxDeletedCursorLength,
  hash: queryHash(kind, [], 'deleted'),
  ofAnother: 'is the cursor of another list',
  write: (writer, { deletedAt, rootId, id }) => {
    writer.number(deletedAt);
    writer.id(rootId);
    writer.id(id);
  },
  read: (reader) => {
    const place = { deletedAt: reader.number(), rootId: reader.id(), id: reader.id() };
    const isValid = place.deletedAt <= maxSortable && isId(place.rootId) && isId(place.id);
    return isValid ? place : undefined;
  },
});

/** Returns the cursor of a place in the list of the deleted entities of a kind. */
export const encodeDeletedPlace = (kind: Kind, place: DeletedPlace): string => toCursor(codecOf(kind), place);

/** @throws InvalidCursor for a text that is not a cursor of this list. */
export const decodeDeletedPlace = (kind: Kind, cursor: string): DeletedPlace =>
  fromCursor(codecOf(kind), cursor);
