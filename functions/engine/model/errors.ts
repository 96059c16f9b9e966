/** The errors of the store, in terms of the domain. `http/problems.ts` maps them to responses. */
import type { AnyEntity } from './entity.ts';
import { isId } from './ids.ts';
import type { Kind } from './schema.ts';

/** No entity has this id, or none of this tenant. The message repeats only texts that have the form of an id. */
export class EntityNotFound extends Error {
  constructor(kind: Kind, id: string) {
    super(isId(id) ? `There is no ${kind} with the id ${id}.` : `There is no ${kind} with this id.`);
    this.name = 'EntityNotFound';
  }
}

export class VersionMismatch extends Error {
  readonly id: string;
  readonly version: number;
  /** Whether the caller wants to create it. */
  readonly isOfCreation: boolean;
  constructor(
    { kind, entity: { id }, version, deletion }: AnyEntity,
    accepts: 'some versions' | 'no version',
  ) {
    const existing = deletion?.isErased
      ? `The ${kind} ${id} was deleted for good. Use a new id for a new one.`
      : deletion
        ? `The ${kind} ${id} was deleted. Bring it back with the operation restore, or use a new id for a new one.`
        : `The ${kind} ${id} exists.`;
    super(
      accepts === 'no version'
        ? existing
        : `The ${kind} ${id} has changed since the version that If-Match names. Read it again.`,
    );
    this.name = 'VersionMismatch';
    this.id = id;
    this.version = version;
    this.isOfCreation = accepts === 'no version';
  }
}

/** An id that a caller has made is taken by what the caller does not see. */
export class IdTaken extends Error {
  override readonly name = 'IdTaken';
}

/** Only a caller who sees all may make a change. */
export class NeedsFullSight extends Error {
  override readonly name = 'NeedsFullSight';
}

/** Only members of an entity may change who its members are. */
export class NotAMember extends Error {
  override readonly name = 'NotAMember';
}

/** An id that a caller has made cannot be that of a new entity. The message continues a sentence that begins with its name. */
export class UnusableId extends Error {
  override readonly name = 'UnusableId';
}

class InvalidField extends Error {
  /** JSON pointer to the field. */
  readonly pointer: string;
  constructor(field: string, message: string) {
    super(message);
    this.pointer = `/${field}`;
  }
}

export class ContradictingField extends InvalidField {
  override readonly name = 'ContradictingField';
}

export class ValueTaken extends InvalidField {
  override readonly name = 'ValueTaken';
  constructor(kind: Kind, field: string) {
    super(field, `Another ${kind} has this "${field}".`);
  }
}

/** A deleted entity cannot be restored without another one, which does not exist. */
export class RequiredReferenceMissing extends InvalidField {
  override readonly name = 'RequiredReferenceMissing';
  constructor(kind: Kind, field: string, parent: Kind) {
    const remedy = `does not exist. Restore the ${parent} first.`;
    super(field, `The ${kind} cannot be restored: its ${parent}, which "${field}" names, ${remedy}`);
  }
}

export class ReferenceNotFound extends Error {
  readonly references: readonly { readonly pointer: string; readonly kind: Kind }[];
  constructor(references: ReferenceNotFound['references']) {
    super('The request refers to an entity that does not exist.');
    this.name = 'ReferenceNotFound';
    this.references = references;
  }
}

export interface OperationFailure {
  readonly position: number;
  readonly error: Error;
}

/** Operations of a batch cannot be applied, so none was. */
export class BatchFailed extends Error {
  /** In the order of the operations. */
  readonly failures: readonly OperationFailure[];
  constructor(failures: readonly OperationFailure[]) {
    super('No operation was applied.');
    this.name = 'BatchFailed';
    this.failures = failures;
  }
}

/** A cursor is damaged, or does not belong to the request. The message continues a sentence that begins with its name. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

/** What a cursor continues is gone: records have expired, the table was restored, or the tenant is another one. */
export class CursorExpired extends Error {
  constructor(
    reason: 'the records have expired' | 'the data was restored' | 'the table or the tenant has changed',
  ) {
    super(`The cursor is too old: ${reason} since.`);
    this.name = 'CursorExpired';
  }
}

/** The caller sees what a cursor has left out, or sees no more what it had, for another reason than a change of these entities. */
export class SightChanged extends Error {
  override readonly name = 'SightChanged';
  constructor() {
    super('What you may see has changed since.');
  }
}

/** The request has read more than any request should. */
export class ReadBudgetExceeded extends Error {
  /** Whether the entities that the request asks for need so many units by themselves. Otherwise the caller may be able to do nothing about it. */
  readonly isOfRequest: boolean;
  constructor(maxReadUnits: number, isOfRequest = false) {
    super(
      isOfRequest
        ? `The entities of this page, with those that "expand" adds, need more than ${maxReadUnits} read units.`
        : `The request needs more than ${maxReadUnits} read units.`,
    );
    this.name = 'ReadBudgetExceeded';
    this.isOfRequest = isOfRequest;
  }
}

/** The operations of a batch write more than one request may, or add references to more entities than it may read. */
export class BatchTooLarge extends Error {
  override readonly name = 'BatchTooLarge';
}

export class IdempotencyKeyReused extends Error {
  override readonly name = 'IdempotencyKeyReused';
}

/** What a deletion has removed cannot be erased while a part of it is being restored: that would lose what the restore has not reached. */
export class RestoreInProgress extends Error {
  override readonly name = 'RestoreInProgress';
}

export class TooManyJobs extends Error {
  override readonly name = 'TooManyJobs';
}

/** The time of the request was over before DynamoDB had done its part. The request can be sent again. */
export class StoreUnavailable extends Error {
  /** Whether DynamoDB did respond, but other requests changed the same items in each attempt. */
  readonly isContention: boolean;
  /** Whether writes may have been applied, or be applied later: the response to an attempt did not arrive. */
  isInDoubt: boolean;
  constructor(cause: unknown, isContention = false, isInDoubt = false) {
    super(
      isContention
        ? 'Other requests changed the same items in each attempt.'
        : 'DynamoDB did not respond in time.',
      { cause },
    );
    this.name = 'StoreUnavailable';
    this.isContention = isContention;
    this.isInDoubt = isInDoubt;
  }
}

/** The clock of this process is so wrong that nothing may be written with its time. */
export class ClockWrong extends StoreUnavailable {
  /** @param errorMs milliseconds by which it is ahead. */
  constructor(errorMs: number) {
    super(undefined);
    this.message = `The clock of this process differs from DynamoDB's by ${Math.round(errorMs / 1_000)} seconds.`;
    this.name = 'ClockWrong';
  }
}

/** The sequencer of a change log hands out positions that have records, as in a restored table. The audit raises it. */
export class SequencerBehind extends StoreUnavailable {
  constructor(log: string) {
    super(undefined);
    this.message = `The sequencer of the log ${log} is behind its records. See "A table was restored" in docs/operations.md.`;
    this.name = 'SequencerBehind';
  }
}

/** DynamoDB refused a call several times because too many calls concern the same keys. */
export class KeysThrottled extends StoreUnavailable {
  constructor(cause: unknown, isInDoubt: boolean) {
    super(cause, false, isInDoubt);
    this.message = 'Too many calls concern the same keys.';
    this.name = 'KeysThrottled';
  }
}

/** A step of compaction did not finish in its time. What earlier steps wrote stays. */
export class CompactionTooSlow extends Error {
  override readonly name = 'CompactionTooSlow';
}

/** A stored item is in a format that this release does not know. Another release has written it, so nothing of it is believed or changed. */
export class UnknownFormat extends Error {
  constructor(message: string) {
    super(`${message} See "A format is unknown" in docs/operations.md.`);
    this.name = 'UnknownFormat';
  }
}

/** DynamoDB cancelled a transaction because conditions of its writes do not hold. */
export class ConditionFailed extends Error {
  /** Positions of these writes in the transaction. */
  readonly positions: readonly number[];
  /** Whether an earlier attempt may have been applied: its response did not arrive. */
  readonly isInDoubt: boolean;
  constructor(positions: readonly number[], cause: unknown, isInDoubt = false) {
    super('An item was not in the expected state.', { cause });
    this.name = 'ConditionFailed';
    this.positions = positions;
    this.isInDoubt = isInDoubt;
  }
}

/** Waits for a conditional write. Returns false when its condition does not hold, which is no error to those who may lose. */
export async function conditionHolds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
