/** The children of an entity, page by page, in the order of their creation. */

import type { QueryPage } from '../dynamodb/query.ts';
import type { StoredEntity } from '../model/entity.ts';
import { idAfter, newId } from '../model/ids.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { parentPartition } from '../model/keys.ts';
import type { Relation } from '../model/relations.ts';
import { type IndexFamily, table } from '../model/table.ts';
import type { Session } from '../unit-of-work/session.ts';

/** A range of a parent's children. */
export interface ChildrenRange {
  /** Begins after the child with this id. */
  readonly after?: string;
  /** Ends before this id, which is greater than the ids of all children that existed when the job began. */
  readonly snapshotId?: string;
  /** Children on a page. */
  readonly limit?: number;
}

export interface ChildrenPage {
  readonly children: readonly StoredEntity[];
  /** The id after which the next page begins, if there is one. */
  readonly next: string | undefined;
}

type IndexedRelation = Relation & { readonly index: IndexFamily };

function requireIndex({ index, ...relation }: Relation): IndexedRelation {
  if (!index) throw new TypeError(`There is no index of ${relation.child} by ${relation.field}.`);
  return { ...relation, index };
}

/** Sorts before every id: a sort key cannot be empty. */
const beforeAllIds = ' ';

/** Reads one page of a parent's children from an index, which may lag. */
async function readIndexed(
  { tenant, database }: Session,
  relation: IndexedRelation,
  parentId: string,
  { after, limit }: ChildrenRange,
): Promise<ChildrenPage> {
  const { items, next } = await database.query({
    IndexName: relation.index,
    KeyConditionExpression: '#partition = :partition AND #id > :after',
    ExpressionAttributeNames: { '#partition': table.indexes[relation.index].partitionKey, '#id': 'id' },
    ExpressionAttributeValues: {
      ':partition': parentPartition(tenant, relation, parentId),
      ':after': after || beforeAllIds,
    },
    ...(limit !== undefined && { Limit: limit }),
  });
  return { children: items.map(decodeEntity), next: next && String(next['id']) };
}

/**
 * Reads one page of a parent's children from the index of the relation, which may lag.
 * @throws TypeError when the relation has no index.
 */
export async function readChildren(
  session: Session,
  relation: Relation,
  parentId: string,
  range: ChildrenRange = {},
): Promise<ChildrenPage> {
  const { children, next } = await readIndexed(session, requireIndex(relation), parentId, range);
  const { snapshotId } = range;
  const isInSnapshot = (id: string): boolean => snapshotId === undefined || id < snapshotId;
  return {
    children: children.filter(({ entity }) => isInSnapshot(entity.id)),
    next: next !== undefined && isInSnapshot(next) ? next : undefined,
  };
}

/** Returns whether a parent has more than some children, by the index of the relation. Reads no more pages than that takes. */
export async function hasMoreChildren(
  { tenant, database }: Session,
  relation: Relation,
  parentId: string,
  max: number,
): Promise<boolean> {
  const indexed = requireIndex(relation);
  const { index } = indexed;
  const query = {
    IndexName: index,
    KeyConditionExpression: '#partition = :partition',
    ExpressionAttributeNames: { '#partition': table.indexes[index].partitionKey },
    ExpressionAttributeValues: { ':partition': parentPartition(tenant, indexed, parentId) },
    Select: 'COUNT',
  } as const;
  let total = 0;
  let start: QueryPage['next'];
  do {
    const { count, next } = await database.query({ ...query, Limit: max + 1 - total }, start);
    total += count;
    start = next;
  } while (start && total <= max);
  return total > max;
}

/**
 * Returns an id greater than every existing child's. A job ignores children created after it began. The clock alone does not
 * tell: that of another process may be ahead.
 * @param firstPage the first page of these children.
 */
export async function createSnapshotId(
  { tenant, database }: Session,
  relation: Relation,
  parentId: string,
  { children, next }: ChildrenPage,
): Promise<string> {
  const { index } = requireIndex(relation);
  const last = children.at(-1)?.entity.id;
  if (next === undefined) return last === undefined ? newId().id : idAfter(last);
  const { items } = await database.query({
    IndexName: index,
    KeyConditionExpression: '#partition = :partition',
    ExpressionAttributeNames: { '#partition': table.indexes[index].partitionKey },
    ExpressionAttributeValues: { ':partition': parentPartition(tenant, relation, parentId) },
    ScanIndexForward: false,
    Limit: 1,
  });
  return idAfter(items.map((item) => decodeEntity(item).entity.id)[0] ?? next);
}
