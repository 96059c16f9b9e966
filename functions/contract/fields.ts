/**
 * The types of fields. A field is a valibot schema; a field with a default is optional in a body. Every bound of a value is here. The
 * bounds of own checks are repeated in metadata, as JSON Schema keywords: the OpenAPI document is derived from it.
 */

import * as v from 'valibot';
import { statusPattern } from '../engine/model/entity.ts';
import type { Relation } from '../engine/model/schema.ts';

interface Rule {
  readonly holds: (text: string) => boolean;
  readonly message: string;
}

/**
 * Returns the check of a text: its length first, and the rules only when the length is allowed. A pattern therefore
 * never reads more than `maximum` characters, whatever valibot does after a failed check.
 * @param maximum largest length in Unicode code points.
 */
const bounded = (
  maximum: number,
  rules: readonly Rule[],
  tooLong = `must have at most ${maximum} characters`,
) =>
  v.rawCheck<string>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    // A code point has at most two UTF-16 units: a much longer text is not even counted.
    const isTooLong = value.length > 2 * maximum || [...value].length > maximum;
    const message = isTooLong ? tooLong : rules.find(({ holds }) => !holds(value))?.message;
    if (message !== undefined) addIssue({ message });
  });

const aString = (): v.StringSchema<string> => v.string('must be a string');

/** A lone surrogate cannot be written as UTF-8: it would come back as another character. */
const wellFormed: Rule = {
  holds: (text) => text.isWellFormed(),
  message: 'must be well-formed Unicode: it contains half of a surrogate pair',
};

/** JSON writes a control character as six bytes: a page full of them would exceed what a function may respond with. */
const noControlCharacters: Rule = {
  holds: (text) => ![...text].some((one) => one < ' ' && !'\t\n\r'.includes(one)),
  message: 'must not contain a control character other than tab, line feed and carriage return',
};

/** The same rule in the OpenAPI document. */
const documentedText = '[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F]*';

/** Returns whether a schema accepts texts with any characters but control characters. */
export const isFreeText = (schema: v.GenericSchema): boolean =>
  String(v.getMetadata(schema)['pattern']).includes(documentedText);

/**
 * Text that satisfies rules.
 * @param maximum largest length in Unicode code points; the rules never see more.
 * @param documented JSON Schema keywords for the OpenAPI document.
 */
const matching = (
  maximum: number,
  rules: readonly Rule[],
  documented: Readonly<Record<string, unknown>>,
  tooLong?: string,
) => v.pipe(aString(), v.metadata({ maxLength: maximum, ...documented }), bounded(maximum, rules, tooLong));

/** Text without control characters. `maximum` is in Unicode code points. */
export const text = (maximum: number) =>
  matching(maximum, [wellFormed, noControlCharacters], { pattern: `^${documentedText}$` });

/** A text that another system gives, with at least one character. It is stored as it is, because a changed one would be another. */
export const identifier = (maximum: number) =>
  v.pipe(
    aString(),
    v.metadata({ minLength: 1, maxLength: maximum, pattern: `^${documentedText}$` }),
    bounded(maximum, [
      { holds: (value) => value !== '', message: `must have 1 to ${maximum} characters` },
      wellFormed,
      noControlCharacters,
    ]),
  );

const labelLength = (maximum: number): string =>
  `must have 1 to ${maximum} characters besides surrounding white space`;

/** Text that is trimmed before it is measured and stored, and then is not empty. `maximum` is in Unicode code points. */
export const label = (maximum: number) =>
  v.pipe(
    aString(),
    v.metadata({ minLength: 1, maxLength: maximum, pattern: `^\\s*[^\\s\\u0000-\\u001F]${documentedText}$` }),
    v.trim(),
    bounded(
      maximum,
      [{ holds: (value) => value !== '', message: labelLength(maximum) }, wellFormed, noControlCharacters],
      labelLength(maximum),
    ),
  );

const validStatus: Rule = {
  holds: (value) => statusPattern.test(value),
  message: 'must be 1 to 64 letters, digits, "-" or "_"',
};

/** An open value: known ones are documented, others are allowed. */
export const status = () =>
  matching(64, [validStatus], { minLength: 1, pattern: statusPattern.source }, validStatus.message);

export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  v.picklist(values, `must be one of ${values.join(', ')}`);

/** Returns whether a text is a calendar day that exists, `YYYY-MM-DD`. */
export function isDay(value: string): boolean {
  const time = value.length === 10 ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  // Date.parse rolls the 30th of February over into March; the day must come back as it went in.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

const validDay: Rule = { holds: isDay, message: 'must be a day that exists, as YYYY-MM-DD' };

/** A calendar day, `YYYY-MM-DD` (RFC 3339 full-date). */
export const day = () => matching(10, [validDay], { format: 'date' }, validDay.message);

/** The accepted e-mail addresses in the OpenAPI document: valibot's pattern, without flags, which JSON Schema does not have. */
export const documentedEmail = '^[\\w+-]+(?:\\.[\\w+-]+)*@[\\dA-Za-z]+(?:[.-][\\dA-Za-z]+)*\\.[A-Za-z]{2,}$';

/** Returns whether a text matches `documentedEmail`, by two patterns without backtracking. */
const isEmail = (value: string): boolean =>
  /^[\w+-]+(?:\.[\w+-]+)*@[\dA-Za-z]+(?:[.-][\dA-Za-z]+)*$/.test(value) &&
  /^\.[A-Za-z]{2,}$/.test(value.slice(value.lastIndexOf('.')));

const validEmail: Rule = { holds: isEmail, message: 'must be an e-mail address' };

/** An e-mail address of at most 254 characters (RFC 5321, 4.5.3.1.3). */
export const email = () =>
  matching(
    254,
    [validEmail],
    { format: 'email', pattern: documentedEmail },
    'must have at most 254 characters',
  );

const colorPattern = /^#[0-9A-Fa-f]{6}$/;

const validColor: Rule = {
  holds: (value) => colorPattern.test(value),
  message: 'must be a color as #rrggbb, six hexadecimal digits',
};

export const color = () => matching(7, [validColor], { pattern: colorPattern.source }, validColor.message);

/** The bounds of a number, and how many digits it has behind the point, at most. */
interface NumberBounds {
  readonly min: number;
  readonly max: number;
  readonly decimals: number;
}

/** Digits behind the point that a number can have, at most. */
const maxDecimals = 6;

/** Whole units of the last decimal up to this number are exact in JSON, and so are their sums in lists. */
const maxUnits = Number.MAX_SAFE_INTEGER;

/**
 * A number within bounds, both included. `-0` is stored as 0.
 * @throws TypeError for bounds whose numbers are not all exact.
 */
export function number({ min, max, decimals }: NumberBounds) {
  const isExact = Math.max(Math.abs(min), Math.abs(max)) * 10 ** decimals <= maxUnits;
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > maxDecimals || !isExact || !(min <= max))
    throw new TypeError(
      `A number has 0 to ${maxDecimals} decimals, and its bounds times 10^decimals are at most ${maxUnits}.`,
    );
  const digits = decimals === 0 ? 'a whole number' : `a number with at most ${decimals} decimals`;
  return v.pipe(
    v.number('must be a number'),
    v.metadata({ minimum: min, maximum: max, decimals }),
    v.check((value) => value >= min && value <= max, `must be ${min} to ${max}`),
    v.check((value) => Number(value.toFixed(decimals)) === value, `must be ${digits}`),
    v.transform((value) => (value === 0 ? 0 : value)),
  );
}

export const flag = () => v.boolean('must be true or false');

/** The resource that a reference names. */
export interface Target {
  readonly kind: string;
}

/** How a reference behaves; by default, a deletion of the entity that it names removes it. */
export type ReferenceOptions = Partial<Pick<Relation, 'onDelete'>>;

/**
 * The id of an entity. The store checks that there is one.
 * @param target the resource; a function that returns it for a reference of a resource to itself, which does not exist yet.
 */
export const reference = (target: Target | (() => Target), options: ReferenceOptions = {}) =>
  v.pipe(
    aString(),
    v.metadata({
      maxLength: 255,
      reference: { target: () => (typeof target === 'function' ? target() : target), options },
    }),
    bounded(255, []),
  );

/**
 * Returns the schema of an array whose length is checked before its items: valibot would check each of 100,000 items and
 * then the length.
 */
function boundedArray<Item extends v.GenericSchema<string>>(item: Item, maximum: number) {
  const whole = v.array(item, 'must be an array of strings');
  const tooLong = v.pipe(v.array(v.any()), v.maxLength(maximum, `must have at most ${maximum} items`));
  return {
    ...whole,
    '~run': (dataset, config) => {
      const isTooLong = Array.isArray(dataset.value) && dataset.value.length > maximum;
      return (isTooLong ? tooLong : whole)['~run'](dataset, config) as ReturnType<(typeof whole)['~run']>;
    },
  } satisfies typeof whole;
}

const setOf = <Item extends v.GenericSchema<string>>(item: Item, maximum: number) =>
  v.pipe(
    boundedArray(item, maximum),
    v.metadata({ maxItems: maximum, uniqueItems: true }),
    v.check((value) => new Set(value).size === value.length, 'must not contain the same item twice'),
  );

export const setOfValues = <const Values extends readonly string[]>(values: Values) =>
  setOf(v.picklist(values, `must be ${values.map((value) => `"${value}"`).join(' or ')}`), values.length);

export const references = (target: Target, maximum: number) => setOf(reference(target), maximum);

/** The field whose texts can be long: a list sorts by their beginning only, and an expanded entity lacks it. */
export const longTextField = 'description';

export const withDefault = <Schema extends v.GenericSchema, const Value extends v.InferInput<Schema>>(
  schema: Schema,
  value: Value,
) => v.optional(schema, value as never);

/** A field that may be null, and is null when it is left out. */
export const nullable = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.nullable(schema), null);
