/**
 * Reports the new records of change logs to their function, as the table's stream does in the cloud: the embedded engine becomes slower with each
 * record of a stream. All functions of the local service share one client, so it sees every write.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { readDueReminders } from '../../functions/store/cascades/read-jobs.ts';
import type { Database } from '../../functions/store/dynamodb/database.ts';
import { logPartition, recordPrefix, stampPrefix } from '../../functions/store/model/change-log.ts';
import { reminderIntervalMs } from '../../functions/store/model/reminder.ts';
import type { Key } from '../../functions/store/model/writes.ts';
import { maxLogRecords } from '../hosting/functions.ts';

/** The part of a request that puts items, alone or in a transaction. */
interface PutInput {
  readonly Item?: Partial<Key>;
  readonly TransactItems?: readonly { readonly Put?: { readonly Item?: Partial<Key> } }[];
}

const keysOf = ({ Item, TransactItems = [] }: PutInput): Key[] =>
  [Item, ...TransactItems.map(({ Put }) => Put?.Item)].flatMap((item) =>
    item?.pk && item.sk?.startsWith(recordPrefix) ? [{ pk: item.pk, sk: item.sk }] : [],
  );

export class NewLogRecords {
  #keys: Key[] = [];

  constructor({ middlewareStack }: DynamoDBDocumentClient) {
    middlewareStack.add(
      (next) => async (sent) => {
        const response = await next(sent);
        this.#keys.push(...keysOf(sent.input as PutInput));
        return response;
      },
      { step: 'initialize', name: 'newLogRecords' },
    );
  }

  /** Adds a record of each log that was written in the last hours: the service may have stopped before it reported them. */
  async addWrittenLogs(database: Database): Promise<void> {
    for await (const reminders of readDueReminders(database, Date.now() + 2 * reminderIntervalMs)) {
      for (const { tenant, kind } of reminders)
        this.#keys.push({ pk: logPartition(tenant, kind), sk: stampPrefix(0) });
    }
  }

  /** Calls a function with the records since the last call, if there are any. */
  async deliver(call: (event: DynamoDBStreamEvent) => Promise<void>): Promise<void> {
    const keys = this.#keys;
    this.#keys = [];
    for (let start = 0; start < keys.length; start += maxLogRecords) {
      const Records = keys.slice(start, start + maxLogRecords).map(({ pk, sk }) => ({
        eventName: 'INSERT' as const,
        dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } },
      }));
      await call({ Records });
    }
  }
}
