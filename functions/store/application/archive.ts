/** Archives an organization and its projects. */

import { now } from '../../runtime/time-and-chance.ts';
import { readChildren } from '../deletions/children.ts';
import type { ExpectedVersions } from '../entities/preconditions.ts';
import { readEntity } from '../entities/read-entity.ts';
import { readSequencer } from '../lists/changes/read-log.ts';
import { buildUpdate, type Change } from '../model/changes.ts';
import type { StoredEntity, WholeEntity } from '../model/entity.ts';
import { newId } from '../model/ids.ts';
import { type ArchiveWork, beginJob, type Job, type Step } from '../model/job.ts';
import { relationOf } from '../model/relations.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readChildrenAsOf } from './children-as-of.ts';

const archived = { status: 'archived' } as const;

const ownership = relationOf('project', 'organization');

const archive = (projects: readonly StoredEntity[], nowMs: number): Change[] =>
  projects
    .filter(({ entity }) => entity.status !== archived.status)
    .map((project) => buildUpdate(project, archived, nowMs));

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
    const asOf = await readSequencer(session, 'project');
    const own = change ? [change] : [];
    const job = beginJob(session, { type: 'archive', id, asOf, after: '' }, { id: newId(nowMs).id });
    const begun = { changes: own, writes: [job] };
    const whole = { changes: [...own, ...archive(page.children, nowMs)] };
    return { ...(page.next ? begun : whole), orElse: begun, result: change?.after ?? before };
  });
}

/** Returns the next step of a job that archives projects. */
export async function archiveStep(session: Session, { work }: Job<ArchiveWork>): Promise<Step> {
  const { children, next } = await readChildrenAsOf(session, ownership, work.id, work);
  return {
    repeatable: archive(children, now()).map((change) => ({ changes: [change] })),
    left: next === undefined ? undefined : { ...work, after: next },
  };
}
