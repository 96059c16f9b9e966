/** Deletes the children of a deleted entity, or removes their references to it. */

import { now } from '../../runtime/time-and-chance.ts';
import { maxRequestMs } from '../dynamodb/deadline.ts';
import { buildDeletion, buildUpdate, type ChangeSet } from '../model/changes.ts';
import type { Deletion, StoredEntity } from '../model/entity.ts';
import { newId } from '../model/ids.ts';
import { decodeAnyEntity } from '../model/item-codec.ts';
import { beginJob, type Job, type JobOrigin, type Step, type SweepWork } from '../model/job.ts';
import { entityKey } from '../model/keys.ts';
import { dependentsOf } from '../model/relations.ts';
import type { Kind, Relation } from '../model/schema.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readChildren } from './children.ts';

/** Milliseconds by which the clocks of two machines of AWS differ, at most. */
const maxClockErrorMs = 1_000;

/** Milliseconds after a deletion or a restore until every request, and every step of a job, that saw the entity before has ended, on any clock. */
const lateWritesMs = maxRequestMs + 2 * maxClockErrorMs;

/** Returns the time of the second pass. @param appliedMs when the first one is applied at the latest, milliseconds since 1970. */
export const secondPassAt = (appliedMs: number): string => new Date(appliedMs + lateWritesMs).toISOString();

/**
 * Returns the write that begins the sweep after an entity was deleted.
 * @param jobId one deletion has one job.
 */
export const beginSweep = (origin: JobOrigin, kind: Kind, id: string, jobId: string): Write =>
  beginJob(origin, { type: 'sweep', kind, id, final: false, relation: 0 }, { id: jobId });

/** Whose entities are deleted, and when a part of it happens, in milliseconds since 1970. */
export interface DeletionStep extends JobOrigin {
  readonly nowMs: number;
}

/** Returns the write that begins the second sweep: the transaction of the deletion does what the first one would. */
function beginSecondSweep(step: DeletionStep, kind: Kind, id: string, jobId: string): Write {
  const dueAt = secondPassAt(step.nowMs + maxRequestMs);
  return beginJob(step, { type: 'sweep', kind, id, final: true, relation: 0 }, { id: jobId, dueAt });
}

/**
 * Returns the change set that deletes an entity as a part of a deletion.
 * @param options.includesChildren whether its children are changed in the same transaction. Otherwise, the job changes them.
 */
export function buildDelete(
  step: DeletionStep,
  stored: StoredEntity,
  deletion: Deletion,
  { includesChildren }: { readonly includesChildren: boolean },
): ChangeSet {
  const { kind, entity } = stored;
  const changes = [buildDeletion(stored, deletion)];
  if (dependentsOf(kind).length === 0) return { changes };
  const begin = includesChildren ? beginSecondSweep : beginSweep;
  return { changes, writes: [begin(step, kind, entity.id, newId(step.nowMs).id)] };
}

function withoutReferences(
  { field }: Relation,
  { entity }: StoredEntity,
  parentIds: readonly string[],
): Record<string, unknown> {
  const value = entity[field];
  const left = Array.isArray(value) ? value.filter((id) => !parentIds.includes(id as string)) : null;
  return { [field]: left };
}

/** Entities of one kind that are deleted. */
interface Parents {
  /** By id: the deletion that each of them belongs to. */
  readonly deletions: ReadonlyMap<string, Deletion>;
  /** Whether the children of a child are changed in the same transaction. */
  readonly includesDescendants: boolean;
}

/** Returns the deletion that removes a child: that of its parent. */
export function deletionOfChild(
  { field }: Relation,
  { entity }: StoredEntity,
  deletions: Parents['deletions'],
): Deletion {
  const deletion = deletions.get(String(entity[field]));
  if (!deletion) throw new TypeError(`The entity ${entity.id} is no child of a deleted one.`);
  return deletion;
}

/** Returns what the deletion of parents changes for one child. */
export function sweepChild(
  step: DeletionStep,
  relation: Relation,
  child: StoredEntity,
  { deletions, includesDescendants }: Parents,
): ChangeSet {
  if (relation.onDelete === 'cascade') {
    const deletion = deletionOfChild(relation, child, deletions);
    return buildDelete(step, child, deletion, { includesChildren: includesDescendants });
  }
  return {
    changes: [buildUpdate(child, withoutReferences(relation, child, [...deletions.keys()]), step.nowMs)],
  };
}

/**
 * Returns the deletion of the entity whose children a job sweeps; `undefined` when the entity exists: it was restored. One that is not even there as a
 * deleted entity was lost, or its item has expired.
 */
async function deletionOfParent(
  { tenant, database }: Session,
  { kind, id }: SweepWork,
  { actor, nowMs }: DeletionStep,
): Promise<Deletion | undefined> {
  const item = await database.get(entityKey(tenant, kind, id), { withDeleted: true });
  if (item) return decodeAnyEntity(item).deletion;
  return { deletedAt: nowMs, ...(actor !== undefined && { deletedBy: actor }), root: { kind, id } };
}

/** Returns the last step of a sweep: a second sweep follows the first one. */
function endSweep(work: SweepWork, nowMs: number): Step {
  if (work.final) return { left: undefined };
  return { left: { ...work, final: true, relation: 0 }, dueAt: secondPassAt(nowMs) };
}

/**
 * Returns the next step of a sweep: the first page of the children of the first relation that has any. The children of earlier steps do not refer
 * to the entity any more. A sweep ends when the entity was restored. What a step deletes at the same time comes back with the second pass of the restore.
 */
export async function sweepStep(session: Session, { work }: Job<SweepWork>): Promise<Step> {
  const { tenant, actor } = session;
  const step = { tenant, actor, nowMs: now() };
  const { id } = work;
  const deletion = await deletionOfParent(session, work, step);
  if (!deletion) return { left: undefined };
  const parents = { deletions: new Map([[id, deletion]]), includesDescendants: false };
  const relations = dependentsOf(work.kind);
  for (const [position, relation] of relations.entries()) {
    if (position < work.relation) continue;
    const { children, next } = await readChildren(session, relation, [id]);
    if (children.length === 0 && next === undefined) continue;
    const relationLeft = next === undefined ? position + 1 : position;
    return {
      repeatable: children.map((child) => sweepChild(step, relation, child, parents)),
      left: { ...work, relation: relationLeft },
    };
  }
  return endSweep(work, step.nowMs);
}
