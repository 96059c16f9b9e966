/** Lists, as callers ask for them and as they are returned. */
import type { Entity } from './entity.ts';

export interface ListQuery {
  /** Fields and the values that they must have. An array must contain the value. All filters must hold. */
  readonly filters: readonly (readonly [field: string, value: string])[];
  readonly sortBy: string;
  readonly sortOrder: 'asc' | 'desc';
  /** By field: the values of an enumeration in their order. Other fields sort by their texts. */
  readonly ranks?: Readonly<Record<string, readonly string[]>>;
  /** By field: the value of entities that are older than the field. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** From 1. */
  readonly page: number;
  /** Entities on a page. */
  readonly limit: number;
}

export interface Page {
  readonly entities: readonly Entity[];
  /** Number of entities that match, on all pages. */
  readonly total: number;
}
