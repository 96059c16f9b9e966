/** Deletes the children of a deleted entity, or removes their references to it. */

import { maxRequestMs } from '../dynamodb/deadline.ts';
import { buildUpdate, type Change, type ChangeSet } from '../model/changes.ts';
import type { StoredEntity } from '../model/entity.ts';
import { beginJob, type Job, type Step, type SweepWork } from '../model/job.ts';
import { maxClockSkewMs } from '../model/log-timing.ts';
import { dependentsOf, type Kind, type Relation } from '../model/relations.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readChildren } from './children.ts';

/** Milliseconds after the deletion until every request that saw the parent has ended, on any clock. */
const lateWritesMs = maxRequestMs + 2 * maxClockSkewMs;

/** Returns the time of the second sweep. @param maxMs milliseconds until the deletion is applied, at most. */
const secondSweepAt = (maxMs: number): string => new Date(Date.now() + maxMs + lateWritesMs).toISOString();

/**
 * Returns the write that begins the sweep after an entity was deleted.
 * @param jobId given where one deletion must have one job.
 */
export const beginSweep = (tenant: string, kind: Kind, id: string, jobId?: string): Write =>
  beginJob(tenant, { type: 'sweep', kind, id, final: false, relation: 0 }, { id: jobId });

/** Returns the write that begins the second sweep: the transaction of the deletion does what the first one would. */
const beginSecondSweep = (tenant: string, kind: Kind, id: string): Write =>
  beginJob(
    tenant,
    { type: 'sweep', kind, id, final: true, relation: 0 },
    {
      dueAt: secondSweepAt(maxRequestMs),
    },
  );

/**
 * Returns the change set that deletes an entity.
 * @param includesChildren whether its children are changed in the same transaction. Otherwise, the job changes them.
 */
export function buildDelete(tenant: string, stored: StoredEntity, includesChildren: boolean): ChangeSet {
  const { kind, entity } = stored;
  const changes = [{ before: stored }];
  if (dependentsOf(kind).length === 0) return { changes };
  const begin = includesChildren ? beginSecondSweep : beginSweep;
  return { changes, writes: [begin(tenant, kind, entity.id)] };
}

function removeReferences({ field }: Relation, child: StoredEntity, parentIds: readonly string[]): Change {
  const value = child.entity[field];
  const left = Array.isArray(value) ? value.filter((id) => !parentIds.includes(id as string)) : null;
  return buildUpdate(child, { [field]: left });
}

/** Entities of one kind that are deleted. */
interface Parents {
  readonly ids: readonly string[];
  /** Whether the children of a child are changed in the same transaction. */
  readonly includesDescendants: boolean;
}

/** Returns what the deletion of parents changes for one child. */
export function sweepChild(
  tenant: string,
  relation: Relation,
  child: StoredEntity,
  { ids, includesDescendants }: Parents,
): ChangeSet {
  return relation.onDelete === 'cascade'
    ? buildDelete(tenant, child, includesDescendants)
    : { changes: [removeReferences(relation, child, ids)] };
}

/** Returns the last step of a sweep: a second sweep follows the first one. */
function endSweep(work: SweepWork): Step {
  if (work.final) return { left: undefined };
  return { left: { ...work, final: true, relation: 0 }, dueAt: secondSweepAt(0) };
}

/**
 * Returns the next step of a sweep: the first page of the children of the first relation that has any. The children of earlier steps do not refer
 * to the entity any more.
 */
export async function sweepStep(session: Session, { work }: Job<SweepWork>): Promise<Step> {
  const { tenant } = session;
  const { id } = work;
  const relations = dependentsOf(work.kind);
  for (const [position, relation] of relations.entries()) {
    if (position < work.relation) continue;
    const { children, next } = await readChildren(session, relation, [id]);
    if (children.length === 0 && next === undefined) continue;
    const parents = { ids: [id], includesDescendants: false };
    const relationLeft = next === undefined ? position + 1 : position;
    return {
      repeatable: children.map((child) => sweepChild(tenant, relation, child, parents)),
      left: { ...work, relation: relationLeft },
    };
  }
  return endSweep(work);
}
