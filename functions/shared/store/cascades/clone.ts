/** Clones a project, with or without its tasks. */

import type { ExpectedVersions } from '../entities/preconditions.ts';
import { readEntity } from '../entities/read-entity.ts';
import { buildCreate } from '../model/changes.ts';
import { type Entity, type Fields, readOnlyFields, type WholeEntity } from '../model/entity.ts';
import { CloneTooLarge } from '../model/errors.ts';
import { beginJob, type CloneWork, type Job, type Step } from '../model/job.ts';
import { entityKey } from '../model/keys.ts';
import { relationOf } from '../model/relations.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readTexts } from '../unit-of-work/whole-entities.ts';
import { type ChildrenRange, createSnapshotId, hasMoreChildren, readChildren } from './children.ts';
import { type ChildChanges, planWithChildren } from './transaction-or-job.ts';

const ownership = relationOf('task', 'project');

const pageSize = 100;

/**
 * Tasks that a clone copies, at most. They take 100 seconds at the pace of 100 tasks a second, and 100,000 write units: ten for each task,
 * without long texts. The limit bounds what one small request costs.
 */
export const maxClonedTasks = 10_000;

/** Tasks in a step, which is one transaction: copies with long texts make up to 92 writes of at most 2 MB in all. */
const stepSize = 45;

/** Returns the fields of an entity that a copy gets: those that its caller has set. */
export function copyFields(entity: Entity): Fields {
  const excluded: readonly string[] = readOnlyFields;
  return Object.fromEntries(Object.entries(entity).filter(([field]) => !excluded.includes(field))) as Fields;
}

/** Returns copies of one page of a project's tasks, with their long texts. Their ids keep the order of the originals. */
async function copyTasks(
  session: Session,
  from: string,
  to: string,
  range: ChildrenRange = {},
): Promise<ChildChanges> {
  const page = await readChildren(session, ownership, from, { limit: pageSize, ...range });
  const snapshotId = range.snapshotId ?? (await createSnapshotId(session, ownership, from, page));
  // The action leaves all to the job when there is another page.
  const isLeftToJob = range.snapshotId === undefined && page.next !== undefined;
  const originals = isLeftToJob ? [] : await readTexts(session, page.children);
  const changes = originals.map(({ entity }) =>
    buildCreate('task', { ...copyFields(entity), projectId: to }),
  );
  return { changes, next: page.next, snapshotId };
}

export interface CloneOptions {
  /** The name of the clone; by default that of the original. */
  readonly name?: string | undefined;
  /** Whether the clone gets copies of the tasks. */
  readonly includesTasks: boolean;
}

/**
 * Creates a project with the fields of another one, and copies of its tasks.
 * @throws EntityNotFound, VersionMismatch; CloneTooLarge when the project has more tasks than a clone copies.
 */
export function cloneProjectWithTasks(
  session: Session,
  id: string,
  expected: ExpectedVersions,
  { name, includesTasks }: CloneOptions,
): Promise<WholeEntity> {
  return commit(session, async () => {
    const original = await readEntity(session, 'project', id, expected);
    const fields = copyFields(original.entity);
    const own = buildCreate('project', { ...fields, name: name ?? fields.name });
    const clone = own.after;
    if (!includesTasks) return { changes: [own], result: clone };
    const to = clone.entity.id;
    const tasks = await copyTasks(session, id, to);
    const isLarge = tasks.next !== undefined;
    if (isLarge && (await hasMoreChildren(session, ownership, id, maxClonedTasks)))
      throw new CloneTooLarge(maxClonedTasks);
    const job = beginJob(
      session.tenant,
      { type: 'clone', from: id, to, after: '' },
      { id: tasks.snapshotId },
    );
    return planWithChildren([own], tasks, job, clone);
  });
}

/** Returns the next step of a job that copies tasks. The job's id is the snapshot id. */
export async function cloneStep(session: Session, { id, work }: Job<CloneWork>): Promise<Step> {
  // Tasks must not be created in a project that was deleted meanwhile.
  const clone = await session.database.get(entityKey(session.tenant, 'project', work.to));
  if (!clone) return { left: undefined };
  const range = { after: work.after, snapshotId: id, limit: stepSize };
  const { changes, next } = await copyTasks(session, work.from, work.to, range);
  return { once: { changes }, left: next === undefined ? undefined : { ...work, after: next } };
}
