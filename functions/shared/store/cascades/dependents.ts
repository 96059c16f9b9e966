/** The entities that refer to deleted ones, in the order of their creation. */
import type { StoredEntity } from '../model/entity.ts';
import type { Relation } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type ChildrenPage, type ChildrenRange, readChildren } from './children.ts';
import { readIndexedChildren } from './indexed-children.ts';

/** Queries of an index at a time. */
const maxQueries = 10;

/** Returns whether an index finds the children: those that a deletion deletes. The list engine finds those that only lose a reference. */
const isFoundByIndex = ({ index, onDelete }: Relation): boolean =>
  index !== undefined && onDelete === 'cascade';

/** Reads one page of the entities that refer to another one. */
export const readDependents = (
  session: Session,
  relation: Relation,
  parentId: string,
  range: ChildrenRange,
): Promise<ChildrenPage> =>
  isFoundByIndex(relation)
    ? readIndexedChildren(session, relation, parentId, range)
    : readChildren(session, relation, [parentId], range);

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
      ? await Promise.all(some.map((id) => readIndexedChildren(session, relation, id, range)))
      : [await readChildren(session, relation, some, range)];
    for (const child of pages.flatMap(({ children }) => children)) {
      // An index that lags can list a child that moved under both parents.
      const { id } = child.entity;
      if ((found.get(id)?.version ?? 0) < child.version) found.set(id, child);
    }
    if (found.size > limit || pages.some(({ next }) => next !== undefined)) return undefined;
  }
  return [...found.values()];
}
