/** Reads a whole table: audits, erasures, the search for records and that for logs do. */
import type { ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../functions/engine/model/writes.ts';
import { Database } from '../../functions/engine/table/database.ts';
import { Deadline } from '../../functions/engine/table/deadline.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';

/** Segments that an audit reads at the same time. One process decodes what about four segments give it. */
export const defaultSegments = 4;

export interface ScannedTable {
  readonly client: DynamoDb;
  readonly tableName: string;
  /** Segments that are read at the same time. Default: 1. */
  readonly segments?: number | undefined;
  /** Called with the number of items of each page, before the filter. */
  readonly onItems?: ((count: number) => void) | undefined;
}

/** Deadline of one call of a command, retries included. */
const maxCallMs = 60_000;

/** Returns the database of a table, with a deadline of its own. */
export const openTable = (
  { client, tableName }: Pick<ScannedTable, 'client' | 'tableName'>,
  maxMs = maxCallMs,
): Database => new Database(client, tableName, new Deadline(maxMs));

/** Which items a scan returns, and what of them. */
type Selection = Pick<
  ScanCommandInput,
  'FilterExpression' | 'ProjectionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/**
 * Scans a table. Each item is read consistently; the scan as a whole is not: writes continue meanwhile, so a difference must be confirmed.
 * @param visit gets the items of a page and the read units of the page. The items of a partition are in one segment.
 */
export async function scanTable(
  { client, tableName: TableName, segments = 1, onItems }: ScannedTable,
  visit: (items: readonly Item[], readUnits: number) => void | Promise<void>,
  selection: Selection = {},
): Promise<void> {
  const scan = async (Segment: number): Promise<void> => {
    let ExclusiveStartKey: ScanCommandInput['ExclusiveStartKey'];
    do {
      const { Items, ScannedCount, ConsumedCapacity, LastEvaluatedKey } = await client.scan({
        ...{ ...selection, TableName, ConsistentRead: true, ExclusiveStartKey },
        ...{ Segment, TotalSegments: segments, ReturnConsumedCapacity: 'TOTAL' },
      });
      await visit((Items ?? []) as Item[], ConsumedCapacity?.CapacityUnits ?? 0);
      onItems?.(ScannedCount ?? 0);
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => scan(segment)));
}
