/** Entities: what the API shows of a resource, and what the store knows besides. */
import { Digest } from './long-text.ts';
import type { Kind } from './relations.ts';

interface CommonFields {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

/** An entity as its item holds it: a digest takes the place of a long text. */
export interface ItemFields extends CommonFields {
  readonly description?: string | Digest;
}

/** An entity as the API shows it. */
export interface Entity extends CommonFields {
  readonly description?: string;
}

/** The fields that a caller sets. */
export type Fields = Readonly<Record<string, unknown>> & { readonly name: string; readonly status: string };

/** An entity as its item stores it. */
export interface StoredEntity {
  readonly kind: Kind;
  readonly entity: ItemFields;
  /** Number of writes: the entity's ETag, and the condition of the next write. */
  readonly version: number;
  /** The stamp of its last change in the change log, milliseconds since 1970; absent before it is written. */
  readonly stamp?: number;
}

/** A stored entity with its long text. Only such an entity leaves the store. */
export interface WholeEntity extends StoredEntity {
  readonly entity: Entity;
}

/** Returns whether an entity has its text: it was read, or is short. */
export const isWhole = (stored: StoredEntity): stored is WholeEntity =>
  !(stored.entity.description instanceof Digest);

/** The fields that only the store sets. */
export const readOnlyFields = ['id', 'createdAt', 'updatedAt'] as const;

/** Allowed characters of a status. A status is part of a sort key, so `#` is excluded. */
export const statusPattern = /^[A-Za-z0-9_-]{1,64}$/;

export const isStatus = (value: string): boolean => statusPattern.test(value);
