/** Random lists as requests: any filter, any order, any page. */
import type { Filter } from '#functions/engine/model/list-query.ts';
import {
  countableFields,
  type Entity,
  fieldsOf,
  type Kind,
  type ListRequest,
  listOperators,
  operatorsOf,
  searchField,
  sortableFields,
  summableFields,
} from './list-model.ts';
import type { State } from './moments.ts';
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

function randomFilter(random: Random, kind: Kind, entities: readonly Entity[]): Filter {
  const field = random.pick(Object.keys(fieldsOf[kind]));
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
  const { type } = fieldsOf[kind][field] ?? { type: 'text' };
  if (operator === 'eq') return true;
  if (['date', 'timestamp', 'number'].includes(type)) return values.every((value) => value !== '');
  return true;
}

/** Returns a search for beginnings of words that an entity has, or nearly. */
function randomSearch(random: Random, entities: readonly Entity[]): Filter {
  const text = ['name', 'description'].map((field) => String(random.pick(entities)[field] ?? '')).join(' ');
  const words = text.split(' ').filter((word) => word !== '');
  const count = random.pick([1, 1, 2, 3]);
  const values = Array.from({ length: count }, () => beginning(random.pick(words), 1 + random.below(40)));
  return { field: searchField, operator: 'search', values: [values.join(random.pick([' ', ', ']))] };
}

export function randomList(random: Random, state: State): ListRequest {
  const place = random.chance(0.25) ? random.pick(nested) : undefined;
  const kind =
    place?.kind ?? random.pick<Kind>(['task', 'task', 'task', 'project', 'user', 'tag', 'organization']);
  const entities = [...state[kind].values()].map(({ entity }) => entity);
  const parents = place ? [...state[place.parent].keys()] : [];
  // Without entities, there is no value to compare with.
  const maxFilters = entities.length === 0 ? 0 : random.pick([0, 0, 1, 1, 2]);
  const filters = Array.from({ length: maxFilters }, () => randomFilter(random, kind, entities)).filter(
    (filter) => isValid(kind, filter),
  );
  // The service refuses one operator twice for one field.
  const unique = [
    ...new Map(filters.map((filter) => [`${filter.field} ${filter.operator}`, filter])).values(),
  ];
  const sort = Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => ({
    field: random.pick(sortableFields(kind)),
    direction: random.pick(['asc', 'desc'] as const),
  }));
  return {
    kind,
    parent: place && parents.length > 0 ? { field: place.field, id: random.pick(parents) } : undefined,
    filters:
      entities.length > 0 && random.chance(0.25) ? [...unique, randomSearch(random, entities)] : unique,
    sort: [...new Map(sort.map((one) => [one.field, one])).values()],
    page: random.pick([1, 1, 1, 2, 3]),
    limit: random.pick([1, 5, 20, 100]),
    sumBy: random.chance(0.3) ? summableFields(kind) : [],
    countBy: random.chance(0.3) ? countableFields(kind).filter(() => random.chance(0.3)) : [],
  };
}

/** Returns the path and query of a list. */
export function targetOf({ kind, parent, filters, sort, page, limit, countBy, sumBy }: ListRequest): string {
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
  const parentKind = parent && nested.find((one) => one.kind === kind && one.field === parent.field)?.parent;
  const path =
    parent && parentKind
      ? `/v1/${plurals[parentKind]}/${parent.id}/${plurals[kind]}`
      : `/v1/${plurals[kind]}`;
  return `${path}?${query}`;
}
