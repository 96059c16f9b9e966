/**
 * Buckets: a large column of ids, or of lists of ids, as several items. A hash of the id decides which bucket has its rows, so a filter by one id reads
 * one bucket of each segment instead of the whole column.
 */
import { crc32 } from 'node:zlib';
import { groupBy } from '../../../runtime/group-by.ts';
import { ByteReader, ByteWriter, idBytes, isUuid } from '../../model/bytes.ts';
import { deflate, inflate } from '../../model/deflate.ts';
import { UnknownFormat } from '../../model/errors.ts';
import {
  type Column,
  type ColumnPatch,
  maxTwoBytes,
  newOrdinals,
  type Ordinals,
  sharedBytes,
} from './column.ts';
import { buildDictionary, type ColumnValue } from './dictionary.ts';
import { countIds, encodeIds, findId, idAt } from './ids.ts';

/** The rows of a segment whose values belong to a bucket. Null belongs to none. */
export interface Bucket {
  /** In their order. */
  readonly ids: Buffer;
  /** In their order. A row of lists occurs once for each of its ids. */
  readonly rows: Ordinals;
  /** For each of these rows the ordinal of its id in the bucket, counted from 1, or 0 if the value is absent. */
  readonly ordinals: Ordinals;
}

/** Values and rows of a bucket that is being written. */
interface NewBucket {
  readonly ids: string[];
  readonly rows: number[];
  readonly ordinals: number[];
  readonly positions: number[];
}

export const bucketOf = (text: string, buckets: number): number => crc32(text) % buckets;

/** Returns texts by the number of the bucket that has their rows. @param buckets of the column. */
export const groupByBucket = (texts: readonly string[], buckets: number): Map<number, string[]> =>
  groupBy(texts, (text) => bucketOf(text, buckets));

export const bytesOfBucket = ({ ids, rows, ordinals }: Bucket): number =>
  ids.length + rows.byteLength + ordinals.byteLength;

function deflateNumbers(numbers: Iterable<number>): Buffer {
  const writer = new ByteWriter();
  for (const number of numbers) writer.number(number);
  return deflate(writer.bytes());
}

/**
 * Encodes a bucket: the number of bytes of each of two parts, the parts, and for each id the bytes that it does not share with the one before.
 * The first part has the numbers of ids and of rows, for each id the number of bytes that it shares, and the distance of each row to the one before.
 * The second part has the ordinals of the rows' ids. Each part is deflated: numbers of one kind deflate better, and parts of ids do not deflate.
 */
export function encodeBucket({ ids, rows, ordinals }: NewBucket): Buffer {
  const bytes = encodeIds(ids);
  const bytesAt = (position: number) => bytes.subarray(position * idBytes, (position + 1) * idBytes);
  const shared = ids.map((_, position) =>
    position === 0 ? 0 : sharedBytes(bytesAt(position - 1), bytesAt(position)),
  );
  const distances = rows.map((row, position) => row - (rows[position - 1] ?? 0));
  const parts = [
    deflateNumbers([ids.length, rows.length, ...shared, ...distances]),
    deflateNumbers(ordinals),
  ];
  const lengths = new ByteWriter();
  for (const { length } of parts) lengths.number(length);
  const ends = shared.map((count, position) => bytesAt(position).subarray(count));
  return Buffer.concat([lengths.bytes(), ...parts, ...ends]);
}

/** Decodes what `encodeBuckets` returns for one bucket. @throws UnknownFormat. */
export function decodeBucket(encoded: Uint8Array): Bucket {
  const lengths = new ByteReader(encoded);
  const firstLength = lengths.number();
  const secondLength = lengths.number();
  const secondStart = lengths.position + firstLength;
  const end = secondStart + secondLength;
  const first = new ByteReader(inflate(encoded.subarray(lengths.position, secondStart)));
  const second = new ByteReader(inflate(encoded.subarray(secondStart, end)));
  const idCount = first.number();
  const rows = new Uint32Array(first.number());
  const ids = decodeIds(
    encoded.subarray(end),
    Uint8Array.from({ length: idCount }, () => first.number()),
  );
  const ordinals = newOrdinals(rows.length, idCount + 1);
  let row = 0;
  for (let position = 0; position < rows.length; position += 1) {
    row += first.number();
    rows[position] = row;
    ordinals[position] = second.number();
  }
  if (first.hasMore || second.hasMore) throw new UnknownFormat('A bucket has more than this release reads.');
  return { ids, rows: row <= maxTwoBytes ? Uint16Array.from(rows) : rows, ordinals };
}

/** Returns ids. @param ends the bytes that they do not share with the one before. @param shared for each id the number of bytes that it shares. */
function decodeIds(ends: Uint8Array, shared: Uint8Array): Buffer {
  const ids = Buffer.allocUnsafeSlow(shared.length * idBytes);
  let from = 0;
  for (const [position, count] of shared.entries()) {
    const start = position * idBytes;
    ids.copyWithin(start, start - idBytes, start - idBytes + count);
    ids.set(ends.subarray(from, from + idBytes - count), start + count);
    from += idBytes - count;
  }
  return ids;
}

/** Divides the ids of rows. An empty text is an absent value. */
export function divideIds(idsOfRows: readonly (readonly string[])[], count: number): NewBucket[] {
  const newBucket = (): NewBucket => ({ ids: [], rows: [], ordinals: [], positions: [] });
  const buckets = Array.from({ length: count }, newBucket);
  const ids = [...new Set(idsOfRows.flat())].sort().map((id) => {
    const bucket = buckets[bucketOf(id, count)] as NewBucket;
    return [id, { bucket, ordinal: id === '' ? 0 : bucket.ids.push(id) }] as const;
  });
  const places = new Map(ids);
  for (const [row, own] of idsOfRows.entries())
    for (const [position, id] of own.entries()) {
      const place = places.get(id);
      place?.bucket.rows.push(row);
      place?.bucket.ordinals.push(place.ordinal);
      place?.bucket.positions.push(position);
    }
  return buckets;
}

export function joinBuckets(buckets: readonly Bucket[], rows: number): Column {
  const hasAbsent = buckets.some((bucket) => bucket.ordinals.includes(0));
  const hasNull = buckets.reduce((sum, bucket) => sum + bucket.rows.length, 0) < rows;
  const special = [...(hasAbsent ? [undefined] : []), ...(hasNull ? [null] : [])];
  const idsOf = buckets.map(({ ids }) => Array.from({ length: countIds(ids) }, (_, at) => idAt(ids, at)));
  const sorted = idsOf.flat().sort();
  const ordinalOf = new Map(sorted.map((id, position) => [id, special.length + position]));
  const dictionary = buildDictionary([...special, ...sorted]);
  const ordinals = newOrdinals(rows, dictionary.size).fill(special.indexOf(null));
  for (const [bucketPosition, bucket] of buckets.entries()) {
    const inColumn = [0, ...(idsOf[bucketPosition] ?? []).map((id) => ordinalOf.get(id) as number)];
    for (let position = 0; position < bucket.rows.length; position += 1) {
      const row = bucket.rows[position] as number;
      ordinals[row] = inColumn[bucket.ordinals[position] as number] as number;
    }
  }
  return { dictionary, ordinals };
}

/** Returns the rows of a column of ids that have some texts, in their order. @param accepts whether a value of the patch is, or has, one of them. */
export function rowsOfTexts(
  textsOf: ReadonlyMap<Bucket, readonly string[]>,
  patch: ColumnPatch,
  accepts: (value: ColumnValue) => boolean,
): Uint32Array {
  const found: number[] = [];
  for (const [{ ids, rows, ordinals }, texts] of textsOf) {
    const isWanted = new Uint8Array(countIds(ids) + 1);
    for (const id of texts.filter(isUuid)) isWanted[findId(ids, id) + 1] = 1;
    // The ordinal of absent values, which is also that of an id that the bucket lacks.
    isWanted[0] = 0;
    for (let position = 0; position < rows.length; position += 1) {
      const row = rows[position] as number;
      if (isWanted[ordinals[position] as number] === 1 && !patch.has(row)) found.push(row);
    }
  }
  for (const [row, value] of patch) if (accepts(value)) found.push(row);
  // A row of lists can have several of the ids.
  return Uint32Array.from(found)
    .sort()
    .filter((row, at, all) => row !== all[at - 1]);
}
