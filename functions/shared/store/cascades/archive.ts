/** Archives an organization and its projects. */

import type { ExpectedVersions } from '../entities/preconditions.ts';
import { readEntity } from '../entities/read-entity.ts';
import { buildUpdate } from '../model/changes.ts';
import type { WholeEntity } from '../model/entity.ts';
import { type ArchiveWork, beginJob, type Job, type Step } from '../model/job.ts';
import { relationOf } from '../model/relations.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type ChildrenRange, createSnapshotId, readChildren } from './children.ts';
import { type ChildChanges, planWithChildren } from './transaction-or-job.ts';

const archived = { status: 'archived' } as const;

const ownership = relationOf('project', 'organization');

const pageSize = 100;

/** Returns the changes that archive one page of an organization's projects. */
async function archiveProjects(
  session: Session,
  organizationId: string,
  range: ChildrenRange = {},
): Promise<ChildChanges> {
  const page = await readChildren(session, ownership, organizationId, { limit: pageSize, ...range });
  const snapshotId = range.snapshotId ?? (await createSnapshotId(session, ownership, organizationId, page));
  const changes = page.children
    .filter(({ entity }) => entity.status !== archived.status)
    .map((project) => buildUpdate(project, archived));
  return { changes, next: page.next, snapshotId };
}

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
    const change = isArchived ? undefined : buildUpdate(before, archived);
    const projects = await archiveProjects(session, id);
    const job = beginJob(session.tenant, { type: 'archive', id, after: '' }, { id: projects.snapshotId });
    return planWithChildren(change ? [change] : [], projects, job, change?.after ?? before);
  });
}

/** Returns the next step of a job that archives projects. The job's id is the snapshot id. */
export async function archiveStep(session: Session, { id, work }: Job<ArchiveWork>): Promise<Step> {
  const range = { after: work.after, snapshotId: id };
  const { changes, next } = await archiveProjects(session, work.id, range);
  return {
    repeatable: changes.map((change) => ({ changes: [change] })),
    left: next === undefined ? undefined : { ...work, after: next },
  };
}
