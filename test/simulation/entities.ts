/** The entities of a simulation: random ones, and what a plain search of all of them says that a list must be. */

import type { RowPage } from '#functions/store/lists/engine/read/list-rows.ts';
import type { RowQuery } from '#functions/store/lists/engine/read/row-query.ts';
import { toRowQuery } from '#functions/store/lists/to-row-query.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';
import { isValue, sortedBy } from '../support/list-queries.ts';
import { plainList } from '../support/plain-list.ts';
import { type RandomField, randomQuery } from '../support/random-queries.ts';
import type { Random } from './random.ts';

const long = 'd'.repeat(99);

/** Ids without common parts: their columns are large enough for several buckets. */
const projectIds = [
  '1b4e28ba-2fa1-71d2-883f-0016d3cca427',
  '6fa459ea-ee8a-7ca4-894e-db77e160355e',
  '886313e1-3b8a-7372-9b90-0c9aee199e5d',
  'c9bf9e57-1685-7c89-bafb-ff5af830be8a',
];

/** The values of each field. Two long descriptions sort as equal, and are different. */
const values = {
  status: ['todo', 'doing', 'done'],
  priority: ['low', 'medium', 'high'],
  dueDate: [null, '2026-01-01', '2026-01-02', '2026-02-01'],
  projectId: [...projectIds, null],
  tagIds: [[], ['a'], ['b'], ['a', 'b'], ['b', 'c']],
  name: ['x', 'y', 'z', 'zz', 'XyΣ', 'σxy', '\u{1F600}', '\uFFFD'],
  description: ['', long, `${long}\u{1F600}`, `${long}\u{1F600}1`, `${long}\u{1F600}2`, 'e'],
} as const;

type Field = keyof typeof values;

const fieldNames = Object.keys(values) as Field[];

/** The field that older entities do not have, and the value that lists use for them. */
const addedField = 'priority';
const defaults = { priority: 'medium', dueDate: null, projectId: null, tagIds: [], description: '' };
const ranks = { priority: values.priority };

type State = ReadonlyMap<string, StoredEntity>;

/** Returns fields with random values. @param hasAddedField whether entities have the added field already. */
export const randomFields = (random: Random, hasAddedField: boolean): Record<string, unknown> =>
  Object.fromEntries(
    fieldNames
      .filter((field) => field !== addedField || (hasAddedField && random.chance(0.7)))
      .map((field) => [field, random.pick<unknown>(values[field])]),
  );

/** A query, and the same one for the list engine. */
export interface ListCase {
  readonly list: ListQuery;
  readonly query: RowQuery;
}

/** Returns a random value of a field, or sometimes another one. */
const anyOf = (field: Field) => {
  const known = (values[field] as readonly unknown[]).flat().filter((value) => value !== null) as string[];
  return (random: Random): string => (random.chance(0.1) ? 'none' : random.pick(known));
};

const fieldsAt = (timeMs: () => number, anyId: () => string): Readonly<Record<string, RandomField>> => {
  const anyTime = (): string => new Date(timeMs()).toISOString();
  return {
    status: { type: 'text', value: anyOf('status'), isCounted: true },
    priority: { type: 'enumeration', value: anyOf('priority'), isCounted: true },
    dueDate: { type: 'nullable', value: anyOf('dueDate'), isCounted: true },
    projectId: { type: 'nullable', value: anyOf('projectId'), isCounted: true },
    tagIds: { type: 'array', value: anyOf('tagIds'), isCounted: true },
    name: { type: 'text', value: anyOf('name') },
    description: { type: 'longText', value: anyOf('description') },
    id: { type: 'ordered', value: anyId },
    createdAt: { type: 'ordered', value: anyTime },
    updatedAt: { type: 'ordered', value: anyTime },
  };
};

/** What random queries need of a history. */
export interface Known {
  /** Returns a random time of the history, in milliseconds since 1970. */
  readonly timeMs: () => number;
  /** Returns the id of an entity. */
  readonly anyId: () => string;
}

/** Returns a random query. */
export function randomCase(
  random: Random,
  { timeMs, anyId }: Known,
  window: Pick<ListQuery, 'page' | 'limit'>,
): ListCase {
  const fields = fieldsAt(timeMs, anyId);
  const any = randomQuery(random, fields, { ...window, ranks, defaults });
  // Lists in the order of creation by a status or a parent are the most frequent ones of applications.
  const frequent = (['status', 'projectId'] as const).filter(() => random.chance(0.6));
  const list: ListQuery = random.chance(0.3)
    ? {
        ...any,
        filters: frequent.map((field) => isValue(field, anyOf(field)(random))),
        sort: sortedBy('createdAt', random.pick(['asc', 'desc'] as const)),
        countBy: [],
      }
    : any;
  return { list, query: toRowQuery('task', list) };
}

/** What is compared of a page. */
type ListedPage = Pick<RowPage, 'rows' | 'total' | 'counts'>;

/** Returns the page of a list, from a plain search of all entities. */
export function expectedPage(state: State, { list }: ListCase): ListedPage {
  const { entities, total, counts } = plainList(
    [...state.values()].map(({ entity }) => entity),
    list,
  );
  const rows = entities.map(({ id }) => ({ id, version: state.get(id)?.version ?? 0 }));
  return { rows, total, counts };
}

/** Returns whether a page is that of a state. */
export function isPage(state: State, list: ListCase, { rows, total, counts }: RowPage): boolean {
  return JSON.stringify(expectedPage(state, list)) === JSON.stringify({ rows, total, counts });
}

/** Returns whether each entity is on the only page of a list, or not on it, as it was in one of the states. */
export function isPossiblePage(states: readonly State[], list: ListCase, { rows, total }: RowPage): boolean {
  const versions = new Map(rows.map(({ id, version }) => [id, version]));
  if (total !== rows.length || versions.size !== rows.length) return false;
  const pages = states.map(
    (state) => new Map(expectedPage(state, list).rows.map(({ id, version }) => [id, version])),
  );
  const ids = new Set([...versions.keys(), ...pages.flatMap((page) => [...page.keys()])]);
  return [...ids].every((id) => pages.some((page) => page.get(id) === versions.get(id)));
}
