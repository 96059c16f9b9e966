/** The entities of a page from an index. One read unit pays for several entities of an index, and for two that are read by key. */

import type { StoredEntity } from '../model/entity.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { kindPartition, statusPrefix } from '../model/keys.ts';
import { creationFields, type Filter, type ListQuery } from '../model/list-query.ts';
import type { Kind } from '../model/schema.ts';
import { type IndexName, table } from '../model/table.ts';
import type { Database } from '../table/database.ts';
import { distinctFilters } from './filters.ts';

/** A part of an index that has all entities of a list, in the order of creation. */
export interface IndexPartition {
  readonly index: IndexName;
  readonly partition: string;
  /** The beginning of the sort keys, before the id. */
  readonly prefix: string;
}

/** Returns whether the entities that a filter accepts follow each other in the order of creation. */
const isRange = ({ field, operator }: Filter): boolean =>
  creationFields.has(field) && ['eq', 'lt', 'lte', 'gt', 'gte'].includes(operator);

/** Returns the partition that has the entities of each page of a list, and no others between them; `undefined` when no index has it. */
export function pageIndexOf(
  tenant: string,
  kind: Kind,
  { filters, sort }: Pick<ListQuery, 'filters' | 'sort'>,
): IndexPartition | undefined {
  if (!creationFields.has(sort[0]?.field ?? '')) return undefined;
  const partition = kindPartition(tenant, kind);
  const [first, ...more] = distinctFilters(filters).filter((filter) => !isRange(filter));
  if (!first) return { index: 'by-creation', partition, prefix: '' };
  const { field, operator, values } = first;
  if (more.length > 0 || field !== 'status' || operator !== 'eq') return undefined;
  return { index: 'by-status', partition, prefix: statusPrefix(values[0] ?? '') };
}

/** Reads the entities with some ids, between which the partition has no others. */
export async function readPageFromIndex(
  database: Database,
  { index, partition, prefix }: IndexPartition,
  ids: readonly string[],
): Promise<StoredEntity[]> {
  const sorted = [...ids].sort();
  const { partitionKey, sortKey } = table.indexes[index];
  const { items } = await database.query({
    IndexName: index,
    KeyConditionExpression: '#partition = :partition AND #key BETWEEN :first AND :last',
    ExpressionAttributeNames: { '#partition': partitionKey, '#key': sortKey },
    ExpressionAttributeValues: {
      ':partition': partition,
      ':first': prefix + sorted[0],
      ':last': prefix + sorted.at(-1),
    },
    Limit: ids.length,
  });
  return items.map(decodeEntity);
}
