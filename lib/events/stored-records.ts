/** Finds the records of all change logs by their time. */

import { recordPrefix, timeAttribute } from '../../functions/engine/model/change-log.ts';
import type { Item } from '../../functions/engine/model/writes.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { scanPages } from '../hosting/scan-pages.ts';

/** Times of records, in milliseconds since 1970. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Reads the records of a period, without an end if it has none, in no order. It scans the table: the logs of all tenants have no index.
 * @param onItems is told how many items were scanned.
 */
export async function* storedRecords(
  client: DynamoDb,
  TableName: string,
  { fromMs, toMs = Number.MAX_SAFE_INTEGER }: Pick<Period, 'fromMs'> & Partial<Period>,
  onItems: (count: number) => void = () => {},
): AsyncGenerator<readonly Item[], void, undefined> {
  const pages = scanPages(client, {
    TableName,
    FilterExpression: 'begins_with(sk, :record) AND #time BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#time': timeAttribute },
    ExpressionAttributeValues: { ':record': recordPrefix, ':from': fromMs, ':to': toMs },
  });
  for await (const { items, scannedCount } of pages) {
    onItems(scannedCount);
    if (items.length > 0) yield items;
  }
}
