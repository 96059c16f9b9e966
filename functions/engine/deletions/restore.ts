/** Restores a deleted entity, and what its deletion has removed besides. */

import { now } from '../../runtime/time-and-chance.ts';
import { type ExpectedVersions, requireExpectedVersion } from '../entities/preconditions.ts';
import { requireFreeValue } from '../entities/unique-values.ts';
import { buildRestore, type ChangeSet, mergeChangeSets } from '../model/changes.ts';
import { isDeletedItem, isExpired, isRoot, isSameDeletion, isSameRoot } from '../model/deletion.ts';
import type {
  DeletedEntity,
  Deletion,
  StoredEntity,
  WholeDeletedEntity,
  WholeEntity,
} from '../model/entity.ts';
import { EntityNotFound, RequiredReferenceMissing } from '../model/errors.ts';
import { isId, newId } from '../model/ids.ts';
import { decodeAnyEntity } from '../model/item-codec.ts';
import { beginJob, type Job, type JobWork, type Step } from '../model/job.ts';
import { entityKey } from '../model/keys.ts';
import { cascadeKinds, referencesOf } from '../model/relations.ts';
import type { Kind, Relation } from '../model/schema.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from '../table/session.ts';
import { findAnyEntity, readDeletedTexts } from '../table/whole-entities.ts';
import { commit, type UnitOfWork } from '../write/commit.ts';
import type { JobHandler } from '../write/job-handler.ts';
import { moveTo } from './erase-deleted.ts';
import { type MembersPlace, walkMembers } from './members.ts';
import { nextPassAt, sweepLater } from './sweep.ts';

/** Restores what the deletion of an entity has removed besides: once at once, and once more when no step of the deletion can be in progress. */
interface RestoreWork extends JobWork, MembersPlace {
  readonly type: 'restore';
  /** The root of the deletion, which is restored already. */
  readonly kind: Kind;
  readonly id: string;
  /** Of the deletion, milliseconds since 1970. */
  readonly deletedAt: number;
  /** Whether this is the second pass. */
  readonly final: boolean;
}

/** Entities that one transaction restores besides the first one: each can have a long text, and 100 writes are allowed. */
const maxMembers = 45;

/** Entities in a step of the job. */
const stepSize = 100;

const idsIn = ({ field }: Relation, { entity }: DeletedEntity): string[] =>
  [entity[field] ?? []].flat() as string[];

interface FieldsWithoutMissing {
  /** The fields that lose references. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The reference without which the entity cannot be. */
  readonly required: Relation | undefined;
  /** The deletion of the entity that this one belongs to. */
  readonly deletion: Deletion | undefined;
}

/** What a reference names: an entity that exists or comes back, one that is deleted, or nothing. */
type Target = 'exists' | Deletion | undefined;

/** Returns what an entity loses. @param find returns what a reference names. */
function withoutMissing(
  deleted: DeletedEntity,
  find: (kind: Kind, id: string) => Target,
): FieldsWithoutMissing {
  const fields: Record<string, unknown> = {};
  let required: Relation | undefined;
  let deletion: Deletion | undefined;
  for (const relation of referencesOf(deleted.kind)) {
    const ids = idsIn(relation, deleted);
    const kept = ids.filter((id) => find(relation.parent, id) === 'exists');
    if (kept.length === ids.length) continue;
    fields[relation.field] = relation.isArray ? kept : null;
    if (relation.isRequired) required = relation;
    const owner = relation.onDelete === 'cascade' ? find(relation.parent, ids[0] as string) : undefined;
    if (owner !== 'exists') deletion = owner ?? deletion;
  }
  return { fields, required, deletion };
}

/**
 * Reads what deleted entities refer to, consistently. Returns what each of them loses.
 * @param deletion what it has removed comes back too.
 */
async function readFields(
  { tenant, database }: Session,
  deleted: readonly DeletedEntity[],
  deletion?: Deletion,
): Promise<FieldsWithoutMissing[]> {
  const keys = deleted.flatMap((one) =>
    referencesOf(one.kind).flatMap((relation) =>
      idsIn(relation, one).map((id) => entityKey(tenant, relation.parent, id)),
    ),
  );
  const distinct = [...new Map(keys.map((key) => [key.pk, key])).values()];
  const items = await database.getMany(distinct, true, { withDeleted: true });
  const targets = new Map(
    items.map((item): [string, Target] => {
      const own = isDeletedItem(item) ? decodeAnyEntity(item).deletion : undefined;
      // A parent that was deleted again after this deletion, and then erased: its children are erased with it.
      const isLater = own !== undefined && deletion !== undefined && own.deletedAt > deletion.deletedAt;
      if (own?.isErased && !isLater) return [item.pk, undefined];
      const comesBack = !own || (deletion !== undefined && isSameDeletion(own, deletion));
      return [item.pk, comesBack ? 'exists' : own];
    }),
  );
  return deleted.map((one) => withoutMissing(one, (kind, id) => targets.get(entityKey(tenant, kind, id).pk)));
}

/**
 * Returns the change sets that restore what a deletion has removed besides its root. What belongs to an entity that was deleted again meanwhile becomes
 * a part of that deletion, with which it comes back. The job of that deletion may have looked for its children before.
 * @param again the deletion of the root, if it was deleted again.
 */
async function restoreMembers(
  session: Session,
  members: readonly DeletedEntity[],
  deletion: Deletion,
  again?: Deletion,
): Promise<ChangeSet[]> {
  const fieldsOf = again ? [] : await readFields(session, members, deletion);
  // The record of a restored entity has the words of its texts.
  const texts = new Map(
    (again ? [] : await readDeletedTexts(session, members)).map((one) => [one.entity.id, one]),
  );
  const nowMs = now();
  const moved: DeletedEntity[] = [];
  const changeSets = members.flatMap((member, position): ChangeSet[] => {
    const { fields = {}, required, deletion: later = again } = fieldsOf[position] ?? {};
    if (!later)
      return required
        ? []
        : [{ changes: [buildRestore(texts.get(member.entity.id) ?? member, fields, nowMs)] }];
    moved.push(member);
    return [{ changes: [], writes: moveTo(session.tenant, member, later) }];
  });
  return [...sweepLater(session, moved).map((write) => ({ changes: [], writes: [write] })), ...changeSets];
}

/** Reads what a deletion has removed besides its root, if it is little enough for the same transaction. */
async function readFewMembers(session: Session, deletion: Deletion): Promise<DeletedEntity[] | undefined> {
  const members: DeletedEntity[] = [];
  const walk = { limit: maxMembers + 1 };
  for await (const page of walkMembers(session, [deletion], cascadeKinds(deletion.root.kind), walk)) {
    members.push(...page.members);
    if (members.length > maxMembers) return undefined;
  }
  return members;
}

function beginRestore(session: Session, { deletedAt, root }: Deletion, final: boolean, nowMs: number): Write {
  const work = { type: 'restore', ...root, deletedAt, final, position: 0, after: '' } as const;
  const dueAt = final ? nextPassAt(nowMs) : undefined;
  return beginJob(session, work, { id: newId(nowMs).id, dueAt });
}

/** Returns the change sets that restore an entity with what its deletion has removed besides. */
async function buildWithMembers(
  session: Session,
  own: { readonly before: WholeDeletedEntity; readonly after: StoredEntity },
  nowMs: number,
): Promise<Omit<UnitOfWork<unknown>, 'result'>> {
  const { before } = own;
  const { deletion } = before;
  if (!isRoot(before) || cascadeKinds(before.kind).length === 0) return { changes: [own] };
  const rest = { changes: [own], writes: [beginRestore(session, deletion, false, nowMs)] };
  const members = await readFewMembers(session, deletion);
  if (!members) return rest;
  const second = { changes: [own], writes: [beginRestore(session, deletion, true, nowMs)] };
  return {
    ...mergeChangeSets([second, ...(await restoreMembers(session, members, deletion))]),
    orElse: rest,
  };
}

/** Reads the root of a deletion, if it has been restored. */
const readRoot = ({ tenant, database }: Session, { root: { kind, id } }: Deletion) =>
  database.get(entityKey(tenant, kind, id));

/** Returns the deletion of an entity if its root has been restored: a job may still bring back what the same deletion has removed. */
const deletionBeingRestored = async (session: Session, stored: DeletedEntity) =>
  !isRoot(stored) && (await readRoot(session, stored.deletion)) ? stored.deletion : undefined;

/**
 * Restores a deleted entity as it was, without references to entities that do not exist any more. With it comes back what its deletion has removed
 * besides, in the same transaction when it fits, and otherwise by a job. An entity that exists is returned as it is.
 * @param expected versions: of a deleted entity, that which it had before the deletion.
 * @throws EntityNotFound when there is nothing to restore, or not any more; VersionMismatch; ValueTaken; RequiredReferenceMissing.
 */
export function restoreEntity(session: Session, kind: Kind, id: string, expected?: ExpectedVersions) {
  return commit(session, async (): Promise<UnitOfWork<WholeEntity>> => {
    const stored = isId(id) ? await findAnyEntity(session, kind, id) : undefined;
    const nowMs = now();
    if (!stored || (stored.deletion && isExpired(stored.deletion, nowMs))) throw new EntityNotFound(kind, id);
    if (!stored.deletion) {
      requireExpectedVersion(stored, expected);
      return { changes: [], result: stored };
    }
    const { deletion: _, ...deleted } = stored;
    if (expected !== 'none') requireExpectedVersion({ ...deleted, version: stored.version - 1 }, expected);
    const [{ fields = {}, required } = {}] = await readFields(
      session,
      [stored],
      await deletionBeingRestored(session, stored),
    );
    if (required) throw new RequiredReferenceMissing(kind, required.field, required.parent);
    const own = buildRestore(stored, fields, nowMs);
    await requireFreeValue(session, own);
    return { ...(await buildWithMembers(session, own, nowMs)), result: own.after };
  });
}

/**
 * Returns the next step of a job that restores what a deletion has removed. When the root has been deleted again meanwhile, the rest becomes a part
 * of that deletion, with which it comes back. A second pass follows the first one.
 */
async function restoreStep(session: Session, { work }: Job<RestoreWork>): Promise<Step<RestoreWork>> {
  const { tenant, database } = session;
  const { kind, id, deletedAt, final, position, after } = work;
  const root = await database.get(entityKey(tenant, kind, id), { withDeleted: true });
  if (!root) return { left: undefined };
  const deletion = { deletedAt, root: { kind, id } };
  const walk = { from: { position, after }, limit: stepSize };
  const { value: page } = await walkMembers(session, [deletion], cascadeKinds(kind), walk).next();
  if (page) {
    const { deletion: later } = decodeAnyEntity(root);
    // Its restore is in progress: the root of this job comes back with its second pass, and then the rest.
    if (later && !isSameRoot(later, deletion) && (await readRoot(session, later)))
      return { left: work, dueAt: nextPassAt(now()) };
    const repeatable = await restoreMembers(session, page.members, deletion, later);
    return { repeatable, left: { ...work, ...page.next } };
  }
  if (final) return { left: undefined };
  return { left: { ...work, final: true, position: 0, after: '' }, dueAt: nextPassAt(now()) };
}

export const restore: JobHandler<RestoreWork> = {
  fields: { type: true, kind: true, id: true, deletedAt: true, final: true, position: true, after: true },
  step: restoreStep,
};
