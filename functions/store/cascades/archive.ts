/** Archives an organization and its projects. */

import { now } from '../../runtime/time-and-chance.ts';
import type { ExpectedVersions } from '../entities/preconditions.ts';
import { readEntity } from '../entities/read-entity.ts';
import { readSequencer } from '../lists/changes/read-log.ts';
import { buildUpdate, type Change } from '../model/changes.ts';
import type { StoredEntity, WholeEntity } from '../model/entity.ts';
import { type ArchiveWork, beginJob, type Job, type Step } from '../model/job.ts';
import { relationOf } from '../model/relations.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { childrenAsOf, createSnapshotId, readChildren } from './children.ts';
import { buildWithChildren } from './transaction-or-job.ts';

const archived = { status: 'archived' } as const;

const ownership = relationOf('project', 'organization');

const unarchived = (projects: readonly StoredEntity[]): StoredEntity[] =>
  projects.filter(({ entity }) => entity.status !== archived.status);

const archive = (projects: readonly StoredEntity[], nowMs: number): Change[] =>
  unarchived(projects).map((project) => buildUpdate(project, archived, nowMs));

/**
 * Archives an organization and the projects that it has now. Repeating it archives projects that were created since.
 * @throws EntityNotFound, VersionMismatch.
 */
export function archiveWithProjects(
  session: Session,
  id: string,
  expected: ExpectedVersions,
): Promise<WholeEntity> {
  return commit(session, async () => {
    const before = await readEntity(session, 'organization', id, expected);
    const isArchived = before.entity.status === archived.status;
    const nowMs = now();
    const change = isArchived ? undefined : buildUpdate(before, archived, nowMs);
    const page = await readChildren(session, ownership, [id]);
    const snapshotId = await createSnapshotId(session, ownership, id, page);
    const asOf = await readSequencer(session, 'project');
    const job = beginJob(session, { type: 'archive', id, asOf, after: '' }, { id: snapshotId });
    const projects = { changes: archive(page.children, nowMs), next: page.next };
    return buildWithChildren(change ? [change] : [], projects, job, change?.after ?? before);
  });
}

/** Returns the next step of a job that archives projects. The job's id is the snapshot id. */
export async function archiveStep(session: Session, { id, work }: Job<ArchiveWork>): Promise<Step> {
  const range = { after: work.after, snapshotId: id };
  const { children, next } = await readChildren(session, ownership, [work.id], range);
  const existed = await childrenAsOf(session, unarchived(children), work.asOf);
  const nowMs = now();
  return {
    repeatable: archive(existed, nowMs).map((change) => ({ changes: [change] })),
    left: next === undefined ? undefined : { ...work, after: next },
  };
}
