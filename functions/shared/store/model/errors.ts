/** What can go wrong in the store, in the terms of the domain. `http/problems.ts` turns these into answers. */
import type { Kind } from './relations.ts';

/** There is no such entity, or none that this tenant may see. */
export class EntityNotFound extends Error {
  constructor(kind: Kind) {
    super(`There is no ${kind} with this id.`);
    this.name = 'EntityNotFound';
  }
}

/** The entity is not in the state that the caller's `If-Match` names. */
export class VersionMismatch extends Error {
  constructor(kind: Kind) {
    super(`The ${kind} has changed since the version that If-Match names.`);
    this.name = 'VersionMismatch';
  }
}

/** A body refers to entities that do not exist. */
export class ReferenceNotFound extends Error {
  readonly references: readonly { readonly pointer: string; readonly kind: Kind }[];
  constructor(references: readonly { readonly pointer: string; readonly kind: Kind }[]) {
    super('The request refers to something that does not exist.');
    this.name = 'ReferenceNotFound';
    this.references = references;
  }
}

/** A page lies deeper in an order than a function has memory for. */
export class PageTooDeep extends Error {
  /** How many entities of the order can be reached. */
  readonly reach: number;
  constructor(sortBy: string, reach: number) {
    super(`Sorted by ${sortBy}, pages reach the first ${reach} entities.`);
    this.name = 'PageTooDeep';
    this.reach = reach;
  }
}

/** The idempotency key was used for another request. */
export class IdempotencyKeyReused extends Error {
  constructor() {
    super('This Idempotency-Key was used before, with another body. Use a new key for a new request.');
    this.name = 'IdempotencyKeyReused';
  }
}

/** The database did not answer in the time that the request has. Whatever was asked can be asked again. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('The database did not answer in time.', { cause });
    this.name = 'StoreUnavailable';
  }
}

/** A transaction was refused because an item was not in the state that the write at `position` relies on. */
export class ConditionFailed extends Error {
  /** Positions in the list of writes. */
  readonly positions: readonly number[];
  constructor(positions: readonly number[], cause: unknown) {
    super('An item was not in the expected state.', { cause });
    this.name = 'ConditionFailed';
    this.positions = positions;
  }
}
