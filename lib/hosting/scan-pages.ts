/** Reads a whole table: audits, erasures and the search for records do. */
import type { ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../functions/engine/model/writes.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';

interface ScanPage {
  readonly items: readonly Item[];
  /** Items before the filter. */
  readonly scannedCount: number;
  readonly readUnits: number;
}

/** Reads all pages of a scan, one after the other. The table is not read at one moment: writes continue meanwhile. */
export async function* scanPages(
  dynamodb: DynamoDb,
  input: Omit<ScanCommandInput, 'ExclusiveStartKey' | 'ReturnConsumedCapacity'>,
): AsyncGenerator<ScanPage, void, undefined> {
  let start: ScanCommandInput['ExclusiveStartKey'];
  do {
    const request = { ...input, ExclusiveStartKey: start, ReturnConsumedCapacity: 'TOTAL' as const };
    const { Items = [], ScannedCount = 0, ConsumedCapacity, LastEvaluatedKey } = await dynamodb.scan(request);
    yield {
      items: Items as Item[],
      scannedCount: ScannedCount,
      readUnits: ConsumedCapacity?.CapacityUnits ?? 0,
    };
    start = LastEvaluatedKey;
  } while (start);
}
