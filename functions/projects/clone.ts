/** Clones a project, with or without its tasks. */

import type { ExpectedVersions } from '../engine/entities/preconditions.ts';
import { readEntity } from '../engine/entities/read-entity.ts';
import { readChildrenAsOf } from '../engine/feed/children-as-of.ts';
import { readSequencer } from '../engine/feed/read-log.ts';
import { readChildren, refersToAny } from '../engine/lists/children.ts';
import { buildCreate, type Change } from '../engine/model/changes.ts';
import {
  type Entity,
  type Fields,
  readOnlyFields,
  type StoredEntity,
  type WholeEntity,
} from '../engine/model/entity.ts';
import { newId } from '../engine/model/ids.ts';
import { beginJob, type Job, type JobWork, type Step } from '../engine/model/job.ts';
import { entityKey } from '../engine/model/keys.ts';
import { relationOf } from '../engine/model/relations.ts';
import type { Session } from '../engine/table/session.ts';
import { readTexts } from '../engine/table/whole-entities.ts';
import { commit } from '../engine/write/commit.ts';
import type { JobHandler } from '../engine/write/job-handler.ts';
import { now } from '../runtime/time-and-chance.ts';

/** Copies the tasks that a project had when it was cloned. */
interface CloneWork extends JobWork {
  readonly type: 'clone';
  readonly from: string;
  readonly to: string;
  /** The head of the tasks' log when the job began: later tasks can have earlier ids. */
  readonly asOf: number;
  readonly after: string;
}

/** The project has more tasks than a clone copies. */
export class CloneTooLarge extends Error {
  constructor(maxTasks: number) {
    super(`The project has more than ${maxTasks} tasks, the maximum of a clone.`);
    this.name = 'CloneTooLarge';
  }
}

const ownership = () => relationOf('task', 'project');

/**
 * Tasks that a clone copies, at most. They take 100 seconds at the pace of 100 tasks a second, and about 50,000 write units: five for each
 * task, without long texts. The limit bounds what one small request costs.
 */
export const maxClonedTasks = 10_000;

/** Tasks in a step, which is one transaction: copies with long texts make up to 92 writes of at most 2 MB in all. */
const stepSize = 45;

/** Returns the fields of an entity that a copy gets: those that its caller has set. */
function copyFields(entity: Entity): Fields {
  const excluded: readonly string[] = readOnlyFields;
  return Object.fromEntries(Object.entries(entity).filter(([field]) => !excluded.includes(field))) as Fields;
}

/** Returns the changes that create copies of a project's tasks, with their long texts. Their ids keep the order of the originals. */
async function copyTasks(
  session: Session,
  tasks: readonly StoredEntity[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Change[]> {
  const originals = await readTexts(session, tasks);
  const nowMs = now();
  return (
    originals
      // A task whose text changed was read again.
      .filter((task) => refersToAny(ownership(), task, [from]))
      .map(({ entity }) => buildCreate('task', { ...copyFields(entity), projectId: to }, nowMs))
  );
}

interface CloneOptions {
  /** The name of the clone; by default that of the original. */
  readonly name?: string | undefined;
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
    const nowMs = now();
    const own = buildCreate('project', { ...fields, name: name ?? fields.name }, nowMs);
    const clone = own.after;
    if (!includesTasks) return { changes: [own], result: clone };
    const to = clone.entity.id;
    const page = await readChildren(session, ownership(), [id]);
    if (page.total > maxClonedTasks) throw new CloneTooLarge(maxClonedTasks);
    const asOf = await readSequencer(session, 'task');
    const work: CloneWork = { type: 'clone', from: id, to, asOf, after: '' };
    const job = beginJob(session, work, { id: newId(nowMs).id });
    // The job copies all tasks when there is another page.
    const changes = page.next === undefined ? await copyTasks(session, page.children, work) : [];
    const begun = { changes: [own], writes: [job] };
    return { ...(page.next ? begun : { changes: [own, ...changes] }), orElse: begun, result: clone };
  });
}

/** Returns the next step of a job that copies tasks. */
async function cloneStep(session: Session, { work }: Job<CloneWork>): Promise<Step<CloneWork>> {
  // Tasks must not be created in a project that was deleted meanwhile.
  const clone = await session.database.get(entityKey(session.tenant, 'project', work.to));
  if (!clone) return { left: undefined };
  const range = { ...work, limit: stepSize };
  const { children, next } = await readChildrenAsOf(session, ownership(), work.from, range);
  const changes = await copyTasks(session, children, work);
  return { once: { changes }, left: next === undefined ? undefined : { ...work, after: next } };
}

export const clone: JobHandler<CloneWork> = {
  fields: { type: true, from: true, to: true, asOf: true, after: true },
  step: cloneStep,
};
