import { randomUUID } from 'node:crypto';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
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

/**
 * Starts an embedded engine, or makes a table in the engine that `DYNAMODB_ENDPOINT` names.
 * @param stream whether its changes go to a stream. The embedded engine takes the longer for each write the more its
 * stream holds: 0.14 ms for an item without, 0.6 ms with 4,000 records.
 */
export async function startTestStore({ stream = true } = {}): Promise<TestStore> {
  const given = process.env['DYNAMODB_ENDPOINT'];
  const engine = given ? await existingEngine(given) : await startEngine(':memory:');
  const { endpoint } = engine;
  setEngineEnvironment(endpoint);
  const tableName = `test-${randomUUID()}`;
  const plain = new DynamoDBClient({ endpoint });
  const client = DynamoDBDocumentClient.from(plain);
  await ensureTable(plain, tableName);
  if (!stream) {
    const StreamSpecification = { StreamEnabled: false };
    await plain.send(new UpdateTableCommand({ TableName: tableName, StreamSpecification }));
  }
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
