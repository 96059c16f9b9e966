import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Database } from '../functions/shared/store/database.ts';
import { Deadline } from '../functions/shared/store/deadline.ts';
import type { Session } from '../functions/shared/store/session.ts';
import { existingEngine, startEngine } from '../lib/local/engine.ts';
import { setEngineEnvironment } from '../lib/local/engine-environment.ts';
import { ensureTable } from '../lib/local/table.ts';

/** The store without what hosts it: an engine, and a table of its own in it. */
export interface TestStore {
  readonly endpoint: string;
  readonly tableName: string;
  readonly client: DynamoDBDocumentClient;
  /** A database for one piece of work. @param milliseconds that it may take. */
  database(milliseconds?: number): Database;
  /** What a request works with. */
  session(tenant: string): Session;
  stop(): Promise<void>;
}

/** Starts an embedded engine, or makes a table in the engine that `DYNAMODB_ENDPOINT` names. */
export async function startTestStore(): Promise<TestStore> {
  const given = process.env['DYNAMODB_ENDPOINT'];
  const engine = given ? await existingEngine(given) : await startEngine(':memory:');
  const { endpoint } = engine;
  setEngineEnvironment(endpoint);
  const tableName = `test-${randomUUID()}`;
  const plain = new DynamoDBClient({ endpoint });
  const client = DynamoDBDocumentClient.from(plain);
  await ensureTable(plain, tableName);
  const database = (milliseconds = 20_000) => new Database(client, tableName, new Deadline(milliseconds));
  return {
    endpoint,
    tableName,
    client,
    database,
    session: (tenant) => ({ tenant, database: database() }),
    stop: async () => {
      client.destroy();
      await engine.stop();
    },
  };
}
