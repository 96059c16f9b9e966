import { type Change, creation } from '../model/changes.ts';
import { type Entity, type Fields, readOnlyMembers } from '../model/entities.ts';
import { relations } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { idLaterThanChildren, type Part, readChildren } from './cascade.ts';

const ownership = relations.find(({ child, parent }) => child === 'task' && parent === 'project');

/** What can be copied of an entity: all that its caller once set. */
export function writableMembers(entity: Entity): Fields {
  const own: readonly string[] = readOnlyMembers;
  return Object.fromEntries(Object.entries(entity).filter(([member]) => !own.includes(member))) as Fields;
}

/**
 * Copies, for another project, of one page of a project's tasks. The copies' ids, made one after the other, keep
 * the order of the originals.
 * @returns with them, an id that is later than those of all the tasks: of the job that goes on.
 */
export async function copies(
  session: Session,
  fromProjectId: string,
  toProjectId: string,
  part: Part = {},
): Promise<{ changes: Change[]; next: string | undefined; until: string }> {
  if (!ownership) throw new TypeError('Tasks have no project.');
  const page = await readChildren(session, ownership, fromProjectId, { limit: 100, ...part });
  const { children, next } = page;
  const until = part.until ?? (await idLaterThanChildren(session, ownership, fromProjectId, page));
  const changes = children.map(({ entity }) =>
    creation('task', { ...writableMembers(entity), projectId: toProjectId }),
  );
  return { changes, next, until };
}
