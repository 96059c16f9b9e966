/** Publishes the events of a period again, from the records of the change logs (docs/operations.md#events-are-not-published). */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { publishItems, type SendEvents } from '../../functions/jobs/publish-records.ts';
import type { RepublishCommand } from './options.ts';
import { storedRecords } from './stored-records.ts';

interface Republished {
  /** Records that were published. */
  readonly records: number;
  /** Records of which an event was not accepted. */
  readonly failed: number;
  readonly error: unknown;
}

/** @param onItems is told how many items were read. */
export async function republish(
  client: DynamoDBDocumentClient,
  { table, fromMs, toMs }: Pick<RepublishCommand, 'table' | 'fromMs' | 'toMs'>,
  send: SendEvents,
  onItems: (count: number) => void,
): Promise<Republished> {
  let [records, failed] = [0, 0];
  let error: unknown;
  for await (const items of storedRecords(client, table, { fromMs, toMs }, onItems)) {
    const unpublished = await publishItems(items, send);
    const left = unpublished?.elements.size ?? 0;
    failed += left;
    records += items.length - left;
    error ??= unpublished?.error;
  }
  return { records, failed, error };
}
