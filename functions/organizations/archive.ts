import { readEntity } from '../engine/entities/read-entity.ts';
import { readChildrenAsOf } from '../engine/feed/children-as-of.ts';
import { readSequencer } from '../engine/feed/read-log.ts';
import { readChildren } from '../engine/lists/children.ts';
import { buildUpdate, type Change } from '../engine/model/changes.ts';
import type { ExpectedVersions, StoredEntity } from '../engine/model/entity.ts';
import { beginJob, type Job, type JobWork, type Step } from '../engine/model/job.ts';
import { relationOf } from '../engine/model/relations.ts';
import { type Session, withoutSight } from '../engine/table/session.ts';
import { commit } from '../engine/write/commit.ts';
import type { JobHandler } from '../engine/write/job-handler.ts';
import { now } from '../runtime/time-and-chance.ts';

interface ArchiveWork extends JobWork {
  readonly type: 'archive';
  readonly id: string;
  /** The head of the projects' log when the job began: later projects can have earlier ids. */
  readonly asOf: number;
  readonly after: string;
}

const archived = { status: 'archived' } as const;

const ownership = () => relationOf('project', 'organization');

const archiveAll = (projects: readonly StoredEntity[], nowMs: number): Change[] =>
  projects
    .filter(({ entity }) => entity.status !== archived.status)
    .map((project) => buildUpdate(project, archived, nowMs));

/**
 * Archives an organization and the projects that it has now, also those that the caller does not see. Repeating it archives projects that were created since.
 * @throws EntityNotFound, VersionMismatch.
 */
export function archiveWithProjects(session: Session, id: string, expected: ExpectedVersions) {
  return commit(session, async () => {
    const before = await readEntity(session, 'organization', id, expected);
    const isArchived = before.entity.status === archived.status;
    const nowMs = now();
    const change = isArchived ? undefined : buildUpdate(before, archived, nowMs);
    const page = await readChildren(withoutSight(session), ownership(), [id]);
    const asOf = await readSequencer(session, 'project');
    const own = change ? [change] : [];
    const work: ArchiveWork = { type: 'archive', id, asOf, after: '' };
    const job = beginJob(session, work);
    const begun = { changes: own, writes: [job] };
    const whole = { changes: [...own, ...archiveAll(page.children, nowMs)] };
    return { ...(page.next ? begun : whole), orElse: begun, result: change?.after ?? before };
  });
}

async function archiveStep(session: Session, { work }: Job<ArchiveWork>): Promise<Step<ArchiveWork>> {
  const { children, next } = await readChildrenAsOf(session, ownership(), [work.id], work);
  return {
    repeatable: archiveAll(children, now()).map((change) => ({ changes: [change] })),
    left: next === undefined ? undefined : { ...work, after: next },
  };
}

export const archive: JobHandler<ArchiveWork> = {
  fields: { type: true, id: true, asOf: true, after: true },
  step: archiveStep,
};
