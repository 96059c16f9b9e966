/** The children that an entity had when a job began. */
import { type ChildrenPage, type ChildrenRange, readChildren } from '../lists/children.ts';
import type { StoredEntity } from '../model/entity.ts';
import type { Relation } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { findEntry } from './list-history.ts';

/** Returns whether an entity existed at a position of its log, and was not deleted then. What is older than its records did. */
async function existedAt(session: Session, stored: StoredEntity, position: number): Promise<boolean> {
  const { kind, entity, logPosition = 0 } = stored;
  for (let later = logPosition; later > position; ) {
    const found = await findEntry(session, { kind, id: entity.id }, later);
    if (!found) return true;
    if (!found.entry.before) return false;
    later = found.entry.previousPosition;
  }
  return true;
}

/**
 * Reads one page of the children that existed when a job began. The order of ids does not tell which ones did: one that was made offline, or was restored, is
 * earlier than its arrival. Only what has changed since costs a read for each change.
 * @param asOf the head of their log, when the job began.
 */
export async function readChildrenAsOf(
  session: Session,
  relation: Relation,
  parentId: string,
  { asOf, ...range }: ChildrenRange & { readonly asOf: number },
): Promise<ChildrenPage> {
  const page = await readChildren(session, relation, [parentId], range);
  const existed = await Promise.all(page.children.map((child) => existedAt(session, child, asOf)));
  return { ...page, children: page.children.filter((_, position) => existed[position]) };
}
