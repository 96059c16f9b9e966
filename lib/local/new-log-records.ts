/**
 * Reports the new records of change logs to their function, as the table's stream does in the cloud: the embedded engine becomes slower with each
 * record of a stream. All functions of the local service share one client, so it sees every write.
 */
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { readDueReminders } from '../../functions/store/cascades/read-jobs.ts';
import type { Database } from '../../functions/store/dynamodb/database.ts';
import type { DynamoDb } from '../../functions/store/dynamodb/operations.ts';
import { logPartition, recordPrefix, stampPrefix } from '../../functions/store/model/change-log.ts';
import { reminderIntervalMs } from '../../functions/store/model/reminder.ts';
import type { Key } from '../../functions/store/model/writes.ts';
import { maxLogRecords } from '../hosting/functions.ts';

type Put = { readonly Item?: Readonly<Record<string, unknown>> | undefined };

const keysOf = (puts: readonly (Put | undefined)[]): Key[] =>
  puts.flatMap((put) => {
    const { pk, sk } = (put?.Item ?? {}) as Partial<Key>;
    return pk && sk?.startsWith(recordPrefix) ? [{ pk, sk }] : [];
  });

export class NewLogRecords {
  #keys: Key[] = [];

  /** Returns the same operations. The records that they write are delivered. */
  watch(dynamodb: DynamoDb): DynamoDb {
    return {
      clock: dynamodb.clock,
      getItem: (...call) => dynamodb.getItem(...call),
      batchGetItem: (...call) => dynamodb.batchGetItem(...call),
      query: (...call) => dynamodb.query(...call),
      scan: (...call) => dynamodb.scan(...call),
      updateItem: (...call) => dynamodb.updateItem(...call),
      deleteItem: (...call) => dynamodb.deleteItem(...call),
      askTime: (abortSignal) => dynamodb.askTime(abortSignal),
      destroy: () => dynamodb.destroy(),
      putItem: async (input, abortSignal) => {
        const output = await dynamodb.putItem(input, abortSignal);
        this.#keys.push(...keysOf([input]));
        return output;
      },
      transactWriteItems: async (input, abortSignal) => {
        const output = await dynamodb.transactWriteItems(input, abortSignal);
        this.#keys.push(...keysOf((input.TransactItems ?? []).map(({ Put }) => Put)));
        return output;
      },
    };
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
