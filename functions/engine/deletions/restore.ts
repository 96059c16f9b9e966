import { now } from '../../runtime/time-and-chance.ts';
import { requirePermission } from '../entities/permissions.ts';
import { requireExpectedVersion } from '../entities/read-entity.ts';
import { findTakenValues, requireFreeValue } from '../entities/unique-values.ts';
import { buildMove, buildRestore, type ChangeSet, mergeChangeSets } from '../model/changes.ts';
import { isExpired, isRoot, isSameDeletion, isSameRoot, versionsBeforeDeletion } from '../model/deletion.ts';
import type {
  DeletedEntity,
  Deletion,
  ExpectedVersions,
  StoredEntity,
  WholeDeletedEntity,
  WholeEntity,
} from '../model/entity.ts';
import { EntityNotFound, RequiredReferenceMissing } from '../model/errors.ts';
import { isId } from '../model/ids.ts';
import { beginJob, type Job, type JobWork, type Step } from '../model/job.ts';
import { entityKey } from '../model/keys.ts';
import { cascadeKinds } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import { uniqueFieldOf } from '../model/unique-value.ts';
import type { Write } from '../model/writes.ts';
import { type Session, withoutSight } from '../table/session.ts';
import { findAnyEntity, findStored, readStored } from '../table/stored-entities.ts';
import { commit, type UnitOfWork } from '../write/commit.ts';
import type { JobHandler } from '../write/job-handler.ts';
import { hasUnfinishedJob } from '../write/unfinished-jobs.ts';
import { byKind, type EntitiesOfKind, nameOf } from './descendants.ts';
import {
  firstMembers,
  type MembersPlace,
  type PlaceBelow,
  placeBelow,
  readMembers,
  readMembersBelow,
} from './members.ts';
import {
  buildReturned,
  buildReturnedNow,
  findKeeping,
  keepsReference,
  ownDeletion,
  readReferences,
} from './restored-references.ts';
import { isBeingSwept, nextPassAt, sweepLater } from './sweep.ts';

export const restoreType = 'restore';

/**
 * Restores what the deletion of an entity has removed besides: once at once, and once more when no step of the deletion can be in progress. Of an entity that was
 * deleted with another one, which stays deleted, that is what is below it.
 */
export interface RestoreWork extends JobWork, MembersPlace {
  readonly type: typeof restoreType;
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
  /** Entities beside which references are kept: what these name can have come back at the same moment. */
  readonly keeping?: readonly EntitiesOfKind[];
  /** Whether this is the second pass. */
  readonly final: boolean;
}

/** Entities that one transaction restores besides the first one: each can have a long text, and 100 writes are allowed. */
const maxMembers = 45;

const stepSize = 100;

/** Steps whose entities the job looks at once more: their ids are in its item. */
const maxKeeping = 50;

/** Returns the changes that restore entities, with what their references become. One whose unique value another entity has got meanwhile comes back without it. */
async function buildRestores(
  session: Session,
  members: readonly DeletedEntity[],
  returning?: Parameters<typeof readReferences>[2],
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
 * Returns what restores members of a deletion. What belongs to an entity that was deleted again meanwhile becomes a part of that deletion, with which it comes
 * back. The job of that deletion may have looked for its children before. What cannot be without another entity that is deleted stays deleted, and so does what
 * belongs to nothing else.
 * @param again the deletion of the restored entity, if it was deleted again.
 * @param isLast whether what stays deleted becomes a deletion of its own.
 * @returns also the entities beside which references are kept.
 */
async function restoreMembers(
  session: Session,
  members: readonly DeletedEntity[],
  returning: Parameters<typeof readReferences>[2],
  { again, isLast = false }: { readonly again?: Deletion | undefined; readonly isLast?: boolean } = {},
) {
  const found = again ? [] : await buildRestores(session, members, { ...returning, isLast });
  const moved: DeletedEntity[] = [];
  const restored: StoredEntity[] = [];
  const changeSets = members.flatMap((member, position): ChangeSet[] => {
    const { change, required, ofOwners: later = again } = found[position] ?? {};
    if (change && !required && !later) {
      restored.push(change.after);
      return [{ changes: [change] }];
    }
    const isOther = later && !isSameDeletion(later, member.deletion);
    if (!isOther && !isLast) return [];
    moved.push(member);
    return [{ changes: [buildMove(member, isOther ? later : ownDeletion(member))] }];
  });
  const sweeps = sweepLater(session, moved).map((write) => ({ changes: [], writes: [write] }));
  return { changeSets: [...sweeps, ...changeSets], restored, keeping: restored.filter(keepsReference) };
}

function workOf(before: DeletedEntity): RestoreWork {
  const { kind, entity, deletion } = before;
  const part = isRoot(before) ? {} : { root: deletion.root, path: [placeBelow(kind, [entity.id])] };
  const { deletedAt } = deletion;
  return { type: restoreType, kind, id: entity.id, deletedAt, final: false, ...firstMembers, ...part };
}

/** Reads the next page of what a deletion has removed besides its root, or below a part of it; `undefined` when there is none. */
async function readNext(session: Session, deletion: Deletion, work: RestoreWork, limit: number) {
  const { kind, root, path = [], position, after, final } = work;
  if (!root)
    return readMembers(session, [deletion], cascadeKinds(kind), { from: { position, after }, limit });
  // At last, what the deletion has removed meanwhile can be below something that is back.
  const page = await readMembersBelow(session, deletion, { path, limit, withExisting: final });
  return page && { ...page, next: { path: page.path } };
}

/** Reads what comes back with an entity, if it is little enough for the same transaction: each once, although a walk meets what is below two entities twice. */
async function readFewMembers(session: Session, before: DeletedEntity): Promise<DeletedEntity[] | undefined> {
  const met: DeletedEntity[] = [];
  for (let work = workOf(before); met.length <= maxMembers; ) {
    const page = await readNext(session, before.deletion, work, maxMembers + 1);
    if (!page) return [...new Map(met.map((member) => [nameOf(member), member])).values()];
    met.push(...page.members);
    work = { ...work, ...page.next };
  }
  return undefined;
}

/** Returns the write that begins a job. @param final whether the first pass is done already. @param keeping entities beside which references are kept. */
function beginRestore(
  session: Session,
  before: DeletedEntity,
  { final, keeping }: { readonly final: boolean; readonly keeping: readonly StoredEntity[] },
  nowMs: number,
): Write {
  const work = { ...workOf(before), final, keeping: byKind(keeping) };
  const dueAt = final ? nextPassAt(nowMs) : undefined;
  return beginJob(session, work, { dueAt });
}

/** Returns the change sets that restore an entity with what its deletion has removed besides, or below it, and give others their references to it again. */
async function buildWithMembers(
  session: Session,
  own: { readonly before: WholeDeletedEntity; readonly after: StoredEntity },
  nowMs: number,
): Promise<Omit<UnitOfWork<unknown>, 'result'>> {
  const { before } = own;
  const { kind } = before;
  const keeping = keepsReference(own.after) ? [own.after] : [];
  if (cascadeKinds(kind).length === 0 && keeping.length === 0) return { changes: [own] };
  const rest = { changes: [own], writes: [beginRestore(session, before, { final: false, keeping }, nowMs)] };
  const members = await readFewMembers(session, before);
  if (!members) return rest;
  const { deletion } = before;
  const together = isRoot(before) ? { deletion } : { entities: [before, ...members] };
  const restored = await restoreMembers(session, members, together);
  const all = [before, ...members];
  const names = new Set(all.map(nameOf));
  const returned = new Set([own.after, ...restored.restored].map(nameOf));
  const found = await findKeeping(session, byKind(all), maxMembers + 1);
  if (found.length > maxMembers) return rest;
  // A member that was restored meanwhile is among them: the condition of its restore fails.
  const others = found.filter((one) => !names.has(nameOf(one)));
  const returning = buildReturned(others, (of, id) => returned.has(`${of}/${id}`));
  const pass = { final: true, keeping: [...keeping, ...restored.keeping] };
  const second = { changes: [own, ...returning], writes: [beginRestore(session, before, pass, nowMs)] };
  return { ...mergeChangeSets([second, ...restored.changeSets]), orElse: rest };
}

/** Reads the root of a deletion, if it has been restored. */
const readRoot = ({ tenant, database }: Session, { root: { kind, id } }: Deletion) =>
  database.get(entityKey(tenant, kind, id));

/**
 * Restores a deleted entity as it was, without references to entities that do not exist any more. With it comes back what its deletion has removed
 * besides, in the same transaction when it fits, and otherwise by a job. An entity that exists is returned as it is.
 * @param expected versions: of a deleted entity, that which it had before the deletion.
 * @throws EntityNotFound when there is nothing to restore, or not any more; VersionMismatch; NeedsFullSight; ValueTaken; RequiredReferenceMissing.
 */
export function restoreEntity(session: Session, kind: Kind, id: string, expected?: ExpectedVersions) {
  // What comes back with it, and its references, are those that it had, also where the caller does not see them.
  const all = withoutSight(session);
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
    const [{ fields = {}, required } = {}] = await readReferences(all, [stored]);
    if (required) throw new RequiredReferenceMissing(kind, required.field, required.parent);
    const own = buildRestore(stored, fields, nowMs);
    await requirePermission(session, own);
    await requireFreeValue(session, own);
    return { ...(await buildWithMembers(all, own, nowMs)), result: own.after };
  });
}

/** Returns the step that gives entities their references to restored ones again; `undefined` when there is none. */
async function returnStep(
  session: Session,
  work: RestoreWork,
  restored: EntitiesOfKind,
): Promise<Step<RestoreWork> | undefined> {
  const found = await findKeeping(session, [restored], stepSize);
  if (found.length === 0) return undefined;
  // Some can have been deleted again since.
  const existing = (await readStored(session, restored.kind, restored.ids)).map(({ entity }) => entity.id);
  const returning = { ...restored, ids: existing };
  const keeping =
    existing.length < restored.ids.length ? await findKeeping(session, [returning], stepSize) : found;
  const changes = await buildReturnedNow(session, keeping);
  if (changes.length === 0) return undefined;
  return { repeatable: changes.map((change) => ({ changes: [change] })), left: { ...work, returning } };
}

/**
 * Returns the next step among what a deletion has removed besides its root, or below a part of it; `undefined` when the walk is over.
 * @param again the deletion of the restored entity, if it was deleted again.
 */
async function membersStep(
  session: Session,
  work: RestoreWork,
  deletion: Deletion,
  again: Deletion | undefined,
): Promise<Step<RestoreWork> | undefined> {
  const page = await readNext(session, deletion, work, stepSize);
  if (!page) return undefined;
  // Its restore is in progress: this entity comes back with its second pass, and then the rest.
  if (again && !isSameRoot(again, deletion) && (await readRoot(session, again)))
    return { left: work, dueAt: nextPassAt(now()) };
  const together = work.root ? { entities: page.members } : { deletion };
  const isLast = work.final && !work.root;
  const restored = await restoreMembers(session, page.members, together, { again, isLast });
  const returning = again ? undefined : { kind: page.kind, ids: page.ids };
  const keeping = [...(work.keeping ?? []), ...byKind(restored.keeping)].slice(0, maxKeeping);
  return { repeatable: restored.changeSets, left: { ...work, ...page.next, returning, keeping } };
}

/** Returns the step that gives entities references again which a restore has kept beside them, as it saw the others deleted; `undefined` when there is none. */
async function keptStep(session: Session, work: RestoreWork): Promise<Step<RestoreWork> | undefined> {
  const [next, ...keeping] = work.keeping ?? [];
  if (!next) return undefined;
  const changes = await buildReturnedNow(session, await readStored(session, next.kind, next.ids));
  return { repeatable: changes.map((change) => ({ changes: [change] })), left: { ...work, keeping } };
}

/**
 * Returns the step that restores a part once more, which a step of its deletion has removed again: it belonged to something that the deletion had not reached, or
 * that did not come back. It waits until no further step can.
 */
async function partAgainStep(
  session: Session,
  work: RestoreWork,
  part: DeletedEntity,
): Promise<Step<RestoreWork>> {
  const { deletion } = part;
  if (isRoot(part) || deletion.isErased || isExpired(deletion, now())) return { left: undefined };
  if (await isBeingSwept(session, deletion.root)) return { left: work, dueAt: nextPassAt(now()) };
  const [restored] = await buildRestores(session, [part]);
  if (!restored || restored.required) return { left: undefined };
  const keeping = [...(work.keeping ?? []), ...byKind([restored.change.after])].slice(0, maxKeeping);
  return { repeatable: [{ changes: [restored.change] }], left: { ...work, ...beginningOf(work), keeping } };
}

const beginningOf = ({ kind, id, root }: RestoreWork) => ({
  final: false,
  ...(root ? { path: [placeBelow(kind, [id])] } : firstMembers),
});

/**
 * Returns the next step of a job that restores what a deletion has removed. When the entity has been deleted again meanwhile, the rest becomes a part
 * of that deletion, with which it comes back. A second pass follows the first one; that of a part comes when its deletion has ended.
 */
async function restoreStep(session: Session, { work }: Job<RestoreWork>): Promise<Step<RestoreWork>> {
  const { kind, id, deletedAt, root, returning, final } = work;
  const stored = await findStored(session, kind, id);
  if (!stored) return { left: undefined };
  const { deletion: again } = stored;
  const { returning: _, ...rest } = work;
  const before = returning && (await returnStep(session, rest, returning));
  if (before) return before;
  const deletion = { deletedAt, root: root ?? { kind, id } };
  if (stored.deletion && isSameDeletion(stored.deletion, deletion))
    return partAgainStep(session, rest, stored);
  const own = { kind, ids: [id] };
  const step =
    (await membersStep(session, rest, deletion, again)) ??
    (again ? undefined : await returnStep(session, rest, own));
  if (step) return step;
  const isSwept = !root || !(await isBeingSwept(session, root));
  if (!final || !isSwept)
    return { left: { ...rest, ...beginningOf(work), final: isSwept }, dueAt: nextPassAt(now()) };
  return (await keptStep(session, rest)) ?? { left: undefined };
}

export const isPartBeingRestored = (session: Session, { kind, id }: Deletion['root']): Promise<boolean> =>
  hasUnfinishedJob(session, (work) => {
    const { type, root } = work as RestoreWork;
    return type === restoreType && root?.kind === kind && root.id === id;
  });

export const restore: JobHandler<RestoreWork> = {
  fields: {
    ...{ type: true, kind: true, id: true, deletedAt: true, final: true, position: true, after: true },
    ...{ root: true, path: true, returning: true, keeping: true },
  },
  step: restoreStep,
};
