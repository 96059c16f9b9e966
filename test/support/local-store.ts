import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { connect } from '../../functions/shared/store/dynamodb/client.ts';
import { Database } from '../../functions/shared/store/dynamodb/database.ts';
import { Deadline } from '../../functions/shared/store/dynamodb/deadline.ts';
import type { Session } from '../../functions/shared/store/unit-of-work/session.ts';
import { existingEngine, startEngine } from '../../lib/local/engine.ts';
import { setEngineEnvironment } from '../../lib/local/engine-environment.ts';
import { endStream, ensureTable } from '../../lib/local/table.ts';

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

/** Has an engine write no more to the stream of a table: what is measured is not to hang on how much that holds. */
export async function stopStream(endpoint: string, tableName: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint });
  await endStream(client, tableName);
  client.destroy();
}

/**
 * Starts an embedded engine, or makes a table in the engine that `DYNAMODB_ENDPOINT` names.
 * @param stream whether its changes go to a stream.
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
  if (!stream) await endStream(plain, tableName);
  const own = connect();
  const database = (milliseconds = 20_000) => new Database(own, tableName, new Deadline(milliseconds));
  return {
    endpoint,
    tableName,
    client,
    database,
    session: (tenant) => ({ tenant, database: database() }),
    stop: async () => {
      client.destroy();
      own.destroy();
      await engine.stop();
    },
  };
}
