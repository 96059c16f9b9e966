/** Entities: what the API shows of a resource, and what the store knows besides. */
import type { Kind } from './relations.ts';

/** An entity as the API shows it. */
export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

/** The fields that a caller sets. */
export type Fields = Readonly<Record<string, unknown>> & { readonly name: string; readonly status: string };

/** An entity as it is stored. */
export interface StoredEntity {
  readonly kind: Kind;
  readonly entity: Entity;
  /** Number of writes: the entity's ETag, and the condition of the next write. */
  readonly version: number;
  /** The stamp of its last change in the change log, milliseconds since 1970; absent before it is written. */
  readonly stamp?: number;
}

/** The fields that only the store sets. */
export const readOnlyFields = ['id', 'createdAt', 'updatedAt'] as const;

/** Allowed characters of a status. A status is part of a sort key, so `#` is excluded. */
export const statusPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns whether an entity can have this status. */
export const isStatus = (value: string): boolean => statusPattern.test(value);
