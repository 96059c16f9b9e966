/** Operands: the values of filters with an operator, checked, and in the form in which entities have them. */
import { isDay } from '../contract/fields.ts';
import {
  type FieldType,
  type ListField,
  type ListOperator,
  operatorsOfBooleans,
} from '../contract/list-fields.ts';
import type { Filter } from '../engine/model/list-query.ts';
import { scalarText } from '../engine/model/row.ts';
import { quoted, suggestion } from './suggestion.ts';

/** Values of one `in`, `notIn` or `all`. */
export const maxValues = 100;

/** Code points of a beginning that a long text is compared with: rows hold no more of it. */
export const maxLongTextPrefix = 100;

/** An operand that a filter cannot have. Its message says what would be right. */
export class InvalidOperand extends Error {}

/** Characters of a number, at most: more digits than it can have. */
const maxNumberLength = 64;

interface Moment {
  /** The last whole millisecond that is not later, as entities have times. */
  readonly text: string;
  /** Whether it is between two milliseconds. No entity has such a time. */
  readonly isBetween: boolean;
}

const timePattern =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:[Zz]|([+\- ])(\d{2}):(\d{2}))?$/;

const minTimeMs = Date.parse('0000-01-01T00:00:00.000Z');
const maxTimeMs = Date.parse('9999-12-31T23:59:59.999Z');

const expectedTime = 'must be a time such as 2026-03-02T09:15:27Z or 2026-03-02T10:15:27.318+01:00';

/**
 * Reads a time (RFC 3339, 5.6). Without an offset it is in UTC, as responses show times. A space before the offset is a `+` that was not
 * encoded in the query.
 */
function readMoment(text: string): Moment {
  const [, day = '', clock = '', fraction = '', sign, hours = '', minutes = ''] =
    timePattern.exec(text) ?? [];
  const [hour = '', minute = '', second = ''] = clock.split(':');
  const isClock = hour < '24' && minute < '60' && second < '60';
  if (!isDay(day) || !isClock || hours >= '24' || minutes >= '60') {
    throw new InvalidOperand(`${expectedTime}: ${quoted(text)} is not.`);
  }
  const offsetMs = (sign === '-' ? -60_000 : 60_000) * (60 * Number(hours) + Number(minutes));
  const timeMs = Date.parse(`${day}T${clock}.${fraction.padEnd(3, '0').slice(0, 3)}Z`) - offsetMs;
  const inRange = Math.min(Math.max(timeMs, minTimeMs), maxTimeMs);
  return { text: new Date(inRange).toISOString(), isBetween: /[1-9]/.test(fraction.slice(3)) };
}

/** Returns the filter of a time. No entity has a time between two milliseconds, so it is compared with its neighbours. */
function timeFilter(field: string, operator: ListOperator, moments: readonly Moment[]): Filter {
  const values = moments.filter(({ isBetween }) => !isBetween).map(({ text }) => text);
  const [first] = moments;
  if (!first?.isBetween || operator === 'in' || operator === 'notIn') return { field, operator, values };
  const around: Partial<Record<ListOperator, ListOperator>> = { lt: 'lte', gte: 'gt', ne: 'notIn' };
  const other = around[operator] ?? operator;
  return { field, operator: other, values: other === 'notIn' ? [] : [first.text] };
}

/** A JSON number (RFC 8259, 6): `5`, `5.0` and `5e0` are the same one. */
const numberPattern = /^-?\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?$/;

function readNumber(text: string): number {
  const number = text.length <= maxNumberLength && numberPattern.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number)) throw new InvalidOperand(`must be a number: ${quoted(text)} is not.`);
  return number === 0 ? 0 : number;
}

function readTruth(text: string): boolean {
  // Clients in Python send `True`.
  const value = text.toLowerCase();
  if (value === 'true' || value === 'false') return value === 'true';
  throw new InvalidOperand(`must be true or false: ${quoted(text)} is not.`);
}

/** By type: what reads a value that rows have in another form than callers send it. */
const readers: Partial<Record<FieldType, (text: string) => number | boolean>> = {
  number: readNumber,
  flag: readTruth,
};

/** Returns values as rows have them. @throws InvalidOperand */
function toRowTexts(type: FieldType, values: readonly string[]): readonly string[] {
  const read = readers[type];
  return read ? values.map((value) => scalarText(read(value)) as string) : values;
}

/** Returns the filter of an exact match. Times, numbers and flags are compared in value; a text that is none of them matches nothing. */
export function exactFilter({ name, type }: ListField, values: readonly string[]): Filter {
  const filter = { field: name, operator: 'eq', values } as const;
  if (/reference/.test(type)) values.forEach(requireId);
  try {
    if (type === 'time') return timeFilter(name, 'in', values.map(readMoment));
    return { ...filter, values: toRowTexts(type, values) };
  } catch (error) {
    if (error instanceof InvalidOperand) return filter;
    throw error;
  }
}

/** Returns the filter that compares by rank: an `in` with all values of a lower or higher rank. */
function rankFilter({ name, values }: ListField, operator: ListOperator, value: string): Filter {
  const rank = values.indexOf(value);
  if (rank < 0) throw new InvalidOperand(`has no rank ${quoted(value)}. ${suggestion(value, values)}`);
  const sides: Partial<Record<ListOperator, readonly string[]>> = {
    lt: values.slice(0, rank),
    lte: values.slice(0, rank + 1),
    gt: values.slice(rank + 1),
    gte: values.slice(rank),
  };
  return { field: name, operator: 'in', values: sides[operator] ?? [] };
}

const isComparison = (operator: ListOperator): boolean => ['lt', 'lte', 'gt', 'gte'].includes(operator);

export const meIsNoId = 'must be an id: "me" is none. Yours is the id of "user" in GET /v1/users/me.';

/** @throws InvalidOperand for `me`, which only `/v1/users/me` understands: an empty list would hide the mistake. */
function requireId(value: string): void {
  if (value === 'me') throw new InvalidOperand(meIsNoId);
}

/** Checks the values of a type, and throws InvalidOperand with what would be right. */
const checks: Partial<Record<FieldType, (value: string, operator: ListOperator) => void>> = {
  reference: requireId,
  'list of references': requireId,
  date: (value) => {
    if (!isDay(value)) {
      throw new InvalidOperand(`must be a day that exists, as YYYY-MM-DD: ${quoted(value)} is not.`);
    }
  },
  'long text': (value, operator) => {
    if (operator === 'startsWith' && [...value.toLowerCase()].length > maxLongTextPrefix) {
      throw new InvalidOperand(`must have at most ${maxLongTextPrefix} characters.`);
    }
  },
};

/**
 * Returns the filter of a field and an operator that it takes.
 * @throws InvalidOperand when a value cannot be compared with the field.
 */
export function toFilter(field: ListField, operator: ListOperator, values: readonly string[]): Filter {
  if (values.length > maxValues) {
    throw new InvalidOperand(`has ${values.length} values; at most ${maxValues} are allowed.`);
  }
  const { name, type } = field;
  if (operatorsOfBooleans.has(operator)) {
    return { field: name, operator, values: [String(readTruth(values[0] ?? ''))] };
  }
  for (const value of values) checks[type]?.(value, operator);
  if (type === 'time') return timeFilter(name, operator, values.map(readMoment));
  if (type === 'enumeration' && isComparison(operator)) return rankFilter(field, operator, values[0] ?? '');
  return { field: name, operator, values: toRowTexts(type, values) };
}
