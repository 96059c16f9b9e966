/** The entities of a simulation: random ones, and what a plain sort of all of them says that a list must be. */

import type { RowPage } from '../../functions/shared/store/lists/engine/list-rows.ts';
import type { RowQuery } from '../../functions/shared/store/lists/engine/row-query.ts';
import type { ItemFields, StoredEntity } from '../../functions/shared/store/model/entity.ts';
import { firstIdAt } from '../../functions/shared/store/model/ids.ts';
import { rowText, splitIds } from '../../functions/shared/store/model/row.ts';
import type { Random } from './random.ts';

const long = 'd'.repeat(99);

/** The values of each field. Two long descriptions sort as equal, and are different. */
const values = {
  status: ['todo', 'doing', 'done'],
  priority: ['low', 'medium', 'high'],
  dueDate: [null, '2026-01-01', '2026-01-02', '2026-02-01'],
  projectId: ['p1', 'p2', 'p3', 'p4', null],
  tagIds: [[], ['a'], ['b'], ['a', 'b'], ['b', 'c']],
  name: ['x', 'y', 'z', 'zz', '\u{1F600}', '\uFFFD'],
  description: ['', long, `${long}\u{1F600}`, `${long}\u{1F600}1`, `${long}\u{1F600}2`, 'e'],
} as const;

type Field = keyof typeof values;

const fieldNames = Object.keys(values) as Field[];

/** The fields of the log's facets. */
const countedFields: ReadonlySet<string> = new Set(['status', 'projectId']);

/** The field that older entities do not have, and the value that lists use for them. */
const addedField = 'priority';
const defaultValue = 'medium';

const longField = 'description';
const sortedCharacters = 100;

type State = ReadonlyMap<string, StoredEntity>;

/** Returns fields with random values. @param hasAddedField whether entities have the added field already. */
export const randomFields = (random: Random, hasAddedField: boolean): Record<string, unknown> =>
  Object.fromEntries(
    fieldNames
      .filter((field) => field !== addedField || (hasAddedField && random.chance(0.7)))
      .map((field) => [field, random.pick<unknown>(values[field])]),
  );

/** A query, and how a plain search decides it. */
export interface ListCase {
  readonly query: RowQuery;
  readonly matches: (entity: ItemFields) => boolean;
  readonly sortText: (entity: ItemFields) => string | null;
}

/** Returns the text of an entity's field. */
function textOf(entity: ItemFields, field: string): string | null {
  const value = entity[field];
  if (value === undefined) return field === addedField ? defaultValue : null;
  return Array.isArray(value) ? value.join(',') : (value as string | null);
}

type Condition = {
  readonly filter: RowQuery['filters'][number];
  readonly holds: (entity: ItemFields) => boolean;
};

function randomCondition(random: Random, field: Field): Condition {
  if (field === 'tagIds') {
    const tag = random.pick(['a', 'b']);
    return {
      filter: { field, accepts: (value) => splitIds(value ?? '').includes(tag) },
      holds: (entity) => (entity['tagIds'] as string[]).includes(tag),
    };
  }
  const text: string | null = random.pick<string | null>(values[field]);
  const wanted = text === null ? null : rowText(field, text);
  const absent = field === addedField ? defaultValue : null;
  return {
    filter: {
      field,
      accepts: (value) => (value === undefined ? absent : value) === wanted,
      ...(wanted !== null && { text: wanted }),
    },
    holds: (entity) => textOf(entity, field) === text,
  };
}

function sortTextOf(field: string): ListCase['sortText'] {
  if (field === 'createdAt') return () => null;
  if (field === addedField) {
    return (entity) => String(values[addedField].indexOf(textOf(entity, field) as 'low'));
  }
  if (field === longField)
    return (entity) => [...(textOf(entity, field) ?? '')].slice(0, sortedCharacters).join('');
  return (entity) => textOf(entity, field);
}

/** The window of a list. */
export interface Window {
  readonly skip: number;
  readonly limit: number;
}

/**
 * Returns a random query.
 * @param timeMs returns a random time of the history, in milliseconds since 1970.
 */
export function randomCase(random: Random, timeMs: () => number, window: Window): ListCase {
  // Lists in the order of creation by a status or a parent are the most frequent ones of applications.
  const isFrequent = random.chance(0.3);
  const conditions = fieldNames
    .filter((field) => (isFrequent ? countedFields.has(field) && random.chance(0.6) : random.chance(0.2)))
    .map((field) => randomCondition(random, field));
  const sortBy = isFrequent ? 'createdAt' : random.pick(['createdAt', 'updatedAt', ...fieldNames]);
  const ids =
    !isFrequent && random.chance(0.2) ? { from: firstIdAt(timeMs()), to: firstIdAt(timeMs()) } : undefined;
  const order = {
    field: sortBy,
    ...(sortBy === addedField && { ranks: values[addedField], defaultValue }),
  };
  return {
    query: {
      filters: conditions.map(({ filter }) => filter),
      ids,
      order: sortBy === 'createdAt' ? undefined : order,
      isDescending: random.chance(0.5),
      ...window,
    },
    matches: (entity) =>
      (!ids || (entity.id >= ids.from && entity.id < ids.to)) &&
      conditions.every(({ holds }) => holds(entity)),
    sortText: sortTextOf(sortBy),
  };
}

/** Compares by code point: bytes of UTF-8 compare as code points do. Null is lowest. */
function compareTexts(one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Returns the page of a list, from a sort of all entities. */
export function expectedPage(state: State, { query, matches, sortText }: ListCase): RowPage {
  const { isDescending, skip, limit } = query;
  const found = [...state.values()]
    .filter(({ entity }) => matches(entity))
    .map(({ entity, version }) => ({ id: entity.id, version, text: sortText(entity) }));
  found.sort((one, other) => compareTexts(one.text, other.text) || (one.id < other.id ? -1 : 1));
  if (isDescending) found.reverse();
  const rows = found.slice(skip, skip + limit).map(({ id, version }) => ({ id, version }));
  return { rows, total: found.length };
}

/** Returns whether a page is that of a state. */
export function isPage(state: State, list: ListCase, { rows, total }: RowPage): boolean {
  const expected = expectedPage(state, list);
  return (
    expected.total === total &&
    expected.rows.length === rows.length &&
    expected.rows.every(
      ({ id, version }, position) => rows[position]?.id === id && rows[position]?.version === version,
    )
  );
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
