import { numbersBeside, withNumber } from '../engine/entities/numbers.ts';
import { readEntity } from '../engine/entities/read-entity.ts';
import { fieldsAt, readChildrenAsOf } from '../engine/feed/children-as-of.ts';
import { readSequencer } from '../engine/feed/read-log.ts';
import { readChildIds, readChildren, refersToAny } from '../engine/lists/children.ts';
import { buildCreate, type WholeChange } from '../engine/model/changes.ts';
import { isExpired } from '../engine/model/deletion.ts';
import {
  type Entity,
  type ExpectedVersions,
  type Fields,
  type ItemFields,
  numberField,
  readOnlyFields,
  type StoredEntity,
  type WholeEntity,
} from '../engine/model/entity.ts';
import { newId } from '../engine/model/ids.ts';
import { beginJob, type Job, type JobWork, type Step, sizeAtLevel } from '../engine/model/job.ts';
import { isStoreField, relationOf } from '../engine/model/relations.ts';
import { type Session, withoutSight } from '../engine/table/session.ts';
import { findStored, readAnyStored, readTexts } from '../engine/table/stored-entities.ts';
import { commit } from '../engine/write/commit.ts';
import type { JobHandler } from '../engine/write/job-handler.ts';
import { now } from '../runtime/time-and-chance.ts';

/** The tasks that a step copies: the sub-tasks of some others, or those at the top of the project. */
interface Place {
  /** The copies of their parents, by the ids of these. At the top, parents belong to other projects. */
  readonly copies?: Readonly<Record<string, string>>;
  /** The last one that was copied, or an empty text. */
  readonly after: string;
}

/** Copies the tasks that a project had when it was cloned, parents before their sub-tasks. */
interface CloneWork extends JobWork {
  readonly type: 'clone';
  readonly from: string;
  readonly to: string;
  /** The head of the tasks' log when the job began: later tasks can have earlier ids. */
  readonly asOf: number;
  /** Who saw the original when the job began; absent in jobs of before. */
  readonly sight?: string;
  /** From the top to the level of the next step. */
  readonly path: readonly Place[];
}

export class CloneTooLarge extends Error {
  constructor(maxTasks: number) {
    super(`The project has more than ${maxTasks} tasks, the maximum of a clone.`);
    this.name = 'CloneTooLarge';
  }
}

const ownership = () => relationOf('task', 'project');

const parenthood = () => relationOf('task', 'task');

const parentIn = ({ parentId }: ItemFields): string | null => (parentId ?? null) as string | null;

/**
 * Tasks that a clone copies, at most. They take 100 seconds at the pace of 100 tasks a second, and about 50,000 write units: five for each
 * task, without long texts. The limit bounds what one small request costs.
 */
const maxClonedTasks = 10_000;

/** Tasks in a step, which is one transaction: copies with long texts make up to 92 writes of at most 2 MB in all. */
const stepSize = 45;

/**
 * JSON bytes of the tasks of a step, at most. The record of their creation is one item, of at most 400 KB, and has all their words: about 25 KB for each of the
 * longest texts. A step with more bytes is taken with few tasks instead, which always fit.
 */
const maxStepBytes = 350_000;
const smallStepSize = 10;

/** Milliseconds after which a job looks again whether its clone is restored. */
const deletedPauseMs = 600_000;

/** Returns the fields of an entity that a copy gets: those that its caller has set. */
function copyFields(entity: Entity): Fields {
  const excluded: readonly string[] = [...readOnlyFields, numberField];
  const isOwn = (field: string): boolean => !excluded.includes(field) && !isStoreField(field);
  return Object.fromEntries(Object.entries(entity).filter(([field]) => isOwn(field))) as Fields;
}

/** Returns a text that tells who sees a project. */
const sightOf = ({ visibility = 'tenant', memberIds = [] }: ItemFields): string =>
  JSON.stringify([visibility, (memberIds as readonly string[]).toSorted()]);

const readTasks = (session: Session, ids: readonly (string | null | undefined)[]) =>
  readAnyStored(
    session,
    'task',
    [...new Set(ids)].flatMap((id) => id || []),
  );

/**
 * Returns the changes that create copies of a project's tasks, with their long texts. Their ids keep the order of the originals. The parent of a copy is that of
 * the original if it belongs to another project, and otherwise its copy.
 * @returns the changes by the ids of the originals.
 */
async function copyTasks(
  session: Session,
  tasks: readonly StoredEntity[],
  { from, to }: Pick<CloneWork, 'from' | 'to'>,
  copies?: Place['copies'],
): Promise<Map<string, WholeChange>> {
  const originals = (await readTexts(session, tasks))
    // A task whose text changed was read again.
    .filter((task) => refersToAny(ownership(), task, [from]));
  const nowMs = now();
  const ids = new Map(originals.map(({ entity }) => [entity.id, newId(nowMs).id]));
  const parentOf = ({ entity }: StoredEntity): string | null => {
    const id = parentIn(entity) ?? '';
    return ids.get(id) ?? (copies ? copies[id] : id) ?? null;
  };
  const known = new Set<string | null>(ids.values());
  const others = originals.map(parentOf).filter((id) => !known.has(id));
  // Copies keep parents in other projects, as the originals have them.
  for (const { entity, deletion } of await readTasks(withoutSight(session), others))
    if (!deletion && entity['projectId'] !== from) known.add(entity.id);
  return new Map(
    originals.flatMap((task): [string, WholeChange][] => {
      const { id } = task.entity;
      const parentId = known.has(parentOf(task)) ? parentOf(task) : null;
      // The copy of its parent was deleted, or the task has moved.
      if (copies && parentId === null) return [];
      const fields = { ...copyFields(task.entity), projectId: to, parentId };
      return [[id, buildCreate('task', fields, nowMs, ids.get(id))]];
    }),
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
    // The job copies all tasks when there is another page.
    const copied = page.next === undefined ? page.children : [];
    const withNumbers = numbersBeside(session, 'task', copied.length);
    const [asOf, numbers] = await withNumbers(() => readSequencer(session, 'task'));
    const sight = sightOf(original.entity);
    const work: CloneWork = { type: 'clone', from: id, to, asOf, sight, path: [{ after: '' }] };
    const job = beginJob(session, work);
    const copies = [...(await copyTasks(session, copied, work)).values()];
    const changes = copies.map((copy, place) => withNumber(copy, numbers[place]));
    const begun = { changes: [own], writes: [job] };
    return { ...(page.next ? begun : { changes: [own, ...changes] }), orElse: begun, result: clone };
  });
}

/** Returns the tasks of the project that were below no other one of it when the job began. */
async function findTop(
  session: Session,
  { children, former }: Awaited<ReturnType<typeof readChildrenAsOf>>,
  { from, asOf }: CloneWork,
): Promise<StoredEntity[]> {
  const parents = await readTasks(session, former.map(parentIn));
  const fields = await Promise.all(parents.map((parent) => fieldsAt(session, parent, asOf)));
  const inside = fields.flatMap((one) => (one?.['projectId'] === from ? [one.id] : []));
  return children.filter((_, position) => !inside.includes(parentIn(former[position] as ItemFields) ?? ''));
}

/** Returns the next step of a job that copies tasks. A task is copied where it was when the job began, so never twice; one in a cycle is at no place. */
async function cloneStep(
  session: Session,
  { work }: Pick<Job<CloneWork>, 'work'>,
  limit = sizeAtLevel(work.path.length, stepSize),
): Promise<Step<CloneWork>> {
  const { from, to, asOf, path } = work;
  const place = path.at(-1);
  const clone = await findStored(session, 'project', to);
  const deletion = clone?.deletion;
  if (!clone || !place || (deletion && isExpired(deletion, now()))) return { left: undefined };
  // What is written from then on is not for those who saw the project before.
  const original = await findStored(session, 'project', from);
  if (work.sight !== undefined && (!original || sightOf(original.entity) !== work.sight))
    return { left: undefined };
  // Tasks must not be created in a project that was deleted meanwhile. It can be restored.
  if (deletion) return { left: work, dueAt: new Date(now() + deletedPauseMs).toISOString() };
  const { copies, after } = place;
  const [relation, parentIds] = copies ? [parenthood(), Object.keys(copies)] : [ownership(), [from]];
  const page = await readChildrenAsOf(session, relation, parentIds, { after, asOf, limit });
  const tasks = copies
    ? page.children.filter((_, position) => page.former[position]?.['projectId'] === from)
    : await findTop(session, page, work);
  const changes = await copyTasks(session, tasks, work, copies);
  const bytes = Buffer.byteLength(
    JSON.stringify([...changes.values()].map(({ after: copy }) => copy.entity)),
  );
  if (limit > smallStepSize && bytes > maxStepBytes) return cloneStep(session, { work }, smallStepSize);
  const ids = Object.fromEntries([...changes].map(([id, { after: copy }]) => [id, copy.entity.id]));
  const withNumbers = numbersBeside(session, 'task', changes.size);
  const [below, numbers] = await withNumbers(() => readChildIds(session, parenthood(), Object.keys(ids)));
  const left = path.slice(0, -1);
  if (page.next !== undefined) left.push({ ...place, after: page.next });
  if (below.length > 0) left.push({ copies: ids, after: '' });
  return {
    once: { changes: [...changes.values()].map((copy, place) => withNumber(copy, numbers[place])) },
    left: left.length === 0 ? undefined : { ...work, path: left },
  };
}

export const clone: JobHandler<CloneWork> = {
  fields: { type: true, from: true, to: true, asOf: true, sight: true, path: true },
  step: cloneStep,
};
