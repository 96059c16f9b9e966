/** The model of lists in tests: a plain search, sort and count over all entities. It shares no code with the service. */
import type { Filter, ListQuery, Page, SortField, ValueCount } from '#functions/engine/model/list-query.ts';

/** A value of an entity: lists know no others. */
type Scalar = string | number | boolean | null;
type Plain = Scalar | readonly string[];

/** Entities of any type: a field that an entity does not have is null, unless the query has a default. */
interface Listed {
  readonly id: string;
}

/** The values of enumerations in their order. */
export const ranks = {
  priority: ['none', 'low', 'medium', 'high', 'urgent'],
  visibility: ['tenant', 'members'],
} as const;

const longField = 'description';
const sortedCharacters = 100;
const maxValues = 100;

function plainValue(entity: Listed, field: string, { defaults }: ListQuery): Plain {
  const value = (entity as Listed & Readonly<Record<string, unknown>>)[field];
  return ((value === undefined ? defaults?.[field] : value) ?? null) as Plain;
}

/** Surrogates are the units of the greatest code points, although some other units are greater. */
const unitOrder = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

const blockLength = 64;

/** Compares by code point. Equal texts, and texts with long equal beginnings, are frequent: they are compared in blocks. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  const end = Math.min(one.length, other.length);
  let start = 0;
  while (start < end && one.startsWith(other.slice(start, start + blockLength), start)) start += blockLength;
  for (let position = start; position < end; position += 1) {
    const difference = unitOrder(one.charCodeAt(position)) - unitOrder(other.charCodeAt(position));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

const lower = (text: string): string =>
  Array.from(text, (each) => each.toLowerCase().replace('ς', 'σ')).join('');

/** Compares by rank, or by code point. Null is lowest. */
function compareValues(one: Plain, other: Plain, ranks: readonly string[] | undefined): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) - Number(other);
  if (ranks) return ranks.indexOf(String(one)) - ranks.indexOf(String(other));
  return compareTexts(String(one), String(other));
}

/** Returns the value that a filter names, in the type of the values of its field. */
function operandOf(value: Scalar, text: string): Scalar {
  if (typeof value === 'number') return text === '' ? Number.NaN : Number(text);
  return typeof value === 'boolean' ? text === 'true' : text;
}

function scalarMatches(
  value: Scalar,
  { operator, values }: Filter,
  ranks: readonly string[] | undefined,
): boolean {
  const [first = ''] = values;
  const isOneOf = value !== null && values.some((one) => operandOf(value, one) === value);
  const compared = value === null ? Number.NaN : compareValues(value, operandOf(value, first), ranks);
  switch (operator) {
    case 'eq':
    case 'in':
      return isOneOf;
    case 'ne':
    case 'notIn':
      return !isOneOf;
    case 'lt':
      return compared < 0;
    case 'lte':
      return compared <= 0;
    case 'gt':
      return compared > 0;
    case 'gte':
      return compared >= 0;
    case 'startsWith':
      return value !== null && lower(String(value)).startsWith(lower(first));
    case 'contains':
      return value !== null && lower(String(value)).includes(lower(first));
    case 'isNull':
      return (value === null) === (first === 'true');
    default:
      throw new TypeError(operator);
  }
}

function arrayMatches(ids: readonly string[], { operator, values }: Filter): boolean {
  switch (operator) {
    case 'eq':
    case 'in':
      return values.some((value) => ids.includes(value));
    case 'all':
      return values.every((value) => ids.includes(value));
    case 'isEmpty':
      return (ids.length === 0) === (values[0] === 'true');
    default:
      throw new TypeError(operator);
  }
}

const searchedFields = ['name', 'description'];

/** Returns the words of a text, read character by character. */
function wordsIn(text: string): string[] {
  let joined = '';
  for (const character of text.normalize('NFKD')) {
    if (/\p{M}/u.test(character)) continue;
    joined += /[\p{L}\p{N}]/u.test(character) ? lower(character) : ' ';
  }
  return joined.split(' ').filter((word) => word !== '');
}

/** Returns whether each word of a text is the beginning of a word of the entity. */
function isFound(entity: Listed, text: string, query: ListQuery): boolean {
  const words = searchedFields.flatMap((field) => wordsIn(String(plainValue(entity, field, query) ?? '')));
  return wordsIn(text).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

function meetsFilter(entity: Listed, filter: Filter, query: ListQuery): boolean {
  if (filter.operator === 'search') return isFound(entity, filter.values.join(' '), query);
  const value = plainValue(entity, filter.field, query);
  if (filter.values.length === 0) return filter.operator === 'notIn' || filter.operator === 'all';
  return Array.isArray(value)
    ? arrayMatches(value, filter)
    : scalarMatches(value as Scalar, filter, query.ranks?.[filter.field]);
}

/** Returns the sums of numbers, which are added in whole units of their last decimal. */
const sumsOf = (entities: readonly Listed[], query: ListQuery): Record<string, number> =>
  Object.fromEntries(
    query.sumBy.map(({ field, decimals }) => {
      const units = entities.map((entity) =>
        Math.round(Number(plainValue(entity, field, query)) * 10 ** decimals),
      );
      return [field, units.reduce((sum, one) => sum + one, 0) / 10 ** decimals];
    }),
  );

function countValues(entities: readonly Listed[], field: string, query: ListQuery): ValueCount[] {
  const counts = new Map<Scalar, Listed[]>();
  for (const entity of entities) {
    for (const value of [plainValue(entity, field, query)].flat() as Scalar[])
      counts.set(value, [...(counts.get(value) ?? []), entity]);
  }
  return [...counts]
    .sort(
      ([one, own], [other, others]) =>
        others.length - own.length || compareValues(one, other, query.ranks?.[field]),
    )
    .map(([value, own]) => ({
      value,
      count: own.length,
      ...(query.sumBy.length > 0 && { sums: sumsOf(own, query) }),
    }))
    .slice(0, maxValues);
}

const sortedText = (field: string, value: Plain): Plain =>
  field === longField && typeof value === 'string' ? [...value].slice(0, sortedCharacters).join('') : value;

interface PlainPage<Entity> extends Pick<Page, 'total' | 'counts' | 'sums'> {
  readonly entities: readonly Entity[];
}

export function plainList<Entity extends Listed>(
  entities: Iterable<Entity>,
  query: ListQuery,
): PlainPage<Entity> {
  const { filters, sort, ranks, page, limit } = query;
  // No two entities have the same id, whose order is that of creation.
  const end = sort.findIndex(({ field }) => field === 'createdAt' || field === 'id');
  const { direction } = sort[Math.max(0, end)] ?? { direction: 'asc' as const };
  const levels = [...sort.slice(0, end < 0 ? sort.length : end), { field: 'id', direction }];
  const found = [...entities].filter((entity) =>
    filters.every((filter) => meetsFilter(entity, filter, query)),
  );
  const keyed = found.map((entity) => ({
    entity,
    keys: levels.map(({ field }) => sortedText(field, plainValue(entity, field, query))),
  }));
  keyed.sort((one, other) => {
    for (const [level, { field, direction: own }] of levels.entries()) {
      const [first, second] = [one.keys[level], other.keys[level]] as [Plain, Plain];
      const compared = compareValues(first, second, ranks?.[field]);
      if (compared !== 0) return own === 'desc' ? -compared : compared;
    }
    return 0;
  });
  return {
    entities: keyed.slice((page - 1) * limit, page * limit).map(({ entity }) => entity),
    total: found.length,
    sums: sumsOf(found, query),
    counts: Object.fromEntries(query.countBy.map((field) => [field, countValues(found, field, query)])),
  };
}

/** Returns all entities in the order of a list. */
export const plainOrder = <Entity extends Listed>(
  entities: Iterable<Entity>,
  sort: readonly SortField[],
): readonly Entity[] =>
  plainList(entities, {
    filters: [],
    sort,
    countBy: [],
    sumBy: [],
    ranks,
    page: 1,
    limit: Number.POSITIVE_INFINITY,
    withTexts: true,
  }).entities;
