/** Generates requests from the OpenAPI document alone: valid ones, and ones with a single invalid part. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type {
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  RequestBody,
  Schema,
} from '#lib/openapi/types.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { fc } from '#test/support/fast-check.ts';

export interface Case {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** The invalid part. `undefined` for a valid request. */
  readonly wrong: string | undefined;
  readonly pathValues: Readonly<Record<string, Value>>;
  readonly query: readonly (readonly [name: string, value: Value])[];
  readonly headers: Readonly<Record<string, Value>>;
  /** The body before ids are filled in. */
  readonly body: unknown;
  /** Sent unchanged instead of `body`. */
  readonly rawBody?: string;
  readonly mediaType?: string;
}

/** Stands for the id of an entity that exists when the request is sent. */
export class KnownId {
  readonly kind: string;
  readonly choice: number;

  constructor(kind: string, choice: number) {
    this.kind = kind;
    this.choice = choice;
  }
}

/** The values of an array are sent separated by commas. */
type Value = string | KnownId | readonly Value[];

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

/** By the text of the schema: many bodies have the same fields, and each compilation takes milliseconds. */
const validators = new Map<string, ValidateFunction>();

const known = new WeakMap<Schema, ValidateFunction>();

function isValid(schema: Schema, value: unknown): boolean {
  let validate = known.get(schema);
  if (!validate) {
    const text = JSON.stringify(schema);
    validate = validators.get(text) ?? ajv.compile(schema);
    validators.set(text, validate);
    known.set(schema, validate);
  }
  return validate(value);
}

const referenceKind = (schema: Schema): string | undefined => schema['x-reference'] as string | undefined;

const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

function strings(schema: Schema): fc.Arbitrary<unknown> {
  const { pattern, format } = schema;
  const minLength = number(schema['minLength'], 0);
  const maxLength = number(schema['maxLength'], 40);
  if (format === 'date' || format === 'date-time') {
    const [min, max] = [new Date('0001-01-01'), new Date('9999-12-31')];
    const end = format === 'date' ? 10 : undefined;
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString().slice(0, end));
  }
  // An anchored pattern describes the whole text. Other patterns only require some character.
  if (typeof pattern === 'string' && pattern.startsWith('^')) return fc.stringMatching(new RegExp(pattern));
  const short = fc.string({ unit: anyCharacter, minLength, maxLength: Math.min(maxLength, 30) });
  const long = fc.string({
    unit: 'grapheme-ascii',
    minLength,
    maxLength: Math.min(maxLength, 400),
    size: 'max',
  });
  return fc.oneof({ weight: 9, arbitrary: short }, { weight: 1, arbitrary: long });
}

function arrays(schema: Schema, items: Schema): fc.Arbitrary<unknown> {
  const minLength = number(schema['minItems'], 0);
  const maxLength = Math.min(number(schema['maxItems'], 5), 5);
  if (referenceKind(items)) return fc.array(values(items), { minLength, maxLength: Math.min(maxLength, 1) });
  const several = fc.uniqueArray(values(items), { minLength, maxLength });
  // One operation that fails, such as one with an old version, refuses a whole batch: many have a single one.
  return items.oneOf ? fc.oneof(fc.tuple(values(items)), several) : several;
}

function values(schema: Schema): fc.Arbitrary<unknown> {
  const { type, enum: closed, items, properties, oneOf } = schema;
  if (oneOf) return fc.oneof(...oneOf.map(values));
  const kind = referenceKind(schema);
  const types = [type].flat();
  if (types.includes('null') && types.length > 1) {
    const other = values({ ...schema, type: types.filter((one) => one !== 'null') as string[] });
    return fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 3, arbitrary: other });
  }
  if (kind) return ids(kind, strings(schema) as fc.Arbitrary<string>);
  if (closed) return fc.constantFrom(...closed);
  if (properties) return fields(properties, schema.required ?? []);
  if (items) return arrays(schema, items);
  if (types.includes('string')) return strings(schema).filter((value) => isValid(schema, value));
  if (types.includes('boolean')) return fc.boolean();
  if (types.includes('number')) {
    const [min, max] = [number(schema['minimum'], -1_000), number(schema['maximum'], 1_000)];
    // No keyword says that numbers have two decimals.
    return fc.integer({ min: 100 * min, max: 100 * max }).map((units) => units / 100);
  }
  if (types.includes('integer')) {
    const max = Math.min(number(schema['maximum'], Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
    return fc.oneof(
      fc.integer({ min: 1, max: 5 }),
      fc.maxSafeInteger().filter((one) => one >= 1 && one <= max),
    );
  }
  return fc.jsonValue({ maxDepth: 2 });
}

const ids = (kind: string, otherwise: fc.Arbitrary<string>): fc.Arbitrary<Value> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.nat(1_000).map((choice) => new KnownId(kind, choice)) },
    { weight: 1, arbitrary: otherwise.filter((text) => !/^\.{0,2}$/.test(text)) },
  );

function fields(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, values(schema)]),
  );
  const record = fc.record(model, { requiredKeys: required as never[] });
  return 'startDate' in properties && 'dueDate' in properties ? record.map(withDatesInOrder) : record;
}

/** Returns fields in which nothing ends before it starts: no schema says so. Of two dates, a missing one is null. */
function withDatesInOrder(record: Record<string, unknown>): Record<string, unknown> {
  const { startDate, dueDate } = record;
  if (typeof startDate === 'string' && typeof dueDate === 'string' && dueDate < startDate) {
    return { ...record, startDate: dueDate, dueDate: startDate };
  }
  if (startDate !== undefined && dueDate === undefined) return { ...record, dueDate: null };
  return dueDate !== undefined && startDate === undefined ? { ...record, startDate: null } : record;
}

/** Values that are invalid for some fields. Valid ones are removed for each field. */
const candidates: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, '', ' \t\n', 'x', 'not allowed!', '2026-02-30', '#12345g', 'a@b', {}],
  ...[[], ['x', 'x'], ['tasks', 'tasks'], [null], 'é'.repeat(256), '\u{1f600}'.repeat(10_001)],
];

function tooMuch({ maxLength, maxItems }: Schema): unknown[] {
  return [
    ...(typeof maxLength === 'number' ? ['x'.repeat(maxLength + 1)] : []),
    ...(typeof maxItems === 'number'
      ? [Array.from({ length: maxItems + 1 }, (_, position) => `${position}`)]
      : []),
  ];
}

/** Returns invalid values of a schema. Unknown ids are excluded, because the schema allows them. */
const wrongValues = (schema: Schema): unknown[] => [
  ...candidates.filter(
    (value) => !isValid(schema, value) && !(referenceKind(schema) && typeof value === 'string'),
  ),
  ...tooMuch(schema),
];

function asText(value: unknown): Value {
  if (Array.isArray(value)) return value.map(asText);
  return value instanceof KnownId ? value : String(value);
}

function asParameter({ type, items }: Schema, value: string): unknown {
  if (type === 'array') return value.split(',').map((one) => asParameter(items ?? {}, one));
  if (type === 'boolean' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return (type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

/**
 * Returns a query that follows what no schema says: its order has one direction, as there must be as many directions as fields; and it does not ask
 * for a cursor of changes beside a search.
 */
const withoutContradictions = (query: readonly [string, Value][]): [string, Value][] =>
  query
    .filter(([name]) => name !== 'changesCursor' || !query.some(([other]) => other === 'search'))
    .map(([name, value]) => [
      name,
      /^sort_?order$/i.test(name) && Array.isArray(value) ? value.slice(0, 1) : value,
    ]);

/** Returns texts to search for: no schema says how many words they have. */
const searches = (): fc.Arbitrary<string> =>
  fc
    .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), { maxLength: 2 })
    .map((words) => words.join(' '));

/** Characters of a wrong parameter. A longer one does not fit into the request line. */
const maxWrongLength = 1_000;

const wrongTexts = ['', '0', '-1', '1.5', 'x', 'ASC', 'tagIds', 'é', 'x'.repeat(256)];

type Parts = Pick<Case, 'pathValues' | 'query' | 'headers' | 'body'>;

class OperationCases {
  readonly #document: OpenApiDocument;
  readonly #operation: Operation;
  readonly #parameters: readonly Parameter[];
  readonly #method: string;
  readonly #path: string;

  constructor(document: OpenApiDocument, method: string, path: string, operation: Operation) {
    this.#document = document;
    this.#operation = operation;
    this.#method = method.toUpperCase();
    this.#path = path;
    this.#parameters = (operation.parameters ?? []).flatMap((parameter) => this.#resolved(parameter) ?? []);
  }

  cases(): fc.Arbitrary<Case> {
    const valid = this.#valid();
    const wrongs = this.#wrongs();
    const asDeclared = valid.map((parts) => this.#case(parts, undefined));
    if (wrongs.length === 0) return asDeclared;
    const oneWrong = fc
      .tuple(valid, fc.constantFrom(...wrongs))
      .map(([parts, [wrong, change]]) => this.#case({ ...parts, ...change(parts) }, wrong));
    return fc.oneof(asDeclared, oneWrong);
  }

  #resolved(parameter: Parameter | Reference): Parameter | undefined {
    return '$ref' in parameter
      ? this.#document.components.parameters[parameter.$ref.split('/').at(-1) ?? '']
      : parameter;
  }

  #bodySchema(): { requestBody: RequestBody; schema: Schema } | undefined {
    const { requestBody } = this.#operation;
    const { $ref = '' } = requestBody?.content['application/json']?.schema ?? {};
    const schema = this.#document.components.schemas[$ref.split('/').at(-1) ?? ''];
    return requestBody && schema && { requestBody, schema: this.#inlined(schema) as Schema };
  }

  #inlined(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((one) => this.#inlined(one));
    if (typeof part !== 'object' || part === null) return part;
    const { $ref } = part as Schema;
    if ($ref) return this.#inlined(this.#document.components.schemas[$ref.split('/').at(-1) ?? '']);
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, this.#inlined(one)]));
  }

  #case(parts: Parts & Partial<Case>, wrong: string | undefined): Case {
    return { ...parts, wrong, operation: this.#operation, method: this.#method, path: this.#path };
  }

  #in(place: Parameter['in']): Parameter[] {
    return this.#parameters.filter((parameter) => parameter.in === place);
  }

  /** Returns values of some query parameters. It uses one of two spellings, because both could differ. */
  #query(): fc.Arbitrary<[string, Value][]> {
    // No schema can express which texts are cursors: they come from responses.
    const parameters = this.#in('query').filter(({ name }) => name !== 'after' && name !== 'since');
    const some = (deprecated: boolean) => {
      const chosen = parameters.filter((parameter) => Boolean(parameter.deprecated) === deprecated);
      return fc
        .subarray(chosen, { maxLength: Math.min(4, chosen.length) })
        .chain((subset) =>
          fc
            .tuple(
              ...subset.map(({ name, schema }) =>
                name === 'search' ? searches() : values(schema).map(asText),
              ),
            )
            .map((all) =>
              withoutContradictions(all.map((value, position) => [subset[position]?.name ?? '', value])),
            ),
        );
    };
    return fc.oneof({ weight: 4, arbitrary: some(false) }, { weight: 1, arbitrary: some(true) });
  }

  #valid(): fc.Arbitrary<Parts> {
    const body = this.#bodySchema();
    const pathValues = this.#in('path').map(({ name, schema, example }) => {
      const own = values(schema)
        .map(asText)
        .filter((value) => !/^\.{0,2}$/.test(String(value)));
      const known = fc.constant(String(example));
      return [name, referenceKind(schema) ? own : fc.oneof(own, known)] as const;
    });
    const headers = this.#in('header').map(({ name, schema }) => {
      const text =
        'pattern' in schema ? values(schema).map(asText) : fc.constantFrom('*', '"x"', 'W/"1"', 'x');
      return [name, text] as const;
    });
    return fc.record({
      pathValues: fc.record(Object.fromEntries(pathValues)) as fc.Arbitrary<Record<string, Value>>,
      query: this.#query(),
      headers: fc.oneof(
        fc.constant({}),
        fc.record(Object.fromEntries(headers), { requiredKeys: [] }) as fc.Arbitrary<Record<string, Value>>,
      ),
      body: body ? values(body.schema).map((value) => this.#withoutOwnId(value)) : fc.constant(undefined),
    });
  }

  /** Leaves `id` out of the body of a creation: the schema is shared with `PUT`, which ignores it, and `POST` refuses it. */
  #withoutOwnId(body: unknown): unknown {
    if (this.#method !== 'POST') return body;
    const { id: _id, ...rest } = body as Record<string, unknown>;
    return rest;
  }

  /** Returns every invalid part with the change that produces it. */
  #wrongs(): [string, (parts: Parts) => Partial<Case>][] {
    const wrongs: [string, (parts: Parts) => Partial<Case>][] = [
      'unknown',
      '__proto__',
      'page[]',
      'Name',
    ].map((name) => [`the parameter ${name}`, ({ query }) => ({ query: [...query, [name, 'x']] })]);
    for (const { name, schema } of this.#in('query')) {
      for (const text of wrongTexts.filter((value) => !isValid(schema, asParameter(schema, value)))) {
        wrongs.push([`${name}=${text}`, () => ({ query: [[name, text]] })]);
      }
      for (const value of tooMuch(schema).filter((one) => String(one).length < maxWrongLength)) {
        wrongs.push([`${name} with too much`, () => ({ query: [[name, asText(value)]] })]);
      }
      // A parameter with several values of any kind can be repeated.
      if (schema.items && isValid(schema, asParameter(schema, '1'))) continue;
      wrongs.push([
        `${name} twice`,
        () => ({
          query: [
            [name, '1'],
            [name, '2'],
          ],
        }),
      ]);
    }
    for (const { name, schema } of this.#in('header')) {
      if (!('pattern' in schema)) continue;
      for (const text of wrongTexts.filter((value) => value !== '' && !isValid(schema, value))) {
        wrongs.push([
          `the header ${name}: ${text}`,
          ({ headers }) => ({ headers: { ...headers, [name]: text } }),
        ]);
      }
    }
    return [...wrongs, ...this.#wrongBodies()];
  }

  #wrongBodies(): [string, (parts: Parts) => Partial<Case>][] {
    const body = this.#bodySchema();
    if (!body) return [];
    const raw = ['[]', '"x"', 'null', '1', '{', '{"name":}', ...(body.requestBody.required ? [''] : [])];
    const { properties = {}, required = [] } = body.schema;
    const changed = (change: (fields: Record<string, unknown>) => object) => (parts: Parts) => ({
      body: change(parts.body as Record<string, unknown>),
    });
    return [
      ...raw.map((rawBody): [string, () => Partial<Case>] => [`the body ${rawBody}`, () => ({ rawBody })]),
      ['the media type', () => ({ mediaType: 'text/plain' })],
      ['an unknown field', changed((all) => ({ ...all, unknown: 1 }))],
      ...required.map((name): [string, (parts: Parts) => Partial<Case>] => [
        `without ${name}`,
        changed(({ [name]: _, ...rest }) => rest),
      ]),
      ...Object.entries(properties).flatMap(([name, schema]) =>
        wrongValues(schema).map((value): [string, (parts: Parts) => Partial<Case>] => [
          `${name}: ${JSON.stringify(value).slice(0, 60)}`,
          changed((all) => ({ ...all, [name]: value })),
        ]),
      ),
    ];
  }
}

/**
 * Generates requests of all operations.
 * @returns a function that takes the ids of operations to send ten times as often as the others.
 */
export function casesOf(document: OpenApiDocument): (frequent: readonly string[]) => fc.Arbitrary<Case> {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      arbitrary: new OperationCases(document, method, path, operation).cases(),
    })),
  );
  return (frequent) =>
    fc.oneof(
      ...operations.map(({ id, arbitrary }) => ({ weight: frequent.includes(id) ? 10 : 1, arbitrary })),
    );
}
