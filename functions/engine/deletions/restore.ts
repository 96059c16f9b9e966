/** Restores a deleted entity, and what its deletion has removed besides. */

import { now } from '../../runtime/time-and-chance.ts';
import { type ExpectedVersions, requireExpectedVersion } from '../entities/preconditions.ts';
import { findTakenValues, requireFreeValue } from '../entities/unique-values.ts';
import { buildMove, buildRestore, buildUpdate, type ChangeSet, mergeChangeSets } from '../model/changes.ts';
import { isExpired, isRoot, isSameRoot, versionsBeforeDeletion } from '../model/deletion.ts';
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
import { cascadeKinds } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import { uniqueFieldOf } from '../model/unique-value.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from '../table/session.ts';
import { findAnyEntity } from '../table/whole-entities.ts';
import { commit, type UnitOfWork } from '../write/commit.ts';
import type { JobHandler } from '../write/job-handler.ts';
import { nameOf } from './descendants.ts';
import {
  firstMembers,
  type MembersPlace,
  type PlaceBelow,
  placeBelow,
  readMembers,
  readMembersBelow,
} from './members.ts';
import { type EntitiesOfKind, findReturning, keepsReference, readReferences } from './restored-references.ts';
import { nextPassAt, sweepLater } from './sweep.ts';

/**
 * Restores what the deletion of an entity has removed besides: once at once, and once more when no step of the deletion can be in progress. Of an entity that was
 * deleted with another one, which stays deleted, that is what is below it.
 */
interface RestoreWork extends JobWork, MembersPlace {
  readonly type: 'restore';
  /** The entity that is restored already: the root of the deletion, or a part of it. */
  readonly kind: Kind;
  readonly id: string;
  /** Of the deletion, milliseconds since 1970. */
  readonly deletedAt: number;
  /** Of a part: the root of the deletion, and where the walk below the part is. */
  readonly root?: Deletion['root'];
  readonly path?: readonly PlaceBelow[];
  /** Entities that are restored, and to which more references come back than one step writes. */
  readonly returning?: EntitiesOfKind | undefined;
  /** Whether this is the second pass. */
  readonly final: boolean;
}

/** Entities that one transaction restores besides the first one: each can have a long text, and 100 writes are allowed. */
const maxMembers = 45;

/** Entities in a step of the job. */
const stepSize = 100;

/** Returns the changes that restore entities, with what their references become. One whose unique value another entity has got meanwhile comes back without it. */
async function buildRestores(
  session: Session,
  members: readonly DeletedEntity[],
  returning: Parameters<typeof readReferences>[2],
) {
  const references = await readReferences(session, members, returning);
  const nowMs = now();
  const restored = members.map((member, position) => {
    const { fields = {}, ...rest } = references[position] ?? {};
    return { member, fields, ...rest, change: buildRestore(member, fields, nowMs) };
  });
  const taken = await findTakenValues(
    session,
    restored.map(({ change }) => change),
  );
  return restored.map(({ member, fields, ...one }, position) => {
    const lost = taken[position] && { [uniqueFieldOf(member.kind) as string]: null };
    return lost ? { ...one, change: buildRestore(member, { ...fields, ...lost }, nowMs) } : one;
  });
}

/**
 * Returns the change sets that restore what a deletion has removed besides its root. What belongs to an entity that was deleted again meanwhile becomes
 * a part of that deletion, with which it comes back. The job of that deletion may have looked for its children before. What cannot be without another entity
 * that is deleted becomes a deletion of its own, at last.
 * @param again the deletion of the root, if it was deleted again.
 */
async function restoreMembers(
  session: Session,
  members: readonly DeletedEntity[],
  deletion: Deletion,
  { again, isLast = false }: { readonly again?: Deletion | undefined; readonly isLast?: boolean } = {},
): Promise<ChangeSet[]> {
  const restored = again ? [] : await buildRestores(session, members, { deletion });
  const moved: DeletedEntity[] = [];
  const changeSets = members.flatMap((member, position): ChangeSet[] => {
    const { change, required, ofOwner: later = again } = restored[position] ?? {};
    if (later) {
      moved.push(member);
      return [{ changes: [buildMove(member, later)] }];
    }
    if (!required) return change ? [{ changes: [change] }] : [];
    const { kind, entity, deletion: former } = member;
    return isLast ? [{ changes: [buildMove(member, { ...former, root: { kind, id: entity.id } })] }] : [];
  });
  return [...sweepLater(session, moved).map((write) => ({ changes: [], writes: [write] })), ...changeSets];
}

/**
 * Returns the change sets that restore what is below a part of a deletion. References to what stays deleted are kept.
 * @param above the part, if it is restored at the same time.
 */
async function restoreBelow(
  session: Session,
  members: readonly DeletedEntity[],
  above: readonly DeletedEntity[] = [],
): Promise<ChangeSet[]> {
  const restored = await buildRestores(session, members, { entities: [...above, ...members] });
  return restored.flatMap(({ change, required }) => (required ? [] : [{ changes: [change] }]));
}

/** Reads what comes back with an entity, if it is little enough for the same transaction. */
async function readFewMembers(session: Session, before: DeletedEntity): Promise<DeletedEntity[] | undefined> {
  const { kind, entity, deletion } = before;
  const members: DeletedEntity[] = [];
  let place: MembersPlace = firstMembers;
  let path: readonly PlaceBelow[] = [placeBelow(kind, [entity.id])];
  while (members.length <= maxMembers) {
    const limit = maxMembers + 1;
    if (isRoot(before)) {
      const page = await readMembers(session, [deletion], cascadeKinds(kind), { from: place, limit });
      if (!page) return members;
      members.push(...page.members);
      place = page.next;
    } else {
      const page = await readMembersBelow(session, deletion, path, limit);
      if (!page) return members;
      members.push(...page.members);
      path = page.path;
    }
  }
  return undefined;
}

function beginRestore(session: Session, before: DeletedEntity, final: boolean, nowMs: number): Write {
  const { kind, entity, deletion } = before;
  const { root, deletedAt } = deletion;
  const path = final ? [] : [placeBelow(kind, [entity.id])];
  const part = isRoot(before) ? {} : { root, path };
  const work = { type: 'restore', kind, id: entity.id, deletedAt, ...part, final, ...firstMembers } as const;
  const dueAt = final ? nextPassAt(nowMs) : undefined;
  return beginJob(session, work, { id: newId(nowMs).id, dueAt });
}

/** Returns the change sets that restore an entity with what its deletion has removed besides, or below it, and give others their references to it again. */
async function buildWithMembers(
  session: Session,
  own: { readonly before: WholeDeletedEntity; readonly after: StoredEntity },
  nowMs: number,
): Promise<Omit<UnitOfWork<unknown>, 'result'>> {
  const { before } = own;
  const { kind } = before;
  if (cascadeKinds(kind).length === 0 && !keepsReference(own.after)) return { changes: [own] };
  const rest = { changes: [own], writes: [beginRestore(session, before, false, nowMs)] };
  const members = await readFewMembers(session, before);
  if (!members) return rest;
  const restored = isRoot(before)
    ? await restoreMembers(session, members, before.deletion)
    : await restoreBelow(session, members, [before]);
  const all = [before, ...members];
  const names = new Set(all.map(nameOf));
  const ofKinds = [...new Set(all.map((one) => one.kind))].map((of) => ({
    kind: of,
    ids: all.flatMap((one) => (one.kind === of ? [one.entity.id] : [])),
  }));
  // A member that was restored meanwhile is among them: the condition of its restore fails.
  const returning = (await findReturning(session, ofKinds, maxMembers)).filter(
    ({ after }) => !names.has(nameOf(after as StoredEntity)),
  );
  const second = { changes: [own, ...returning], writes: [beginRestore(session, before, true, nowMs)] };
  return { ...mergeChangeSets([second, ...restored]), orElse: rest };
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
    const { deletion: _, ...former } = stored;
    if (expected !== 'none') {
      const [last, ...earlier] = versionsBeforeDeletion(stored);
      const version = earlier.find((one) => expected?.has(one)) ?? (last as number);
      requireExpectedVersion({ ...former, version }, expected);
    }
    const deletion = await deletionBeingRestored(session, stored);
    const [{ fields = {}, required } = {}] = await readReferences(session, [stored], { deletion });
    if (required) throw new RequiredReferenceMissing(kind, required.field, required.parent);
    const own = buildRestore(stored, fields, nowMs);
    await requireFreeValue(session, own);
    return { ...(await buildWithMembers(session, own, nowMs)), result: own.after };
  });
}

/** Returns the step that gives entities their references to restored ones again; `undefined` when there is none. */
async function returnStep(
  session: Session,
  work: RestoreWork,
  restored: EntitiesOfKind,
): Promise<Step<RestoreWork> | undefined> {
  const changes = await findReturning(session, [restored], stepSize);
  if (changes.length === 0) return undefined;
  return {
    repeatable: changes.map((change) => ({ changes: [change] })),
    left: { ...work, returning: restored },
  };
}

/** Returns the next step below a part of a deletion; `undefined` when the walk is over. */
async function stepBelow(session: Session, work: RestoreWork, deletion: Deletion) {
  const page = await readMembersBelow(session, deletion, work.path ?? [], stepSize);
  return (
    page && { repeatable: await restoreBelow(session, page.members), left: { ...work, path: page.path } }
  );
}

/** Returns the next step among what a deletion has removed besides its root; `undefined` when the walk is over. */
async function stepBeside(
  session: Session,
  work: RestoreWork,
  { deletion, again }: { readonly deletion: Deletion; readonly again: Deletion | undefined },
): Promise<Step<RestoreWork> | undefined> {
  const { kind, position, after, final } = work;
  const range = { from: { position, after }, limit: stepSize };
  const page = await readMembers(session, [deletion], cascadeKinds(kind), range);
  if (!page) return undefined;
  // Its restore is in progress: the root of this job comes back with its second pass, and then the rest.
  if (again && !isSameRoot(again, deletion) && (await readRoot(session, again)))
    return { left: work, dueAt: nextPassAt(now()) };
  const repeatable = await restoreMembers(session, page.members, deletion, { again, isLast: final });
  const returning = again ? undefined : { kind: page.kind, ids: page.ids };
  return { repeatable, left: { ...work, ...page.next, returning } };
}

/** Gives an entity the references again that were deleted when it was restored, and have come back since. */
async function returnOwn(session: Session, stored: StoredEntity): Promise<ChangeSet[]> {
  if (!keepsReference(stored)) return [];
  const [{ fields = {} } = {}] = await readReferences(session, [stored]);
  return Object.keys(fields).length === 0 ? [] : [{ changes: [buildUpdate(stored, fields, now())] }];
}

/**
 * Returns the next step of a job that restores what a deletion has removed. When the root has been deleted again meanwhile, the rest becomes a part
 * of that deletion, with which it comes back. A second pass follows the first one.
 */
async function restoreStep(session: Session, { work }: Job<RestoreWork>): Promise<Step<RestoreWork>> {
  const { tenant, database } = session;
  const { kind, id, deletedAt, root, returning, final } = work;
  const item = await database.get(entityKey(tenant, kind, id), { withDeleted: true });
  if (!item) return { left: undefined };
  const { deletion: again, ...stored } = decodeAnyEntity(item);
  const { returning: _, ...rest } = work;
  const before = returning && (await returnStep(session, rest, returning));
  if (before) return before;
  const deletion = { deletedAt, root: root ?? { kind, id } };
  const own = { kind, ids: [id] };
  if (root && again) return { left: undefined };
  const next = root
    ? await stepBelow(session, rest, deletion)
    : await stepBeside(session, rest, { deletion, again });
  const step = next ?? (again ? undefined : await returnStep(session, rest, own));
  if (step) return step;
  if (!final) return { left: { ...rest, final: true, ...firstMembers }, dueAt: nextPassAt(now()) };
  return { repeatable: again ? [] : await returnOwn(session, stored), left: undefined };
}

export const restore: JobHandler<RestoreWork> = {
  fields: {
    ...{ type: true, kind: true, id: true, deletedAt: true, final: true, position: true, after: true },
    ...{ root: true, path: true, returning: true },
  },
  step: restoreStep,
};
