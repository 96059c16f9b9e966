/**
 * The types of the fields that resources are made of. A field is a valibot schema; one with a default is
 * optional in a body. Anything that bounds a value stands here, so that no member is unbounded. What a check of our
 * own bounds is said in metadata as well, in keywords of JSON Schema: the OpenAPI document is made from these.
 */
import * as v from 'valibot';
import { statusPattern } from '../store/entities.ts';
import type { Kind } from '../store/relations.ts';

/** Length in Unicode code points, as JSON Schema counts it: an emoji is one character, not two. */
function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

/** A lone surrogate cannot be written as UTF-8: it would come back as another character. */
const wellFormed = v.check<string, string>(
  (value) => value.isWellFormed(),
  'must be well-formed Unicode: it holds half of a surrogate pair',
);

const aString = (): v.StringSchema<string> => v.string('must be a string');

/**
 * Text of any characters.
 * @param maximum largest length in Unicode code points.
 */
export const text = (maximum: number) =>
  v.pipe(
    aString(),
    v.metadata({ maxLength: maximum }),
    wellFormed,
    v.check((value) => codePoints(value) <= maximum, `must have at most ${maximum} characters`),
  );

/**
 * Text on one line, trimmed before it is measured and stored.
 * @param maximum largest length in Unicode code points, after trimming.
 */
export const label = (maximum: number) =>
  v.pipe(
    aString(),
    v.metadata({ minLength: 1, maxLength: maximum, pattern: '\\S' }),
    wellFormed,
    v.trim(),
    v.check(
      (value) => value.length > 0 && codePoints(value) <= maximum,
      `must have 1 to ${maximum} characters besides surrounding white space`,
    ),
  );

/** An open value: known ones are documented, others are welcome. */
export const status = () =>
  v.pipe(
    aString(),
    v.metadata({ minLength: 1, maxLength: 64 }),
    v.regex(statusPattern, 'must be 1 to 64 letters, digits, "-" or "_"'),
  );

/** One of a closed list of values. */
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  v.picklist(values, `must be one of ${values.join(', ')}`);

/** A calendar day, `YYYY-MM-DD` (RFC 3339 full-date). */
export const day = () =>
  v.pipe(
    aString(),
    v.metadata({ format: 'date', maxLength: 10 }),
    v.check((value) => {
      if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
      const time = Date.parse(`${value}T00:00:00Z`);
      // Date.parse rolls the 30th of February over into March; the day must come back as it went in.
      return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
    }, 'must be a day that exists, as YYYY-MM-DD'),
  );

/** What the OpenAPI document says of an e-mail address: valibot's own, without the flags that it could not say. */
export const documentedEmail = '^[\\w+-]+(?:\\.[\\w+-]+)*@[\\dA-Za-z]+(?:[.-][\\dA-Za-z]+)*\\.[A-Za-z]{2,}$';

/** The same, which never goes back in what it reads: looking behind tells what an address may end with. */
const emailPattern = /^[\w+-]+(?:\.[\w+-]+)*@[\dA-Za-z]+(?:[.-][\dA-Za-z]+)*(?<=\.[A-Za-z]{2,})$/;

/** An e-mail address of at most 254 characters (RFC 5321, 4.5.3.1.3). */
export const email = () =>
  v.pipe(
    aString(),
    v.metadata({ format: 'email' }),
    v.maxLength(254, 'must have at most 254 characters'),
    v.metadata({ pattern: documentedEmail }),
    v.check((value) => emailPattern.test(value), 'must be an e-mail address'),
  );

/** A colour as `#rrggbb`. */
export const color = () =>
  v.pipe(
    aString(),
    v.metadata({ maxLength: 7 }),
    v.regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color as #rrggbb, six hexadecimal digits'),
  );

/** The id of another entity. The store checks that it exists; `kind` says among which. */
export const reference = (kind: Kind) =>
  v.pipe(aString(), v.maxLength(255, 'must have at most 255 characters'), v.metadata({ reference: kind }));

/** Strings, none of them twice. */
export const setOf = <Item extends v.GenericSchema<string>>(item: Item, maximum: number) =>
  v.pipe(
    v.array(item, 'must be an array of strings'),
    v.metadata({ uniqueItems: true }),
    v.maxLength(maximum, `must have at most ${maximum} items`),
    v.check((value) => new Set(value).size === value.length, 'must not hold the same item twice'),
  );

/** A set of ids of other entities. */
export const references = (kind: Kind, maximum: number) => setOf(reference(kind), maximum);

/** A field that may be left out, and then has `value`. */
export const withDefault = <Schema extends v.GenericSchema, const Value extends v.InferInput<Schema>>(
  schema: Schema,
  value: Value,
) => v.optional(schema, value as never);

/** A field that may be null, and is when it is left out. */
export const nullable = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.nullable(schema), null);
