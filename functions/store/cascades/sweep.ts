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

/**
 * Returns the write that begins the sweep after an entity was deleted.
 * @param jobId one deletion has one job.
 */
export const beginSweep = (origin: JobOrigin, kind: Kind, id: string, jobId: string): Write =>
  beginJob(origin, { type: 'sweep', kind, id, final: false, relation: 0 }, jobId);

/** Whose entities are deleted, and when, in milliseconds since 1970. */
export interface Deletion extends JobOrigin {
  readonly nowMs: number;
}

/** Returns the change set that deletes an entity. The sweep of its children is a job. */
export function buildDelete(deletion: Deletion, stored: StoredEntity): ChangeSet {
  const { kind, entity } = stored;
  const changes = [{ before: stored }];
  if (dependentsOf(kind).length === 0) return { changes };
  return { changes, writes: [beginSweep(deletion, kind, entity.id, newId(deletion.nowMs).id)] };
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

/** Returns what the deletion of parents changes for one child. */
export function sweepChild(
  deletion: Deletion,
  relation: Relation,
  child: StoredEntity,
  parentIds: readonly string[],
): ChangeSet {
  if (relation.onDelete === 'cascade') return buildDelete(deletion, child);
  return { changes: [buildUpdate(child, withoutReferences(relation, child, parentIds), deletion.nowMs)] };
}

/** Milliseconds after the first sweep until every request that saw the parent has ended, on any clock. */
const lateWritesMs = maxRequestMs + 2 * maxClockErrorMs;

/** Returns the last step of a sweep: a second sweep follows the first one. */
function endSweep(work: SweepWork, nowMs: number): Step {
  if (work.final) return { left: undefined };
  const dueAt = new Date(nowMs + lateWritesMs).toISOString();
  return { left: { ...work, final: true, relation: 0 }, dueAt };
}

/** Returns the next step of a sweep: the first page of one relation's children. The children of earlier steps do not refer to the entity any more. */
export async function sweepStep(session: Session, { work }: Job<SweepWork>): Promise<Step> {
  const { tenant, actor, database } = session;
  const nowMs = await database.time();
  const relation = dependentsOf(work.kind)[work.relation];
  if (!relation) return endSweep(work, nowMs);
  const { children, next } = await readChildren(session, relation, [work.id]);
  return {
    repeatable: children.map((child) => sweepChild({ tenant, actor, nowMs }, relation, child, [work.id])),
    left: next === undefined ? { ...work, relation: work.relation + 1 } : work,
  };
}
