/** The job of deletions: removes what belongs to deleted entities, and the references to them. */

import { now } from '../../runtime/time-and-chance.ts';
import { isRootOf } from '../model/deletion.ts';
import type { AnyEntity, Deletion } from '../model/entity.ts';
import { type Beginning, beginJob, type Job, type JobOrigin, type JobWork, type Step } from '../model/job.ts';
import { cascadeKinds, dependentsOf } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import type { Write } from '../model/writes.ts';
import { maxRequestMs } from '../table/deadline.ts';
import type { Session } from '../table/session.ts';
import { readAnyStored } from '../table/stored-entities.ts';
import type { JobHandler } from '../write/job-handler.ts';
import { hasUnfinishedJob } from '../write/unfinished-jobs.ts';
import { byKind, type Deletions, findNextDescendants } from './descendants.ts';
import { firstMembers, type MembersPlace, readMembers } from './members.ts';

export const sweepType = 'sweep';

/**
 * Cleans up after deleted entities: deletes their descendants or removes the references to them. It makes a pass at once, and further ones when no
 * request can be in progress that still read a parent: such a request writes its child a moment later.
 */
export interface SweepWork extends JobWork, MembersPlace {
  readonly type: typeof sweepType;
  readonly kind: Kind;
  /** The entities that a request has deleted. */
  readonly ids: readonly string[];
  readonly isFirst: boolean;
  readonly hasFound: boolean;
}

/** Milliseconds by which the clocks of two machines of AWS differ, at most. */
const maxClockErrorMs = 1_000;

/** Milliseconds after a deletion or a restore until every request, and every step of a job, that saw the entity before has ended, on any clock. */
const lateWritesMs = maxRequestMs + 2 * maxClockErrorMs;

/** Removed entities whose children one query looks for. */
const pageSize = 100;

/** Returns the time of the next pass. @param appliedMs when the previous one is applied at the latest, milliseconds since 1970. */
export const nextPassAt = (appliedMs: number): string => new Date(appliedMs + lateWritesMs).toISOString();

/** Returns the write that begins the job of deletions. @param beginning with a time: the caller has done what the first pass would. */
export function beginSweep(origin: JobOrigin, kind: Kind, ids: readonly string[], beginning: Beginning = {}) {
  const isFirst = beginning.dueAt === undefined;
  const work: SweepWork = { type: sweepType, kind, ids, isFirst, hasFound: false, ...firstMembers };
  return beginJob(origin, work, beginning);
}

/**
 * Returns the writes that begin jobs for the children of requests that still saw these entities, one for each kind that can have any. The job of a deletion finds
 * what it has removed itself: this is for what it does not find.
 */
export function sweepLater(origin: JobOrigin, removed: readonly AnyEntity[]): Write[] {
  const dueAt = nextPassAt(now() + maxRequestMs);
  return byKind(removed)
    .filter(({ kind }) => dependentsOf(kind).length > 0)
    .map(({ kind, ids }) => beginSweep(origin, kind, ids, { dueAt }));
}

/**
 * Returns the deletions of those entities that are still deleted: one that exists was restored. One that is not even there as a deleted entity was lost, or its
 * item has expired.
 */
async function readDeletions(
  session: Session,
  { kind, ids }: Pick<SweepWork, 'kind' | 'ids'>,
): Promise<Deletions> {
  const { actor } = session;
  const stored = new Map((await readAnyStored(session, kind, ids)).map((one) => [one.entity.id, one]));
  const lost = { deletedAt: now(), ...(actor !== undefined && { deletedBy: actor }) };
  return new Map(
    ids.flatMap((id) => {
      const found = stored.get(id);
      const deletion = found ? found.deletion : { ...lost, root: { kind, id }, isLost: true };
      return deletion ? [[id, deletion] as const] : [];
    }),
  );
}

/**
 * Returns the entities whose children a step looks for: first the roots; then, except in the first pass, what their deletions have removed. `undefined` when the
 * pass is complete.
 */
async function readParents(
  session: Session,
  { kind, isFirst, position, after }: SweepWork,
  roots: Deletions,
) {
  const kinds = cascadeKinds(kind).filter((one) => dependentsOf(one).length > 0);
  const hasMembers = !isFirst && kinds.length > 0;
  if (position === 0)
    return { kind, deletions: roots, next: hasMembers ? { position: 1, after: '' } : undefined };
  const range = { from: { position: position - 1, after }, limit: pageSize, isForIds: true };
  // What a restore has moved into a later deletion is a member of that one: its other members belong to its own job.
  const own = [...roots].flatMap(([id, deletion]) => (isRootOf(deletion, kind, id) ? [deletion] : []));
  const page = await readMembers(session, own, kinds, range);
  return (
    page && {
      kind: page.kind,
      deletions: new Map(page.ids.map((id) => [id, page.deletion])),
      next: { ...page.next, position: page.next.position + 1 },
    }
  );
}

/**
 * Returns the next step of a sweep: a page of descendants, the deepest first. Requests that saw a parent create children a moment later. So another pass follows
 * when none of them can be in progress any more, until one finds nothing. A sweep ends when its roots were restored. What a step removes at the same time
 * comes back with the second pass of the restore.
 */
export async function sweepStep(session: Session, { work }: Job<SweepWork>): Promise<Step<SweepWork>> {
  const roots = await readDeletions(session, work);
  if (roots.size === 0) return { left: undefined };
  if (roots.size < work.ids.length) return { left: { ...work, ids: [...roots.keys()], ...firstMembers } };
  const parents = await readParents(session, work, roots);
  const { changes = [] } = parents
    ? await findNextDescendants(session, { ...parents, found: new Set() })
    : {};
  if (changes.length > 0) {
    // They have no rows: the next pass does not find them.
    const erased = changes.flatMap(({ after }) => (after?.deletion?.isErased ? [after] : []));
    const writes = sweepLater(session, erased);
    const changeSets = changes.map((change) => ({ changes: [change] }));
    return {
      repeatable: writes.length > 0 ? [{ changes: [], writes }, ...changeSets] : changeSets,
      left: { ...work, hasFound: true },
    };
  }
  if (parents?.next) return { left: { ...work, ...parents.next } };
  if (!work.isFirst && !work.hasFound) return { left: undefined };
  const left = { ...work, isFirst: false, hasFound: false, ...firstMembers };
  return { left, dueAt: nextPassAt(now()) };
}

/** Returns whether a deletion has not ended: its job can remove what belongs to its root, also what was restored by itself. */
export const isBeingSwept = (session: Session, { kind, id }: Deletion['root']): Promise<boolean> =>
  hasUnfinishedJob(session, (work) => {
    const { type, kind: ofRoots, ids } = work as SweepWork;
    return type === sweepType && ofRoots === kind && ids.includes(id);
  });

export const sweep: JobHandler<SweepWork> = {
  fields: { type: true, kind: true, ids: true, isFirst: true, hasFound: true, position: true, after: true },
  step: sweepStep,
};
