/** Entities: what the API shows of a resource, and what the store knows besides. */
import { Digest, longTextOf } from './long-text.ts';
import type { Kind } from './schema.ts';

interface CommonFields {
  readonly id: string;
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

/** Tells the compiler whether a digest can be in the place of a long text. No entity has it. */
declare const mayHaveDigest: unique symbol;

/** An entity as its item holds it: a digest takes the place of a long text. */
export interface ItemFields extends CommonFields {
  readonly [mayHaveDigest]?: boolean;
}

/** An entity as callers see it, with its long text. */
export interface Entity extends CommonFields {
  readonly [mayHaveDigest]?: false;
}

/** The fields that a caller sets. */
export type Fields = Readonly<Record<string, unknown>> & { readonly status: string };

export interface StoredEntity {
  readonly kind: Kind;
  readonly entity: ItemFields;
  /** Number of writes: the entity's ETag, and the condition of the next write. */
  readonly version: number;
  /** The position of its last change in the change log; absent before it is written. */
  readonly logPosition?: number;
  readonly deletion?: undefined;
}

/** An entity of a tenant. */
export interface EntityName {
  readonly kind: Kind;
  readonly id: string;
}

/** A deletion that a caller asked for. All that it removes belongs to it, and comes back with its root. */
export interface Deletion {
  /** Milliseconds since 1970: greater than that of an earlier deletion of the same root. */
  readonly deletedAt: number;
  /** The subject of the token of the request; absent where requests need no token. */
  readonly deletedBy?: string | undefined;
  /** The entity that the caller has deleted. */
  readonly root: EntityName;
  /** How often the entity has become a part of a later deletion; absent if never. */
  readonly moves?: number;
  /** Whether an operator has erased the entity: only its id is left. */
  readonly isErased?: true;
}

/** A deleted entity, as its item stores it until it expires. Only what restores or lists deleted entities reads such items. */
export interface DeletedEntity extends Omit<StoredEntity, 'deletion'> {
  readonly deletion: Deletion;
}

/** An entity that exists, or a deleted one. */
export type AnyEntity = StoredEntity | DeletedEntity;

/** An entity with its long text. Only such an entity leaves the store. */
export type WholeOf<Stored extends AnyEntity> = Stored & { readonly entity: Entity };
export type WholeEntity = WholeOf<StoredEntity>;
export type WholeDeletedEntity = WholeOf<DeletedEntity>;

/** Returns whether an entity has its text: it was read, or is short. */
export const isWhole = <Stored extends AnyEntity>(stored: Stored): stored is WholeOf<Stored> =>
  !(longTextOf(stored.entity) instanceof Digest);

export const readOnlyFields = ['id', 'createdAt', 'updatedAt'] as const;

/** The field with the number of an entity, of a kind that has numbers. Only the store sets it, too. */
export const numberField = 'number';

/** Allowed characters of a status. A status is part of a sort key, so `#` is excluded. */
export const statusPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** The versions that a caller accepts: none when the entity must not exist, and any when this is `undefined`. */
export type ExpectedVersions = ReadonlySet<number> | 'none' | undefined;
