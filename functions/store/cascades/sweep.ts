/** Deletes the children of a deleted entity, or removes their references to it. */

import { maxRequestMs } from '../dynamodb/deadline.ts';
import { buildUpdate, type ChangeSet } from '../model/changes.ts';
import type { StoredEntity } from '../model/entity.ts';
import { newId } from '../model/ids.ts';
import { beginJob, type Job, type JobOrigin, type Step, type SweepWork } from '../model/job.ts';
import { maxClockErrorMs } from '../model/log-timing.ts';
import { dependentsOf, type Kind, type Relation } from '../model/relations.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readChildren } from './children.ts';

/** Milliseconds after the deletion until every request that saw the parent has ended, on any clock. */
const lateWritesMs = maxRequestMs + 2 * maxClockErrorMs;

/** Returns the time of the second sweep. @param appliedMs when the deletion is applied at the latest, milliseconds since 1970. */
const secondSweepAt = (appliedMs: number): string => new Date(appliedMs + lateWritesMs).toISOString();

/**
 * Returns the write that begins the sweep after an entity was deleted.
 * @param jobId one deletion has one job.
 */
export const beginSweep = (origin: JobOrigin, kind: Kind, id: string, jobId: string): Write =>
  beginJob(origin, { type: 'sweep', kind, id, final: false, relation: 0 }, { id: jobId });

/** Whose entities are deleted, and when, in milliseconds since 1970. */
export interface Deletion extends JobOrigin {
  readonly nowMs: number;
}

/** Returns the write that begins the second sweep: the transaction of the deletion does what the first one would. */
function beginSecondSweep(deletion: Deletion, kind: Kind, id: string, jobId: string): Write {
  const dueAt = secondSweepAt(deletion.nowMs + maxRequestMs);
  return beginJob(deletion, { type: 'sweep', kind, id, final: true, relation: 0 }, { id: jobId, dueAt });
}

/**
 * Returns the change set that deletes an entity.
 * @param includesChildren whether its children are changed in the same transaction. Otherwise, the job changes them.
 */
export function buildDelete(deletion: Deletion, stored: StoredEntity, includesChildren: boolean): ChangeSet {
  const { kind, entity } = stored;
  const changes = [{ before: stored }];
  if (dependentsOf(kind).length === 0) return { changes };
  const begin = includesChildren ? beginSecondSweep : beginSweep;
  return { changes, writes: [begin(deletion, kind, entity.id, newId(deletion.nowMs).id)] };
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
  readonly ids: readonly string[];
  /** Whether the children of a child are changed in the same transaction. */
  readonly includesDescendants: boolean;
}

/** Returns what the deletion of parents changes for one child. */
export function sweepChild(
  deletion: Deletion,
  relation: Relation,
  child: StoredEntity,
  { ids, includesDescendants }: Parents,
): ChangeSet {
  if (relation.onDelete === 'cascade') return buildDelete(deletion, child, includesDescendants);
  return { changes: [buildUpdate(child, withoutReferences(relation, child, ids), deletion.nowMs)] };
}

/** Returns the last step of a sweep: a second sweep follows the first one. */
function endSweep(work: SweepWork, nowMs: number): Step {
  if (work.final) return { left: undefined };
  return { left: { ...work, final: true, relation: 0 }, dueAt: secondSweepAt(nowMs) };
}

/**
 * Returns the next step of a sweep: the first page of the children of the first relation that has any. The children of earlier steps do not refer
 * to the entity any more.
 */
export async function sweepStep(session: Session, { work }: Job<SweepWork>): Promise<Step> {
  const { tenant, actor, database } = session;
  const deletion = { tenant, actor, nowMs: await database.time() };
  const { id } = work;
  const relations = dependentsOf(work.kind);
  for (const [position, relation] of relations.entries()) {
    if (position < work.relation) continue;
    const { children, next } = await readChildren(session, relation, [id]);
    if (children.length === 0 && next === undefined) continue;
    const parents = { ids: [id], includesDescendants: false };
    const relationLeft = next === undefined ? position + 1 : position;
    return {
      repeatable: children.map((child) => sweepChild(deletion, relation, child, parents)),
      left: { ...work, relation: relationLeft },
    };
  }
  return endSweep(work, deletion.nowMs);
}
