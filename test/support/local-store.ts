import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { connect } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { setEngineEnvironment } from '#lib/local/engine-environment.ts';
import { ensureTable } from '#lib/local/table.ts';
import { type TestClient, testClient } from './test-client.ts';
import { testWorker } from './test-worker.ts';
import { wallClock } from './wall-clock.ts';

/** The store on an engine, in a table of its own, without gateway and functions. */
export interface TestStore {
  readonly endpoint: string;
  readonly tableName: string;
  readonly client: TestClient;
  /** Returns a database with a deadline of its own. */
  database(timeoutMs?: number): Database;
  session(tenant: string): Session;
  stop(): Promise<void>;
}

/**
 * Creates a table in the engine of the worker.
 * @param options.stream whether the table has a stream.
 */
export async function startTestStore({ stream = false } = {}): Promise<TestStore> {
  const { endpoint } = await (await testWorker()).sharedEngine();
  setEngineEnvironment(endpoint);
  const tableName = `test-${randomUUID()}`;
  const plain = new DynamoDBClient({ endpoint });
  const client = testClient(endpoint);
  await ensureTable(plain, tableName, { stream });
  const own = connect({}, wallClock);
  const database = (timeoutMs = 300_000) => new Database(own, tableName, new Deadline(timeoutMs));
  return {
    endpoint,
    tableName,
    client,
    database,
    session: (tenant) => ({ tenant, database: database() }),
    stop: async () => {
      client.destroy();
      own.destroy();
    },
  };
}
