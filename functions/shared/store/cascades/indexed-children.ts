/** The children of an entity that an index finds, page by page, in the order of their creation. The index may lag behind writes. */
import { decodeEntity } from '../model/item-codec.ts';
import { parentPartition } from '../model/keys.ts';
import type { Relation } from '../model/relations.ts';
import { table } from '../model/table.ts';
import type { Session } from '../unit-of-work/session.ts';
import type { ChildrenPage, ChildrenRange } from './children.ts';

/** Sorts before every id: a sort key cannot be empty. */
const beforeAllIds = ' ';

/**
 * Reads one page of a parent's children from the index of the relation.
 * @throws TypeError when the relation has no index.
 */
export async function readIndexedChildren(
  { tenant, database }: Session,
  { index, child, field }: Relation,
  parentId: string,
  { after, limit }: ChildrenRange = {},
): Promise<ChildrenPage> {
  if (!index) throw new TypeError(`There is no index of ${child} by ${field}.`);
  const { items, next } = await database.query({
    IndexName: index,
    KeyConditionExpression: '#partition = :partition AND #id > :after',
    ExpressionAttributeNames: { '#partition': table.indexes[index].partitionKey, '#id': 'id' },
    ExpressionAttributeValues: {
      ':partition': parentPartition(tenant, { child, field }, parentId),
      ':after': after || beforeAllIds,
    },
    ...(limit !== undefined && { Limit: limit }),
  });
  return { children: items.map(decodeEntity), next: next && String(next['id']) };
}
