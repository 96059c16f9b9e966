/** Random queries of lists: every operator on every field, several sort fields, counts. */
import type { Filter, FilterOperator, ListQuery, SortField } from '#functions/engine/model/list-query.ts';
import type { Random } from '../simulation/random.ts';

const exact = ['eq', 'ne', 'in', 'notIn'] as const;
const ordered = ['lt', 'lte', 'gt', 'gte'] as const;
const searches = ['startsWith', 'contains'] as const;

const operatorsOf = {
  text: [...exact, ...ordered, ...searches],
  longText: [...exact, 'startsWith'],
  enumeration: exact,
  nullable: [...exact, ...ordered, 'isNull'],
  ordered: [...exact, ...ordered],
  array: ['eq', 'in', 'all', 'isEmpty'],
} as const satisfies Record<string, readonly FilterOperator[]>;

export interface RandomField {
  readonly type: keyof typeof operatorsOf;
  /** Returns a value, as filters have it; sometimes one that no entity has. */
  readonly value: (random: Random) => string;
  /** Whether lists count its values. */
  readonly isCounted?: boolean;
}

/** Operators with any number of values. */
const isMultiple = (operator: FilterOperator): boolean => ['in', 'notIn', 'all'].includes(operator);

function randomFilter(random: Random, field: string, { type, value }: RandomField): Filter {
  const operator: FilterOperator = random.pick<FilterOperator>(operatorsOf[type]);
  if (operator === 'isNull' || operator === 'isEmpty')
    return { field, operator, values: [String(random.chance(0.5))] };
  const count = isMultiple(operator) ? random.below(4) : 1;
  const values = Array.from({ length: count }, () => value(random));
  if (type === 'longText' && operator === 'startsWith')
    return {
      field,
      operator,
      values: values.map((text) => [...text].slice(0, 1 + random.below(100)).join('')),
    };
  return { field, operator, values };
}

function randomSort(random: Random, fields: Readonly<Record<string, RandomField>>): SortField[] {
  const names = Object.keys(fields).filter((field) => fields[field]?.type !== 'array');
  return Array.from({ length: 1 + random.below(3) }, () => ({
    field: random.pick(names),
    direction: random.pick(['asc', 'desc'] as const),
  }));
}

/** Returns a random query of the first page. */
export function randomQuery(
  random: Random,
  fields: Readonly<Record<string, RandomField>>,
  more: Partial<ListQuery> = {},
): ListQuery {
  const names = Object.keys(fields);
  const filters = Array.from({ length: random.pick([0, 0, 1, 1, 2, 3]) }, () => {
    const field = random.pick(names);
    return randomFilter(random, field, fields[field] as RandomField);
  });
  const counted = names.filter((field) => fields[field]?.isCounted);
  return {
    filters,
    sort: randomSort(random, fields),
    countBy: random.chance(0.4) ? counted.filter(() => random.chance(0.4)) : [],
    sumBy: [],
    page: 1,
    limit: 20,
    withTexts: true,
    ...more,
  };
}
