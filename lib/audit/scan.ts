/** Scans of the whole table, in segments at the same time. */

import type { Item } from '../../functions/engine/model/writes.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { scanPages } from '../hosting/scan-pages.ts';

/** Segments that are read at the same time. One process decodes what about four segments give it. */
export const defaultSegments = 4;

export interface AuditedTable {
  readonly client: DynamoDb;
  readonly tableName: string;
  /** Default: `defaultSegments`. */
  readonly segments?: number | undefined;
  readonly onItems?: ((count: number) => void) | undefined;
}

/**
 * Scans a table. Each item is read consistently; the scan as a whole is not: writes continue meanwhile, so a difference must be confirmed.
 * @param visit sees each item. The items of a partition are in one segment.
 */
export async function scanTable(
  { client, tableName: TableName, segments = defaultSegments, onItems }: AuditedTable,
  visit: (item: Item) => void,
): Promise<void> {
  const scan = async (Segment: number): Promise<void> => {
    const input = { TableName, ConsistentRead: true, Segment, TotalSegments: segments };
    for await (const { items } of scanPages(client, input)) {
      for (const item of items) visit(item);
      onItems?.(items.length);
    }
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => scan(segment)));
}
