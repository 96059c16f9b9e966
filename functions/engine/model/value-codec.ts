/** Values of rows as bytes: ids, times and frequent words take few. */
import { dayMs } from '../../runtime/time-and-chance.ts';
import { type ByteReader, type ByteWriter, isUuid } from './bytes.ts';
import { UnknownFormat } from './errors.ts';
import type { Value } from './row.ts';
import { schemaInUse } from './schema.ts';

/** Returns the values that take one byte. */
const words = (): readonly string[] => schemaInUse().dictionary.values;

/** Returns the place of a text in a short list; `undefined` when it is not there. */
export function numberOf(texts: readonly string[], text: string): number | undefined {
  const number = texts.indexOf(text);
  return number < 0 ? undefined : number;
}

const type = { null: 0, text: 1, empty: 2, id: 3, ids: 4, word: 5, time: 6, day: 7 } as const;

export const valueTypes = 8;

interface ValueOptions {
  /** Times are encoded as differences from it, in milliseconds since 1970. */
  readonly baseMs: number;
  /** The value that this one replaces: a text is encoded without the beginning that the two have in common. */
  readonly previous?: Value | undefined;
}

interface EncodedValue {
  readonly type: number;
  readonly write: (writer: ByteWriter) => void;
}

const timeLength = 24;
const dayLength = 10;

/** Returns the milliseconds since 1970 of a text that `toISOString` returns. */
function parseTime(text: string): number | undefined {
  if (text.length !== timeLength || !text.endsWith('Z')) return undefined;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text ? ms : undefined;
}

const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, dayLength);

/** Returns the days since 1970 of a text such as `2026-01-31`. */
function parseDay(text: string): number | undefined {
  if (text.length !== dayLength || text[4] !== '-') return undefined;
  const day = Date.parse(`${text}T00:00:00.000Z`) / dayMs;
  return !Number.isNaN(day) && dayText(day) === text ? day : undefined;
}

const dayOf = (timeMs: number): number => Math.floor(timeMs / dayMs);

function encodeIds(text: string): EncodedValue | undefined {
  const ids = text.split(',');
  if (!ids.every(isUuid)) return undefined;
  const write = (writer: ByteWriter): void => {
    writer.number(ids.length);
    for (const id of ids) writer.id(id);
  };
  return { type: type.ids, write };
}

function encodeText(value: string, previous: Value | undefined): EncodedValue {
  return {
    type: type.text,
    write: (writer) => (previous ? writer.textAfter(value, previous) : writer.text(value)),
  };
}

export function encodeValue(value: Value, { baseMs, previous }: ValueOptions): EncodedValue {
  if (value === null) return { type: type.null, write: () => undefined };
  if (value === '') return { type: type.empty, write: () => undefined };
  const word = numberOf(words(), value);
  if (word !== undefined) return { type: type.word, write: (writer) => writer.number(word) };
  if (isUuid(value)) return { type: type.id, write: (writer) => writer.id(value) };
  const time = parseTime(value);
  if (time !== undefined) return { type: type.time, write: (writer) => writer.signed(baseMs - time) };
  const day = parseDay(value);
  if (day !== undefined) return { type: type.day, write: (writer) => writer.signed(day - dayOf(baseMs)) };
  return encodeIds(value) ?? encodeText(value, previous);
}

function readWord(reader: ByteReader): string {
  const number = reader.number();
  const word = words()[number];
  if (word === undefined) throw new UnknownFormat(`A record has a word with the number ${number}.`);
  return word;
}

/** Reads a value. @throws UnknownFormat when it is none that `encodeValue` writes. */
export function readValue(reader: ByteReader, valueType: number, { baseMs, previous }: ValueOptions): Value {
  switch (valueType) {
    case type.null:
      return null;
    case type.text:
      return previous ? reader.textAfter(previous) : reader.text();
    case type.empty:
      return '';
    case type.id:
      return reader.id();
    case type.ids:
      return Array.from({ length: reader.number() }, () => reader.id()).join(',');
    case type.word:
      return readWord(reader);
    case type.time:
      return new Date(baseMs - reader.signed()).toISOString();
    case type.day:
      return dayText(reader.signed() + dayOf(baseMs));
    default:
      throw new UnknownFormat(`A record has a value with the type ${valueType}.`);
  }
}
