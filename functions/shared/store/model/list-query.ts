/** Lists, as callers ask for them and as they are returned. */
import type { Entity } from './entity.ts';

/** What decides the order: a text, a rank, or nothing, which is lowest. */
export type SortValue = string | number | undefined;

export interface ListQuery {
  /** Fields and the values that they must have. An array must contain the value. All filters must hold. */
  readonly filters: readonly (readonly [field: string, value: string])[];
  readonly sortBy: string;
  /** Returns what decides the order for a stored value of `sortBy`; by default the value itself. */
  readonly sortValue?: (stored: unknown) => SortValue;
  readonly sortOrder: 'asc' | 'desc';
  /** From 1. */
  readonly page: number;
  /** Entities on a page. */
  readonly limit: number;
  /** The fields to read of each entity; by default all. */
  readonly fields?: readonly string[];
}

export interface Page {
  readonly entities: readonly Entity[];
  /** Number of entities that match, on all pages. */
  readonly total: number;
}
