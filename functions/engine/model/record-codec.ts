/**
 * The contents of a record as bytes. Every list reads all pending records, so their bytes are the price of lists.
 * Ids take 16 bytes, names of fields and frequent values one, and times are differences from that of the record.
 */
import { ByteReader, ByteWriter, isUuid } from './bytes.ts';
import { deflate, inflate } from './deflate.ts';
import { UnknownFormat } from './errors.ts';
import type { Row, Value } from './row.ts';
import { schemaInUse } from './schema.ts';
import { formats, requireFormat } from './stored-format.ts';
import { encodeValue, numberOf, readValue, valueTypes } from './value-codec.ts';

/** An entry of the change log: what a transaction changed of one entity. */
export interface LogEntry {
  readonly id: string;
  /** The version that the change made. A deletion counts as one more. */
  readonly version: number;
  /** The position of the entity's change before this one; 0 for a creation. */
  readonly previousPosition: number;
  /** Absent for a creation, and for the erasure of a deleted entity. */
  readonly before?: Row | undefined;
  /** Absent when nothing but the version is left. */
  readonly after?: Row | undefined;
}

export function changedFields(before: Row | undefined, after: Row): Row {
  if (!before) return after;
  const changed: Record<string, Value> = {};
  for (const field of Object.keys(after)) {
    const value = after[field];
    if (value !== undefined && value !== before[field]) changed[field] = value;
  }
  return changed;
}

/** Returns the names of fields that take no bytes of their own. */
const fieldNames = (): readonly string[] => schemaInUse().dictionary.fields;

/** The number of fields with other names, which follow it. With its type, a number below 16 takes one byte. */
const otherField = 15;

/** What an entry has, as bits of one number with its version. */
const has = { before: 1, after: 2, uuid: 4, previousPosition: 8 } as const;
const flags = 16;

/** Returns a value of a row, unless it is inherited from `Object`. */
const ownValue = (row: Row | undefined, name: string): Value | undefined =>
  row && Object.hasOwn(row, name) ? row[name] : undefined;

interface RowOptions {
  /** Times are differences from it, in milliseconds since 1970. */
  readonly baseMs: number;
  /** The row before the change; its texts are not repeated. */
  readonly previous?: Row | undefined;
}

function writeRow(writer: ByteWriter, row: Row, { baseMs, previous }: RowOptions): void {
  const fields = Object.entries(row);
  writer.number(fields.length);
  for (const [name, value] of fields) {
    const field = numberOf(fieldNames(), name) ?? otherField;
    const { type, write } = encodeValue(value, { baseMs, previous: ownValue(previous, name) });
    writer.number(field * valueTypes + type);
    if (field === otherField) writer.text(name);
    write(writer);
  }
}

function readRow(reader: ByteReader, { baseMs, previous }: RowOptions): Row {
  const row: Record<string, Value> = {};
  for (let left = reader.number(); left > 0; left -= 1) {
    const mark = reader.number();
    const field = Math.floor(mark / valueTypes);
    if (field > otherField) throw new UnknownFormat(`A record has a field with the number ${field}.`);
    const name = fieldNames()[field] ?? reader.text();
    row[name] = readValue(reader, mark % valueTypes, { baseMs, previous: ownValue(previous, name) });
  }
  return row;
}

/** Writes an entry; of `after`, only the fields that differ from `before`. */
function writeEntry(writer: ByteWriter, entry: LogEntry, time: number): void {
  const { id, version, previousPosition, before, after } = entry;
  const hasUuid = isUuid(id);
  const marks =
    (before ? has.before : 0) +
    (after ? has.after : 0) +
    (hasUuid ? has.uuid : 0) +
    (previousPosition === 0 ? 0 : has.previousPosition);
  writer.number(version * flags + marks);
  if (hasUuid) writer.id(id);
  else writer.text(id);
  if (previousPosition !== 0) writer.number(previousPosition);
  if (before) writeRow(writer, before, { baseMs: time });
  if (after) writeRow(writer, changedFields(before, after), { baseMs: time, previous: before });
}

function readEntry(reader: ByteReader, time: number): LogEntry {
  const marks = reader.number();
  const version = Math.floor(marks / flags);
  const id = marks & has.uuid ? reader.id() : reader.text();
  const previousPosition = marks & has.previousPosition ? reader.number() : 0;
  const before = marks & has.before ? readRow(reader, { baseMs: time }) : undefined;
  const changed = marks & has.after ? readRow(reader, { baseMs: time, previous: before }) : undefined;
  return { id, version, previousPosition, before, after: changed && { ...before, ...changed } };
}

/** Encodes entries without a format: what stores them has one. @param time to which their times are differences, in milliseconds since 1970. */
export function encodeEntries(entries: readonly LogEntry[], time: number): Buffer {
  const writer = new ByteWriter();
  for (const entry of entries) writeEntry(writer, entry, time);
  return writer.bytes();
}

/** Decodes what `encodeEntries` returns. @throws UnknownFormat. */
export function decodeEntries(encoded: Uint8Array, time: number): LogEntry[] {
  const reader = new ByteReader(encoded);
  const entries: LogEntry[] = [];
  while (reader.hasMore) entries.push(readEntry(reader, time));
  return entries;
}

export interface RecordContents {
  /** The subject of the token whose request made the changes; absent where requests need no token. */
  readonly actor?: string | undefined;
  readonly entries: readonly LogEntry[];
}

function encodeActor(actor: string | undefined): Buffer {
  const writer = new ByteWriter();
  const { type, write } = encodeValue(actor ?? null, { baseMs: 0 });
  writer.number(type);
  write(writer);
  return writer.bytes();
}

const readActor = (reader: ByteReader): string | undefined =>
  readValue(reader, reader.number(), { baseMs: 0 }) ?? undefined;

/** Bytes of one entry up to which it is not deflated: the record costs one unit for each KB. */
const maxPlainBytes = 900;

/**
 * Encodes the contents of a record: the format, the actor, which takes 17 bytes if it is a UUID, and the entries. Several entries, and one with many words, are
 * deflated if that makes them shorter: they have texts and ids in common.
 */
export function encodeContents({ actor, entries }: RecordContents, time: number): Buffer {
  const plain = encodeEntries(entries, time);
  const deflated = entries.length < 2 && plain.length <= maxPlainBytes ? plain : deflate(plain);
  const isDeflated = deflated.length < plain.length;
  const first = Buffer.of(2 * formats.record.writes + Number(isDeflated));
  return Buffer.concat([first, encodeActor(actor), isDeflated ? deflated : plain]);
}

/** Bytes of the entries of one record before they are deflated: DynamoDB allows 400 KB in an item, and 100 entities have at most 1.5 MB. */
const maxInflatedBytes = 8_000_000;

/** Returns the number of the format of what `encodeContents` returns. */
export const formatOfContents = ([first = 0]: Uint8Array): number => first >> 1;

/**
 * Decodes what `encodeContents` returns.
 * @throws UnknownFormat when another release has encoded it.
 */
export function decodeContents(encoded: Uint8Array, time: number): RecordContents {
  const [first = 0] = encoded;
  requireFormat('record', formatOfContents(encoded));
  const isDeflated = (first & 1) === 1;
  const outer = new ByteReader(encoded.subarray(1));
  const actor = readActor(outer);
  const body = encoded.subarray(1 + outer.position);
  return { actor, entries: decodeEntries(isDeflated ? inflate(body, maxInflatedBytes) : body, time) };
}
