/** Lists, as callers ask for them and as they are returned. */
import type { ItemFields } from './entity.ts';
import type { FieldValue, Value } from './row.ts';
import type { Kind } from './schema.ts';

/**
 * What a filter compares with. Of a text, null never satisfies `eq`, `in`, `lt` to `gte`, `startsWith` and `contains`, and always
 * satisfies `ne` and `notIn`. Of an array of ids, `eq` and `in` are satisfied by one of the ids, `all` by all of them.
 */
export type FilterOperator =
  | 'eq'
  | 'ne'
  | 'in'
  | 'notIn'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'startsWith'
  | 'contains'
  | 'search'
  | 'isNull'
  | 'all'
  | 'isEmpty';

export interface Filter {
  readonly field: string;
  readonly operator: FilterOperator;
  /** Any number of values of `in`, `notIn`, `all` and `search`; `true` or `false` of `isNull` and `isEmpty`; otherwise one. */
  readonly values: readonly string[];
}

/** Fields whose order is the order of creation. The id of an entity tells both. */
export const creationFields: ReadonlySet<string> = new Set(['createdAt', 'id']);

export type Direction = 'asc' | 'desc';

export interface SortField {
  readonly field: string;
  readonly direction: Direction;
}

/** A place in the order of a list: behind one row. */
export interface Place {
  /** The values of the row in the fields that order the list. Of a long text, its beginning. */
  readonly values: readonly Value[];
  readonly id: string;
}

export interface ListQuery {
  /** All of them must hold. */
  readonly filters: readonly Filter[];
  /** At least one. Ties are broken by `createdAt` and `id`, in the direction of the first field. */
  readonly sort: readonly SortField[];
  /** Fields whose values are counted over all that matches. */
  readonly countBy: readonly string[];
  /** Fields whose numbers are added over all that matches, and over each counted value. */
  readonly sumBy: readonly SummedField[];
  /** By field: the values of an enumeration in their order. Other fields sort by their texts. */
  readonly ranks?: Readonly<Record<string, readonly string[]>>;
  /** By field: the value of entities that are older than the field. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** From 1. A list that begins behind a place ignores it. */
  readonly page: number;
  /** The page begins behind this place. `start` is the place before all rows. */
  readonly after?: Place | 'start' | undefined;
  readonly limit: number;
  /** The fields that are read of the entities of the page; all of them when this is absent. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** Whether the long texts of the page are read. */
  readonly withTexts: boolean;
}

export interface SummedField {
  readonly field: string;
  /** Digits behind the point that its numbers have, at most. */
  readonly decimals: number;
}

/** By field: the sum of its numbers. Null counts as nothing. */
export type Sums = Readonly<Record<string, number>>;

export interface ValueCount {
  readonly value: FieldValue;
  readonly count: number;
  /** Absent when no sums were asked for. */
  readonly sums?: Sums;
}

export interface References {
  readonly kind: Kind;
  /** Each once. */
  readonly ids: readonly string[];
  readonly fields: ReadonlySet<string>;
}

export interface Page {
  /** Reads the entities that those of the page refer to. Those that do not exist are absent. */
  readonly readReferenced?: (references: readonly References[]) => Promise<ReadonlyMap<string, ItemFields>>;
  /** Without long texts if the query does not ask for them. */
  readonly entities: readonly ItemFields[];
  /** The versions of these entities, in the same order. */
  readonly versions: readonly number[];
  /** Number of entities that match, on all pages. */
  readonly total: number;
  /** Number of entities before those of the page. */
  readonly skipped: number;
  /** The place behind the page; absent if no entity follows. */
  readonly end?: Place | undefined;
  /** By field: the values of all that matches, the most frequent first, at most 100. */
  readonly counts: Readonly<Record<string, readonly ValueCount[]>>;
  readonly sums: Sums;
}
