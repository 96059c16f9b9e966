/** The children of an entity, page by page, in the order of their creation. */

import type { StoredEntity } from '../model/entity.ts';
import { idAfter, newId } from '../model/ids.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { kindPartition, parentPartition } from '../model/keys.ts';
import type { Relation } from '../model/relations.ts';
import { table } from '../model/table.ts';
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

/** Sorts before every id: a sort key cannot be empty. */
const beforeAllIds = ' ';

/** Reads one page of a parent's children from the index, which may lag. */
export async function readChildren(
  session: Session,
  relation: Relation,
  parentId: string,
  { after, snapshotId, limit }: ChildrenRange = {},
): Promise<ChildrenPage> {
  const { child, field, index } = relation;
  const { tenant } = session;
  const name = index ?? 'all';
  const partition = index ? parentPartition(tenant, relation, parentId) : kindPartition(tenant, child);
  const { items, next } = await session.database.query({
    IndexName: name,
    KeyConditionExpression: '#partition = :partition AND #id > :after',
    ExpressionAttributeNames: {
      '#partition': table.indexes[name].partitionKey,
      '#id': 'id',
      ...(!index && { '#field': field }),
    },
    ExpressionAttributeValues: {
      ':partition': partition,
      ':after': after || beforeAllIds,
      ...(!index && { ':parent': parentId }),
    },
    // Without an index of its own, a limit would count the entities that the filter leaves out.
    ...(index ? limit !== undefined && { Limit: limit } : { FilterExpression: 'contains(#field, :parent)' }),
  });
  const isInSnapshot = (id: string): boolean => snapshotId === undefined || id < snapshotId;
  const nextId = next && String(next['id']);
  return {
    children: items.map(decodeEntity).filter(({ entity }) => isInSnapshot(entity.id)),
    next: nextId !== undefined && isInSnapshot(nextId) ? nextId : undefined,
  };
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
  const { index = 'parent' } = relation;
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
