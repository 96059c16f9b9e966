/** The entities that refer to deleted ones, in the order of their creation. */
import { allIds, unionRanges } from '../lists/engine/id-ranges.ts';
import type { RowFilter } from '../lists/engine/row-filter.ts';
import { listByEngine } from '../lists/engine-page.ts';
import type { StoredEntity } from '../model/entity.ts';
import type { Relation } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type ChildrenPage, type ChildrenRange, readChildren } from './children.ts';

/** Children on a page of the list engine. */
const enginePageSize = 100;

/** Queries of an index at a time. */
const maxQueries = 10;

/** Returns the filter of the rows that refer to one of some entities. */
const refersToAny = ({ field, index }: Relation, ids: readonly string[]): RowFilter => ({
  field,
  condition: index === undefined ? { by: 'anyId', ids } : { by: 'texts', texts: ids },
});

/** Reads one page of the children of some parents from the list engine, which does not lag. */
async function readByEngine(
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  { after = '', limit = enginePageSize }: ChildrenRange,
): Promise<ChildrenPage> {
  const filters = [refersToAny(relation, parentIds)];
  const ids = unionRanges([{ from: after, to: allIds.to }]);
  // One more than a page: the range begins with the last child of the previous page, if that still is a child.
  const page = { isDescending: false, skip: 0, limit: limit + 1 };
  const query = { filters, ids, orders: [], countBy: [], ...page };
  const { stored, total } = await listByEngine(session, relation.child, query);
  const rest = stored.filter(({ entity }) => entity.id !== after);
  const children = rest.slice(0, limit);
  const hasMore = rest.length > limit || total > stored.length;
  return { children, next: hasMore ? children.at(-1)?.entity.id : undefined };
}

/** Returns whether an index finds the children: those that a deletion deletes. The list engine finds those that only lose a reference. */
const isFoundByIndex = ({ index, onDelete }: Relation): boolean =>
  index !== undefined && onDelete === 'cascade';

/** Reads one page of the entities that refer to another one. */
export const readDependents = (
  session: Session,
  relation: Relation,
  parentId: string,
  range: Omit<ChildrenRange, 'snapshotId'>,
): Promise<ChildrenPage> =>
  isFoundByIndex(relation)
    ? readChildren(session, relation, parentId, range)
    : readByEngine(session, relation, [parentId], range);

/**
 * Reads the entities that refer to one of several others, each once.
 * @returns `undefined` when there are more than `limit`.
 */
export async function findDependents(
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  limit: number,
): Promise<StoredEntity[] | undefined> {
  const range = { limit: limit + 1 };
  const pageSize = isFoundByIndex(relation) ? maxQueries : parentIds.length;
  const found = new Map<string, StoredEntity>();
  for (let start = 0; start < parentIds.length; start += pageSize) {
    const some = parentIds.slice(start, start + pageSize);
    const pages = isFoundByIndex(relation)
      ? await Promise.all(some.map((id) => readChildren(session, relation, id, range)))
      : [await readByEngine(session, relation, some, range)];
    for (const child of pages.flatMap(({ children }) => children)) {
      // An index that lags can list a child that moved under both parents.
      const { id } = child.entity;
      if ((found.get(id)?.version ?? 0) < child.version) found.set(id, child);
    }
    if (found.size > limit || pages.some(({ next }) => next !== undefined)) return undefined;
  }
  return [...found.values()];
}
