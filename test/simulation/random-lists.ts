/** Random lists as requests: any filter, any order, any page. */
import type { Filter, SortField } from '#functions/engine/model/list-query.ts';
import { maxWordLength, wordsOf } from '#functions/engine/model/words.ts';
import { maxSearchWords } from '#functions/http/parse-list-query.ts';
import {
  countableFields,
  type Entity,
  fieldNames,
  field as fieldOf,
  type Kind,
  type ListRequest,
  listOperators,
  operatorsOf,
  searchField,
  sortableFields,
  summableFields,
} from './list-model.ts';
import { restorable, type State } from './moments.ts';
import type { Random } from './random.ts';

export const plurals = {
  organization: 'organizations',
  project: 'projects',
  user: 'users',
  task: 'tasks',
  tag: 'tags',
} as const satisfies Record<Kind, string>;

/** The nested lists. */
const nested: readonly { readonly kind: Kind; readonly parent: Kind; readonly field: string }[] = [
  { kind: 'project', parent: 'organization', field: 'organizationId' },
  { kind: 'user', parent: 'organization', field: 'organizationId' },
  { kind: 'task', parent: 'project', field: 'projectId' },
  { kind: 'task', parent: 'task', field: 'parentId' },
  { kind: 'task', parent: 'user', field: 'userId' },
  { kind: 'task', parent: 'tag', field: 'tagIds' },
];

/** Returns the first characters of a text. Half of a character cannot be sent. */
const beginning = (text: string, length: number): string => [...text].slice(0, length).join('');

/** Returns a value that an entity has, or nearly. */
function anyValue(random: Random, entities: readonly Entity[], field: string): string {
  const values = entities.length === 0 ? [] : [random.pick(entities)[field] ?? ''].flat();
  const value = values.length === 0 ? '' : String(random.pick(values));
  return beginning(value, 90);
}

function randomFilter(random: Random, kind: Kind, isDeleted: boolean, entities: readonly Entity[]): Filter {
  const field = random.pick(fieldNames(kind, isDeleted));
  const operator = random.pick(operatorsOf(kind, field));
  if (operator === 'isNull' || operator === 'isEmpty')
    return { field, operator, values: [String(random.chance(0.5))] };
  const count = listOperators.includes(operator) ? 1 + random.below(3) : 1;
  const values = Array.from({ length: count }, () => anyValue(random, entities, field));
  const isText = ['startsWith', 'contains'].includes(operator);
  return {
    field,
    operator,
    values: isText ? values.map((value) => beginning(value, 1 + random.below(4))) : values,
  };
}

/** Whether a comparison can be made with the value: the service refuses others with a 400. */
function isValid(kind: Kind, { field, operator, values }: Filter): boolean {
  const { type } = fieldOf(kind, field);
  if (operator === 'eq') return true;
  if (['date', 'timestamp', 'number'].includes(type)) return values.every((value) => value !== '');
  return true;
}

/** Returns a search for beginnings of words that an entity has, or nearly. */
function randomSearch(random: Random, entities: readonly Entity[]): Filter[] {
  const text = ['name', 'description'].map((field) => String(random.pick(entities)[field] ?? '')).join(' ');
  const words = text.split(' ').filter((word) => /^[\p{L}\p{N}]/u.test(word));
  if (words.length === 0) return [];
  const count = random.pick([1, 1, 2, 3]);
  const values = Array.from({ length: count }, () => beginning(random.pick(words), 1 + random.below(40)));
  const search = values.join(random.pick([' ', ', ']));
  // Pictures and marks divide a text into many words.
  const found = wordsOf(search);
  if (found.length > maxSearchWords || found.some((word) => [...word].length > maxWordLength)) return [];
  return [{ field: searchField, operator: 'search', values: [search] }];
}

/** Returns the filters of a list, one of each operator and field: the service refuses others. */
function randomFilters(
  random: Random,
  kind: Kind,
  isDeleted: boolean,
  entities: readonly Entity[],
): Filter[] {
  // Without entities, there is no value to compare with.
  if (entities.length === 0) return [];
  const filters = Array.from({ length: random.pick([0, 0, 1, 1, 2]) }, () =>
    randomFilter(random, kind, isDeleted, entities),
  ).filter((filter) => isValid(kind, filter));
  const unique = new Map(filters.map((filter) => [`${filter.field} ${filter.operator}`, filter]));
  return [...unique.values(), ...(random.chance(0.3) ? randomSearch(random, entities) : [])];
}

function randomSort(random: Random, fields: readonly string[]): SortField[] {
  const sort = Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => ({
    field: random.pick(fields),
    direction: random.pick(['asc', 'desc'] as const),
  }));
  return [...new Map(sort.map((one) => [one.field, one])).values()];
}

export function randomList(random: Random, state: State, nowMs: number): ListRequest {
  const isDeleted = random.chance(0.25);
  const place = !isDeleted && random.chance(0.25) ? random.pick(nested) : undefined;
  const kind =
    place?.kind ?? random.pick<Kind>(['task', 'task', 'task', 'project', 'user', 'tag', 'organization']);
  const listed = isDeleted ? restorable(state, kind, nowMs) : [...state[kind].values()];
  const entities = listed.map(({ entity }) => entity);
  const parents = place ? [...state[place.parent].keys()] : [];
  return {
    kind,
    isDeleted,
    parent: place && parents.length > 0 ? { field: place.field, id: random.pick(parents) } : undefined,
    filters: randomFilters(random, kind, isDeleted, entities),
    sort: randomSort(random, sortableFields(kind, isDeleted)),
    page: random.pick([1, 1, 1, 2, 3]),
    limit: random.pick([1, 5, 20, 100]),
    sumBy: random.chance(0.3) ? summableFields(kind) : [],
    countBy: random.chance(0.3) ? countableFields(kind, isDeleted).filter(() => random.chance(0.3)) : [],
  };
}

function pathOf({ kind, isDeleted, parent }: ListRequest): string {
  const place = nested.find((one) => one.kind === kind && one.field === parent?.field);
  if (!parent || !place) return `/v1/${plurals[kind]}${isDeleted ? '/deleted' : ''}`;
  return `/v1/${plurals[place.parent]}/${parent.id}/${plurals[kind]}`;
}

/** Returns the path and query of a list. */
export function targetOf(request: ListRequest): string {
  const { filters, sort, page, limit, countBy, sumBy } = request;
  const parameters: [string, string][] = [
    ['page', String(page)],
    ['limit', String(limit)],
    ['etags', 'true'],
  ];
  if (sort.length > 0) {
    parameters.push(['sortBy', sort.map(({ field }) => field).join(',')]);
    parameters.push(['sortOrder', sort.map(({ direction }) => direction).join(',')]);
  }
  if (countBy.length > 0) parameters.push(['countBy', countBy.join(',')]);
  if (sumBy.length > 0) parameters.push(['sumBy', sumBy.join(',')]);
  for (const { field, operator, values } of filters) {
    const name = field === searchField ? 'search' : operator === 'eq' ? field : `${field}[${operator}]`;
    for (const value of values) parameters.push([name, value]);
  }
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${pathOf(request)}?${query}`;
}
