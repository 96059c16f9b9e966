import fc from 'fast-check';
import type { Direction, Filter, FilterOperator } from '#functions/store/model/list-query.ts';
import {
  countableFields,
  type Entity,
  expansionsOf,
  type Field,
  type FieldType,
  fieldsOf,
  type Kind,
  kinds,
  type ListModel,
  type ListRequest,
  listOperators,
  operatorsOf,
  priorities,
  sortableFields,
  type Value,
} from '../simulation/list-model.ts';

/**
 * Random steps: writes, compactions and lists. A step names entities by their position in the model, because ids are known only
 * when the service has created them.
 */

/** The position of an entity among those of its kind, modulo their number. */
interface Choice {
  readonly of: number;
}

/** The value of a field: itself, one reference, or several references. */
type PlannedValue = string | null | Choice | readonly Choice[];

type PlannedBody = Readonly<Record<string, PlannedValue>>;

export type PlannedWrite =
  | { readonly operation: 'create'; readonly body: PlannedBody }
  | { readonly operation: 'update'; readonly of: number; readonly body: PlannedBody }
  | { readonly operation: 'delete'; readonly of: number };

type Change = 'none' | 'first' | 'second' | 'third';

interface PlannedOperand {
  readonly literal: string;
  /** Takes the value of an entity instead, if it has one. */
  readonly of?: number | undefined;
  readonly change: Change;
}

interface PlannedFilter {
  readonly field: string;
  readonly operator: FilterOperator;
  readonly operands: readonly PlannedOperand[];
  /** Whether the parameter occurs once for each value. Otherwise, commas separate the values. */
  readonly isRepeated: boolean;
}

interface PlannedList {
  readonly kind: Kind;
  readonly nested?: { readonly field: string; readonly of: number } | undefined;
  readonly filters: readonly PlannedFilter[];
  readonly sort: readonly { readonly field: string; readonly direction: Direction }[];
  /** Whether a direction that is the same for all fields occurs once, or not at all if it is the default. */
  readonly isShort: boolean;
  readonly page: number;
  readonly limit: number;
  readonly fields?: readonly string[] | undefined;
  readonly expand: readonly string[];
  readonly countBy: readonly string[];
  readonly method: 'GET' | 'HEAD';
}

export type Step =
  | { readonly type: 'write'; readonly kind: Kind; readonly write: PlannedWrite }
  | { readonly type: 'replace'; readonly kind: Kind; readonly of: number; readonly body: PlannedBody }
  /** Several writes: in one batch, or in concurrent requests. */
  | {
      readonly type: 'writes';
      readonly kind: Kind;
      readonly writes: readonly PlannedWrite[];
      readonly isBatch: boolean;
    }
  | { readonly type: 'compact'; readonly kind: Kind }
  | {
      readonly type: 'read';
      readonly kind: Kind;
      readonly of: number;
      readonly expand: readonly string[];
    }
  | ({ readonly type: 'list' } & PlannedList);

/** Few characters, so that texts are often equal or begin alike: two cases, a comma, a backslash, and characters in and beyond the BMP. */
const characters = [
  'a',
  'A',
  'b',
  'B',
  'é',
  'É',
  'İ',
  'ß',
  ',',
  '\\',
  '%',
  '_',
  '\uFF5E',
  '\u{1F600}',
  '\u{10400}',
];
const shortText = fc
  .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''));

/** Texts around the 100 characters by which descriptions sort, and around the 400 bytes above which they are stored beside their entity. */
const longText = fc
  .record({
    character: fc.constantFrom('x', 'X', 'é', '\u{1F600}'),
    length: fc.constantFrom(98, 99, 100, 101, 399, 400, 401),
    end: fc.constantFrom('', 'a', 'A', 'b', '\u{1F600}'),
  })
  .map(({ character, length, end }) => {
    const bytes = Buffer.byteLength(character);
    // Texts of 400 characters of several bytes would not fit into a URL.
    return character.repeat(length > 101 ? Math.floor(length / bytes) : length) + end;
  });

const dates = ['2024-02-29', '2025-12-31', '2026-01-01', '2026-01-02'];
const day = fc.constantFrom(...dates);

/** None is after one of the others: a project must not end before it starts. */
const startDay = fc.constantFrom('2023-12-31', '2024-02-28', '2024-02-29');

/** Random values by the name of the field. */
const valuesOf: Readonly<Record<string, fc.Arbitrary<string>>> = {
  name: shortText,
  status: fc.constantFrom('active', 'Active', 'ACTIVE', 'a', 'a-b', 'a_b', 'done'),
  description: fc.oneof(fc.constant(''), shortText, longText),
  priority: fc.constantFrom(...priorities),
  startDate: startDay,
  dueDate: day,
  email: fc.constantFrom('a@b.example', 'A@b.example', 'a.b@b.example', 'b@a.example'),
  color: fc.constantFrom('#808080', '#ff0000', '#FF0000', '#0000ff'),
  // No two users have the same one.
  subject: fc.noBias(fc.noShrink(fc.uuid())),
};

const choice = fc.record({ of: fc.nat(63) });

function plannedValue(name: string, { type, default: byDefault }: Field): fc.Arbitrary<PlannedValue> {
  if (type === 'ids') return fc.array(choice, { maxLength: 4 });
  const value: fc.Arbitrary<PlannedValue> = type === 'id' ? choice : (valuesOf[name] ?? shortText);
  return byDefault === null ? fc.option(value, { freq: 4, nil: null }) : value;
}

const writableFields = (kind: Kind): [string, Field][] =>
  Object.entries(fieldsOf[kind]).filter(([, { isReadOnly }]) => !isReadOnly);

function plannedBody(kind: Kind, isWhole: boolean): fc.Arbitrary<PlannedBody> {
  const fields = writableFields(kind);
  const required = fields.flatMap(([name, field]) => (field.default === undefined ? [name] : []));
  return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, plannedValue(name, field)])), {
    requiredKeys: isWhole ? required : [],
  }) as fc.Arbitrary<PlannedBody>;
}

const position = fc.nat(63);

const create = (kind: Kind): fc.Arbitrary<PlannedWrite> =>
  fc.record({ operation: fc.constant('create' as const), body: plannedBody(kind, true) });

const update = (kind: Kind): fc.Arbitrary<PlannedWrite> =>
  fc.record({ operation: fc.constant('update' as const), of: position, body: plannedBody(kind, false) });

const remove = (): fc.Arbitrary<PlannedWrite> =>
  fc.record({ operation: fc.constant('delete' as const), of: position });

/** Half of the entities are tasks, which have the most fields. */
const kind = fc.oneof(
  { arbitrary: fc.constant<Kind>('task'), weight: 4 },
  { arbitrary: fc.constantFrom(...kinds), weight: 5 },
);

const change = fc.constantFrom<Change>('none', 'none', 'first', 'second', 'third');

/** Values that no entity has, and values that some may have. */
function literal(name: string, type: FieldType): fc.Arbitrary<string> {
  switch (type) {
    case 'timestamp':
      return fc.constantFrom(
        '2020-01-01T00:00:00Z',
        '2099-12-31T23:59:59.999+14:00',
        '2099-12-31T23:59:59-01:30',
      );
    case 'id':
    case 'ids':
      return fc.constantFrom('unknown', '0192f0c1-2d3e-7abc-8def-0123456789ab', '7');
    case 'date':
      return fc.constantFrom(...dates, '0001-01-01', '9999-12-31');
    default:
      return valuesOf[name] ?? shortText;
  }
}

function plannedFilter(kind: Kind): fc.Arbitrary<PlannedFilter> {
  return fc.constantFrom(...Object.entries(fieldsOf[kind])).chain(([name, { type }]) =>
    fc.constantFrom(...operatorsOf(kind, name)).chain((operator): fc.Arbitrary<PlannedFilter> => {
      const isBoolean = operator === 'isNull' || operator === 'isEmpty';
      const operand: fc.Arbitrary<PlannedOperand> = isBoolean
        ? fc.record({ literal: fc.constantFrom('true', 'false'), change: fc.constant<Change>('none') })
        : fc.record({
            literal: literal(name, type),
            of: fc.option(position, { freq: 3, nil: undefined }),
            change,
          });
      return fc.record({
        field: fc.constant(name),
        operator: fc.constant(operator),
        operands: fc.array(operand, { minLength: 1, maxLength: listOperators.includes(operator) ? 4 : 1 }),
        isRepeated: fc.boolean(),
      });
    }),
  );
}

/** Returns some of the values, in any order, often none. */
const some = (values: readonly string[]): fc.Arbitrary<string[]> =>
  values.length === 0
    ? fc.constant([])
    : fc.oneof(
        { arbitrary: fc.constant<string[]>([]), weight: 3 },
        { arbitrary: fc.shuffledSubarray([...values], { minLength: 1 }), weight: 2 },
      );

/** The references of nested lists by the kind that they list. */
const nestedBy: Readonly<Record<Kind, readonly string[]>> = {
  organization: [],
  project: ['organizationId'],
  user: ['organizationId'],
  task: ['projectId', 'userId', 'tagIds'],
  tag: [],
};

function list(kind: Kind): fc.Arbitrary<Step> {
  const parents = nestedBy[kind];
  const nested =
    parents.length === 0
      ? fc.constant(undefined)
      : fc.option(fc.record({ field: fc.constantFrom(...parents), of: position }), { nil: undefined });
  return fc.record({
    type: fc.constant('list' as const),
    kind: fc.constant(kind),
    nested,
    filters: fc.uniqueArray(plannedFilter(kind), {
      maxLength: 4,
      selector: ({ field, operator }) => `${field} ${operator}`,
    }),
    sort: fc.uniqueArray(
      fc.record({
        field: fc.constantFrom(...sortableFields(kind)),
        direction: fc.constantFrom<Direction>('asc', 'desc'),
      }),
      { maxLength: 3, selector: ({ field }) => field },
    ),
    isShort: fc.boolean(),
    page: fc.oneof(
      { arbitrary: fc.constant(1), weight: 3 },
      { arbitrary: fc.integer({ min: 1, max: 4 }), weight: 2 },
    ),
    limit: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(20, 100)),
    fields: fc.option(some(Object.keys(fieldsOf[kind])), { nil: undefined }),
    expand: some(Object.keys(expansionsOf(kind))),
    countBy: some(countableFields(kind)),
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'HEAD'),
  });
}

export const step: fc.Arbitrary<Step> = kind.chain((kind): fc.Arbitrary<Step> => {
  const constants = { kind: fc.constant(kind) };
  const single = (write: fc.Arbitrary<PlannedWrite>): fc.Arbitrary<Step> =>
    fc.record({ type: fc.constant('write' as const), ...constants, write });
  const writes = fc.array(fc.oneof(create(kind), update(kind), remove()), { minLength: 1, maxLength: 8 });
  return fc.oneof(
    { arbitrary: single(create(kind)), weight: 16 },
    { arbitrary: single(update(kind)), weight: 9 },
    { arbitrary: single(remove()), weight: 3 },
    {
      arbitrary: fc.record({
        type: fc.constant('replace' as const),
        ...constants,
        of: position,
        body: plannedBody(kind, true),
      }),
      weight: 3,
    },
    {
      arbitrary: fc.record({
        type: fc.constant('writes' as const),
        ...constants,
        writes,
        isBatch: fc.boolean(),
      }),
      weight: 8,
    },
    { arbitrary: fc.record({ type: fc.constant('compact' as const), ...constants }), weight: 5 },
    {
      arbitrary: fc.record({
        type: fc.constant('read' as const),
        ...constants,
        of: position,
        expand: some(Object.keys(expansionsOf(kind))),
      }),
      weight: 3,
    },
    { arbitrary: list(kind), weight: 53 },
  );
});

const chosen = <Item>(items: readonly Item[], of: number): Item | undefined => items[of % items.length];

/** Returns the id of an entity of a kind, if there is one. */
export const chosenId = (model: ListModel, kind: Kind, of: number): string | undefined =>
  chosen(model.all(kind), of)?.id;

function resolveValue(model: ListModel, { refersTo }: Field, value: PlannedValue): Value | undefined {
  if (value === null || typeof value === 'string' || !refersTo) return value as Value;
  if ('of' in value) return chosenId(model, refersTo, value.of);
  return [...new Set(value.flatMap(({ of }) => chosenId(model, refersTo, of) ?? []))];
}

/** Returns a body with ids, or `undefined` if a required reference has no entity to name. */
export function resolveBody(
  model: ListModel,
  kind: Kind,
  body: PlannedBody,
): Record<string, Value> | undefined {
  const resolved: Record<string, Value> = {};
  for (const [name, value] of Object.entries(body)) {
    const field = fieldsOf[kind][name] as Field;
    const found = resolveValue(model, field, value);
    if (found !== undefined) resolved[name] = found;
    else if (field.default === undefined) return undefined;
  }
  return resolved;
}

const changedText: Readonly<Record<Change, (text: string) => string>> = {
  none: (text) => text,
  first: (text) => text.toLowerCase(),
  second: (text) => [...text].slice(0, -1).join(''),
  third: (text) => [...text].slice(1).join('').toUpperCase(),
};

/** The same time two hours ahead of UTC, the time without milliseconds, and the next millisecond. */
const changedTime: Readonly<Record<Change, (time: string) => string>> = {
  none: (time) => time,
  first: (time) => new Date(Date.parse(time) + 7_200_000).toISOString().replace('Z', '+02:00'),
  second: (time) => time.replace(/\.\d+/, ''),
  third: (time) => new Date(Date.parse(time) + 1).toISOString(),
};

const textual: readonly FieldType[] = ['text', 'description', 'id'];

/** `description[startsWith]` takes at most 100 characters. */
const maxStartCharacters = 100;

function resolveOperand(
  entities: readonly Entity[],
  { field, operator }: PlannedFilter,
  type: FieldType,
  { literal, of, change }: PlannedOperand,
): string {
  const value = of === undefined ? undefined : [chosen(entities, of)?.[field] ?? undefined].flat()[0];
  const text = value ?? literal;
  const isText = operator === 'startsWith' || operator === 'contains';
  if (type === 'timestamp') return operator === 'eq' ? text : changedTime[change](text);
  if (!textual.includes(type)) return text;
  const changed = changedText[change](text);
  if (!isText) return changed;
  // An empty text is part of every text: it would not select anything.
  return [...changed].slice(0, maxStartCharacters).join('') || 'a';
}

const escapedListValue = (value: string): string =>
  value.replaceAll(/[\\,]/g, (character) => `\\${character}`);

/** A parameter and its values, which literal commas separate. */
type Parameter = readonly [name: string, values: readonly string[]];

function parametersOfFilter({ field, operator, values }: Filter, isRepeated: boolean): Parameter[] {
  if (operator === 'eq') return [[field, [values[0] ?? '']]];
  const name = `${field}[${operator}]`;
  if (!listOperators.includes(operator)) return [[name, [values[0] ?? '']]];
  const escaped = values.map(escapedListValue);
  return isRepeated ? escaped.map((value) => [name, [value]]) : [[name, escaped]];
}

function parametersOfSort(sort: PlannedList['sort'], isShort: boolean): Parameter[] {
  if (sort.length === 0) return [];
  const directions = sort.map(({ direction }) => direction);
  const isUniform = new Set(directions).size === 1;
  const sortBy: Parameter = ['sortBy', sort.map(({ field }) => field)];
  if (isShort && isUniform && directions[0] === 'desc') return [sortBy];
  return [sortBy, ['sortOrder', isShort && isUniform ? directions.slice(0, 1) : directions]];
}

const optional = (name: string, values: readonly string[] | undefined): Parameter[] =>
  values && values.length > 0 ? [[name, values]] : [];

const queryText = (parameters: readonly Parameter[]): string =>
  parameters
    .map(([name, values]) => `${encodeURIComponent(name)}=${values.map(encodeURIComponent).join(',')}`)
    .join('&');

export const pluralOf = (kind: Kind): string => `${kind}s`;

/** Characters of a query: API Gateway accepts a request line and headers of 10,240 bytes, with the token. */
const maxQueryCharacters = 6_000;

/** Returns a list as a request for the model, and as the address for the service. */
export function resolveList(
  model: ListModel,
  planned: PlannedList,
): { request: ListRequest; address: string } {
  const { kind, nested, sort, isShort, page, limit, expand, countBy } = planned;
  const entities = model.all(kind);
  const parentKind = nested && fieldsOf[kind][nested.field]?.refersTo;
  const parentId = nested && parentKind && chosenId(model, parentKind, nested.of);
  const parent = nested && parentId !== undefined ? { field: nested.field, id: parentId } : undefined;
  // A list of no fields is the same as all fields.
  const fields = planned.fields && planned.fields.length > 0 ? planned.fields : undefined;
  const filters = planned.filters.map((filter) => {
    const { type } = fieldsOf[kind][filter.field] as Field;
    const values = filter.operands.map((operand) => resolveOperand(entities, filter, type, operand));
    const resolved: Filter = { field: filter.field, operator: filter.operator, values };
    return { resolved, isRepeated: filter.isRepeated };
  });
  const path = parent && parentKind ? `/v1/${pluralOf(parentKind)}/${parent.id}/` : '/v1/';
  for (;;) {
    const query = queryText([
      ...filters.flatMap(({ resolved, isRepeated }) => parametersOfFilter(resolved, isRepeated)),
      ...parametersOfSort(sort, isShort),
      ['page', [String(page)]],
      ['limit', [String(limit)]],
      ...optional('fields', fields),
      ...optional('expand', expand),
      ...optional('countBy', countBy),
    ]);
    if (query.length > maxQueryCharacters) {
      filters.pop();
      continue;
    }
    return {
      request: {
        kind,
        parent,
        filters: filters.map(({ resolved }) => resolved),
        sort,
        page,
        limit,
        fields,
        expand,
        countBy,
      },
      address: `${path}${pluralOf(kind)}?${query}`,
    };
  }
}
