/** The entities that refer to a deleted one, page by page, in the order of their creation. */
import type { RowFilter } from '../lists/engine/row-filter.ts';
import { allIds } from '../lists/engine/row-query.ts';
import { listByEngine } from '../lists/engine-page.ts';
import type { Relation } from '../model/relations.ts';
import { splitIds } from '../model/row.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type ChildrenPage, type ChildrenRange, readChildren } from './children.ts';

/** Children on a page of the list engine. */
const enginePageSize = 100;

/** Reads one page of a parent's children from the list engine, which does not lag. */
async function readByEngine(
  session: Session,
  { child, field, index }: Relation,
  parentId: string,
  { after = '', limit = enginePageSize }: ChildrenRange,
): Promise<ChildrenPage> {
  const isArray = index === undefined;
  const filter: RowFilter = isArray
    ? { field, accepts: (ids) => splitIds(ids ?? '').includes(parentId) }
    : { field, text: parentId, accepts: (id) => id === parentId };
  const ids = { from: after || allIds.from, to: allIds.to };
  // One more than a page: the range begins with the last child of the previous page, if that still is a child.
  const query = { filters: [filter], ids, isDescending: false, skip: 0, limit: limit + 1 };
  const { stored, total } = await listByEngine(session, child, query);
  const rest = stored.filter(({ entity }) => entity.id !== after);
  const children = rest.slice(0, limit);
  const hasMore = rest.length > limit || total > stored.length;
  return { children, next: hasMore ? children.at(-1)?.entity.id : undefined };
}

/**
 * Reads one page of the entities that refer to another one. Those that its deletion deletes are found by the index of their parent; those that
 * only lose a reference, by the list engine.
 */
export const readDependents = (
  session: Session,
  relation: Relation,
  parentId: string,
  range: Omit<ChildrenRange, 'snapshotId'>,
): Promise<ChildrenPage> =>
  relation.index && relation.onDelete === 'cascade'
    ? readChildren(session, relation, parentId, range)
    : readByEngine(session, relation, parentId, range);
