import { now } from '../../runtime/time-and-chance.ts';
import { buildDeletions, findRefusalOfDeletion } from '../deletions/delete-entity.ts';
import { inheritGuards } from '../entities/inherited-guards.ts';
import { numbersBeside, withNumber } from '../entities/numbers.ts';
import { findOwnIdError } from '../entities/own-ids.ts';
import { findRefusal } from '../entities/permissions.ts';
import { versionMismatch } from '../entities/read-entity.ts';
import { findMissingReferences } from '../entities/references.ts';
import { findContradiction } from '../entities/requirements.ts';
import { findTreeErrors } from '../entities/trees.ts';
import { findTakenValues } from '../entities/unique-values.ts';
import { changeFields } from '../entities/update-entity.ts';
import { readChildIds } from '../lists/children.ts';
import { buildCreate, type Change, type WholeChange } from '../model/changes.ts';
import type {
  AnyEntity,
  DeletedEntity,
  ExpectedVersions,
  Fields,
  StoredEntity,
  WholeEntity,
} from '../model/entity.ts';
import { BatchFailed, EntityNotFound } from '../model/errors.ts';
import { isId } from '../model/ids.ts';
import type { Kind } from '../model/schema.ts';
import { type Session, withoutSight } from '../table/session.ts';
import { readAnyStored, readTexts } from '../table/stored-entities.ts';
import { commit } from '../write/commit.ts';

/** One operation of a batch. No two of them have the same id. */
export type BatchOperation =
  /** `id` is absent when the service makes it. */
  | { readonly operation: 'create'; readonly id?: string; readonly fields: Fields }
  | {
      readonly operation: 'update';
      readonly id: string;
      readonly expected: ExpectedVersions;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  | { readonly operation: 'delete'; readonly id: string; readonly expected: ExpectedVersions }
  /** Known to be invalid. It takes part because the first operation that fails decides how the batch fails. */
  | { readonly operation: 'invalid'; readonly error: Error };

export type BatchResult =
  /** `stored` is `undefined` in a replayed result when the batch did not change the entity and it was deleted later. */
  | {
      readonly operation: 'create' | 'update';
      readonly stored: WholeEntity | undefined;
      /** Set in a replayed result when the caller does not see the entity any more. */
      readonly isHidden?: true;
    }
  | { readonly operation: 'delete' };

/** What an operation changes, if anything, and its result; or why it cannot be applied. */
type ResolvedOperation =
  | {
      readonly result: BatchResult;
      readonly change?: WholeChange | undefined;
      /** The change, also one after which the entity is the same. */
      readonly whole: WholeChange;
    }
  | { readonly result: BatchResult; readonly deleted: StoredEntity }
  | { readonly error: Error };

/** The entities that operations name, by id. */
interface Targets {
  readonly existing: ReadonlyMap<string, StoredEntity>;
  /** Their ids cannot be those of new entities. */
  readonly deleted: ReadonlyMap<string, DeletedEntity>;
  /** What the caller does not see: neither can their ids. */
  readonly hidden: ReadonlyMap<string, AnyEntity>;
}

/** Reads the entities that operations name, in one batch, and the long texts of those that they update in another one. */
async function readTargets(session: Session, kind: Kind, operations: readonly BatchOperation[]) {
  const named = operations.flatMap((one) =>
    'id' in one && one.id !== undefined && isId(one.id) ? [{ ...one, id: one.id }] : [],
  );
  const stored = await readAnyStored(
    withoutSight(session),
    kind,
    named.map(({ id }) => id),
  );
  const seen = await session.sight?.areSeen(stored);
  const all = stored.filter((_, place) => seen?.[place] ?? true);
  const hidden = stored.filter((one) => !all.includes(one));
  const found = all.flatMap((one) => (one.deletion ? [] : one));
  const former = all.flatMap((one) => (one.deletion ? one : []));
  const updated = new Set(named.filter(({ operation }) => operation === 'update').map(({ id }) => id));
  const whole = await readTexts(
    session,
    found.filter(({ entity }) => updated.has(entity.id)),
  );
  const others = found.filter(({ entity }) => !updated.has(entity.id));
  return {
    existing: new Map([...whole, ...others].map((one) => [one.entity.id, one])),
    deleted: new Map(former.map((one) => [one.entity.id, one])),
    hidden: new Map(hidden.map((one) => [one.entity.id, one])),
  };
}

function resolveWrite(
  operation: 'create' | 'update',
  change: WholeChange | undefined,
  after: WholeEntity,
): ResolvedOperation {
  const error = change && findContradiction(change);
  const whole = change ?? { before: after, after };
  return error ? { error } : { change, whole, result: { operation, stored: after } };
}

/** Returns the entity that has an id, and whether the caller sees it. */
function holderOf(id: string, { existing, deleted, hidden }: Targets) {
  const stored = existing.get(id) ?? deleted.get(id);
  return stored ? { stored, isSeen: true } : { stored: hidden.get(id), isSeen: false };
}

/** Does not check the references and the unique value of the operation. */
function resolveOperation(
  kind: Kind,
  targets: Targets,
  nowMs: number,
  operation: BatchOperation,
): ResolvedOperation {
  if (operation.operation === 'invalid') return operation;
  if (operation.operation === 'create') {
    const { id, fields } = operation;
    const error = id === undefined ? undefined : findOwnIdError(id, holderOf(id, targets), nowMs);
    if (error) return { error };
    const change = buildCreate(kind, fields, nowMs, id);
    return resolveWrite('create', change, change.after);
  }
  const target = targets.existing.get(operation.id);
  if (!target) return { error: new EntityNotFound(kind, operation.id) };
  const mismatch = versionMismatch(target, operation.expected);
  if (mismatch) return { error: mismatch };
  if (operation.operation === 'delete') return { deleted: target, result: { operation: 'delete' } };
  const before = target as WholeEntity;
  const change = changeFields(before, operation.fields, nowMs);
  return resolveWrite('update', change, change?.after ?? before);
}

function changeOf(operation: ResolvedOperation): Change | undefined {
  if ('deleted' in operation) return { before: operation.deleted };
  return 'change' in operation ? operation.change : undefined;
}

/** Returns operations whose creations have the reference through which they are seen. */
async function withGuards(session: Session, kind: Kind, operations: readonly BatchOperation[]) {
  const written = operations.flatMap((one) =>
    'fields' in one ? [{ isCreated: one.operation === 'create', id: one.id, fields: one.fields }] : [],
  );
  const inherited = await inheritGuards(session, kind, written);
  return operations.map((one) =>
    one.operation === 'create' ? { ...one, fields: inherited.shift() ?? one.fields } : one,
  );
}

/** Replaces operations by errors that the caller may not apply, that add a reference to an entity that does not exist, make a tree that is refused, or give a unique value that another one has. */
async function checkOthers(session: Session, kind: Kind, operations: readonly ResolvedOperation[]) {
  const deleted = new Set(operations.flatMap((one) => ('deleted' in one ? [one.deleted.entity.id] : [])));
  const whole = operations.flatMap((one) => ('whole' in one ? [one.whole] : []));
  const changes = operations.map(changeOf);
  const missing = await findMissingReferences(session, whole);
  const refused = await Promise.all(
    changes.map((change) => change && (change.after ? findRefusal : findRefusalOfDeletion)(session, change)),
  );
  const trees = await findTreeErrors(session, kind, whole, { deleted, readBelow: readChildIds });
  const errors = new Map(whole.map((change, position) => [change, missing[position] ?? trees[position]]));
  const taken = await findTakenValues(session, changes);
  return operations.map((one, position) => {
    const error = ('whole' in one && errors.get(one.whole)) || refused[position] || taken[position];
    return error ? { error } : one;
  });
}

/** Returns the operations with numbers for the entities that they create. @param numbers none for a kind without numbers. */
function numberCreations(operations: readonly ResolvedOperation[], numbers: readonly number[]) {
  const left = [...numbers];
  return operations.map((one): ResolvedOperation => {
    if (!('whole' in one) || one.whole.before) return one;
    const change = withNumber(one.whole, left.shift());
    return { change, whole: change, result: { operation: 'create', stored: change.after } };
  });
}

/**
 * Applies all operations of a batch on entities of one kind in one transaction, or none. 25 operations make at most 80 writes of less
 * than 3 MB: entities, long texts or unique values, jobs, the record of the change log, and the recorded results. So they always fit.
 * @returns the results in the order of the operations.
 * @throws BatchFailed when there are operations that cannot be applied.
 */
export function applyBatch(
  session: Session,
  kind: Kind,
  operations: readonly BatchOperation[],
): Promise<readonly BatchResult[]> {
  // Other operations are refused without a write.
  const created = operations.filter(({ operation }) => operation === 'create').length;
  const withNumbers = numbersBeside(session, kind, created);
  return commit(
    session,
    async (attempt) => {
      const [checked, numbers] = await withNumbers(async () => {
        const targets = await readTargets(session, kind, operations);
        const nowMs = now();
        const whole = await withGuards(session, kind, operations);
        const unchecked = whole.map((operation) => resolveOperation(kind, targets, nowMs, operation));
        return checkOthers(session, kind, unchecked);
      });
      const resolved = numberCreations(checked, numbers);
      const failures = resolved.flatMap((one, position) =>
        'error' in one ? [{ position, error: one.error }] : [],
      );
      if (failures.length > 0) throw new BatchFailed(failures);
      const deleted = resolved.flatMap((one) => ('deleted' in one ? [one.deleted] : []));
      const others = resolved.flatMap((one) => ('change' in one && one.change ? [one.change] : []));
      const result = resolved.flatMap((one) => ('result' in one ? [one.result] : []));
      return { ...(await buildDeletions(session, deleted, others, attempt)), result };
    },
    created > 0 ? [kind] : [],
  );
}
