import type { Entity } from './entities.ts';

/** What decides the order: a text, a rank, or nothing, which is lowest. */
export type SortValue = string | number | undefined;

/** What a list is asked for. */
export interface ListQuery {
  /** Members and the values that they must have; an array must contain it. All must hold. */
  readonly filters: readonly (readonly [member: string, value: string])[];
  readonly sortBy: string;
  /** Returns what decides the order for a stored value of `sortBy`; without it, the value itself. */
  readonly sortValue?: (stored: unknown) => SortValue;
  readonly sortOrder: 'asc' | 'desc';
  /** From 1. */
  readonly page: number;
  /** Entities on a page. */
  readonly limit: number;
  /** The members to read of each entity; without them, all that it has. */
  readonly members?: readonly string[];
}

export interface Page {
  readonly entities: readonly Entity[];
  /** How many entities match. */
  readonly total: number;
}
