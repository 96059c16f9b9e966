import { isId } from '../model/ids.ts';
import { creationFields, type Filter, type ListQuery, type Place } from '../model/list-query.ts';
import type { Value } from '../model/row.ts';
import type { Kind } from '../model/schema.ts';
import { type CursorCodec, cursorHash, fromCursor, toCursor } from './cursor-codec.ts';

/**
 * Returns a hash of what a cursor continues. The order of filters, and of the values of a filter, does not matter.
 * @param more what the cursor depends on besides the collection and the filters.
 */
export function queryHash(kind: Kind, filters: readonly Filter[], more: unknown): Buffer {
  const conditions = filters.map(({ field, operator, values }) =>
    JSON.stringify([field, operator, values.toSorted()]),
  );
  return cursorHash(JSON.stringify([kind, [...new Set(conditions)].sort(), more]));
}

/** Characters of a cursor, at most: three fields of 255 characters with four bytes each need fewer. */
export const maxPlaceCursorLength = 4_000;

type OrderedQuery = Pick<ListQuery, 'filters' | 'sort'>;

/** Returns the fields whose values are part of a place: those before the id. */
function placeFields({ sort }: OrderedQuery): string[] {
  const fields = sort.map(({ field }) => field);
  const end = fields.findIndex((field) => creationFields.has(field));
  return end < 0 ? fields : fields.slice(0, end);
}

function codecOf(kind: Kind, query: OrderedQuery): CursorCodec<Place> {
  const fields = placeFields(query);
  // A field that occurs twice has the same value.
  const distinct = [...new Set(fields)];
  return {
    item: 'cursor of a list',
    maxLength: maxPlaceCursorLength,
    hash: queryHash(kind, query.filters, query.sort),
    ofAnother: 'is the cursor of another list: the path, the filters and the order must stay the same',
    write: (writer, { values, id }) => {
      writer.id(id);
      for (const field of distinct) {
        const value = values[fields.indexOf(field)] ?? null;
        writer.number(value === null ? 0 : 1);
        if (value !== null) writer.text(value);
      }
    },
    read: (reader) => {
      const id = reader.id();
      const valueOfField = new Map<string, Value>();
      for (const field of distinct) valueOfField.set(field, reader.number() === 0 ? null : reader.text());
      return isId(id) ? { values: fields.map((field) => valueOfField.get(field) ?? null), id } : undefined;
    },
  };
}

export const encodePlace = (kind: Kind, query: OrderedQuery, place: Place): string =>
  toCursor(codecOf(kind, query), place);

/** @throws InvalidCursor for a text that is not a cursor of this list. */
export const decodePlace = (kind: Kind, query: OrderedQuery, cursor: string): Place =>
  fromCursor(codecOf(kind, query), cursor);
