/** Cursors of lists: a place in the order of a list, as a text that callers send back. */
import { ByteReader, ByteWriter } from '../model/bytes.ts';
import { InvalidCursor } from '../model/errors.ts';
import { formats } from '../model/formats.ts';
import { isId } from '../model/ids.ts';
import { creationFields, type ListQuery, type Place } from '../model/list-query.ts';
import type { Value } from '../model/row.ts';
import type { Kind } from '../model/schema.ts';
import { isReadFormat } from '../model/stored-format.ts';
import { hasQueryHash, queryHash, queryHashBytes } from './query-hash.ts';

/** Characters of a cursor, at most: three fields of 255 characters with four bytes each need fewer. */
export const maxPlaceCursorLength = 4_000;

type OrderedQuery = Pick<ListQuery, 'filters' | 'sort'>;

/** Returns the fields whose values are part of a place: those before the id. */
function placeFields({ sort }: OrderedQuery): string[] {
  const fields = sort.map(({ field }) => field);
  const end = fields.findIndex((field) => creationFields.has(field));
  return end < 0 ? fields : fields.slice(0, end);
}

function write(fields: readonly string[], hash: Uint8Array, { values, id }: Place): string {
  const writer = new ByteWriter();
  writer.id(id);
  for (const [position, field] of fields.entries()) {
    // A field that occurs twice has the same value.
    if (fields.indexOf(field) < position) continue;
    const value = values[position] ?? null;
    writer.number(value === null ? 0 : 1);
    if (value !== null) writer.text(value);
  }
  return Buffer.concat([Buffer.of(formats['cursor of a list'].writes), hash, writer.bytes()]).toString(
    'base64url',
  );
}

const hashOf = (kind: Kind, { filters, sort }: OrderedQuery): Buffer => queryHash(kind, filters, sort);

/** Returns the cursor of a place in the list of a query. */
export const encodePlace = (kind: Kind, query: OrderedQuery, place: Place): string =>
  write(placeFields(query), hashOf(kind, query), place);

function readPlace(reader: ByteReader, fields: readonly string[]): Place {
  const id = reader.id();
  const valueOfField = new Map<string, Value>();
  for (const field of new Set(fields)) valueOfField.set(field, reader.number() === 0 ? null : reader.text());
  return { values: fields.map((field) => valueOfField.get(field) ?? null), id };
}

/**
 * Returns the place of a cursor.
 * @throws InvalidCursor for a text that is not a cursor of this list.
 */
export function decodePlace(kind: Kind, query: OrderedQuery, cursor: string): Place {
  if (cursor.length > maxPlaceCursorLength) throw new InvalidCursor('is not a cursor of this service');
  const bytes = Buffer.from(cursor, 'base64url');
  if (!isReadFormat('cursor of a list', bytes[0])) throw new InvalidCursor('is not a cursor of this service');
  const hash = hashOf(kind, query);
  if (!hasQueryHash(bytes, hash)) {
    throw new InvalidCursor(
      'is the cursor of another list: the path, the filters and the order must stay the same',
    );
  }
  const fields = placeFields(query);
  try {
    const place = readPlace(new ByteReader(bytes.subarray(1 + queryHashBytes)), fields);
    // Each place has one cursor: a damaged one does not come out as it was.
    if (isId(place.id) && write(fields, hash, place) === cursor) return place;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new InvalidCursor('is damaged');
}
