import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { connect, shareClient } from '#functions/engine/table/client.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { setEngineEnvironment } from '#lib/local/engine-environment.ts';
import { ensureTable } from '#lib/local/table.ts';
import { MemoryTable } from './table/memory-table.ts';
import { testWorker } from './test-worker.ts';

/** The store on a table of its own, without gateway and functions. */
export interface TestStore {
  /** Address of the engine; of a table in the process, one at which nothing listens. */
  readonly endpoint: string;
  readonly tableName: string;
  /** Returns a database with a deadline of its own. */
  database(timeoutMs?: number): Database;
  session(tenant: string): Session;
}

const storeOf = (store: Pick<TestStore, 'endpoint' | 'tableName'>, dynamodb: DynamoDb): TestStore => {
  const database = (timeoutMs = 300_000) => new Database(dynamodb, store.tableName, new Deadline(timeoutMs));
  return { ...store, database, session: (tenant) => ({ tenant, database: database() }) };
};

/** Creates a table in the process of the test. Functions that the test calls use it too. */
export function startTestStore(): TestStore & { readonly table: MemoryTable } {
  const tableName = `test-${randomUUID()}`;
  const table = new MemoryTable(tableName);
  shareClient(table);
  return { ...storeOf({ endpoint: 'http://127.0.0.1:9', tableName }, table), table };
}

/**
 * Creates a table in the engine of the worker, for tests of what has sockets.
 * @param options.stream whether the table has a stream.
 */
export async function startEngineStore({ stream = false } = {}): Promise<TestStore & { stop(): void }> {
  const { endpoint } = await (await testWorker()).sharedEngine();
  setEngineEnvironment(endpoint);
  const tableName = `test-${randomUUID()}`;
  const plain = new DynamoDBClient({ endpoint });
  await ensureTable(plain, tableName, { stream }).finally(() => plain.destroy());
  const own = connect();
  // Tests and benchmarks set the time of this process, and the engine has its own.
  Object.defineProperty(own, 'clockErrorMs', { get: () => 0, set: () => undefined });
  return {
    ...storeOf({ endpoint, tableName }, own),
    stop: () => own.destroy(),
  };
}
