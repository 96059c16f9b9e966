/**
 * Reports the new records of change logs to their function, as the table's stream does in the cloud: the embedded engine becomes slower with each
 * record of a stream. All functions of the local service share one client, so it sees every write.
 */
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { recordKey, recordPrefix } from '../../functions/engine/model/change-log.ts';
import type { Key } from '../../functions/engine/model/writes.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { maxLogRecords } from '../hosting/functions.ts';
import { findLogs } from './find-logs.ts';

type Put = { readonly Item?: Readonly<Record<string, unknown>> | undefined };

export class NewLogRecords {
  #keys: Key[] = [];
  /** Partitions of the logs that were written. Who follows them removes those that it has read. */
  readonly written = new Set<string>();

  #add(puts: readonly (Put | undefined)[]): void {
    for (const put of puts) {
      const { pk, sk } = (put?.Item ?? {}) as Partial<Key>;
      if (!pk || !sk?.startsWith(recordPrefix)) continue;
      this.#keys.push({ pk, sk });
      this.written.add(pk);
    }
  }

  /** Returns the same operations. The records that they write are delivered. */
  watch(dynamodb: DynamoDb): DynamoDb {
    return {
      get clockErrorMs() {
        return dynamodb.clockErrorMs;
      },
      getItem: (...call) => dynamodb.getItem(...call),
      batchGetItem: (...call) => dynamodb.batchGetItem(...call),
      query: (...call) => dynamodb.query(...call),
      scan: (...call) => dynamodb.scan(...call),
      updateItem: (...call) => dynamodb.updateItem(...call),
      deleteItem: (...call) => dynamodb.deleteItem(...call),
      destroy: () => dynamodb.destroy(),
      putItem: async (input, abortSignal) => {
        const output = await dynamodb.putItem(input, abortSignal);
        this.#add([input]);
        return output;
      },
      transactWriteItems: async (input, abortSignal) => {
        const output = await dynamodb.transactWriteItems(input, abortSignal);
        this.#add((input.TransactItems ?? []).map(({ Put }) => Put));
        return output;
      },
    };
  }

  /** Adds a record of each log: the service may have stopped before it reported the last ones. */
  async addStored(client: DynamoDb, tableName: string): Promise<void> {
    for (const { head, ...log } of await findLogs({ client, tableName }))
      this.#keys.push(recordKey(log, head));
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
