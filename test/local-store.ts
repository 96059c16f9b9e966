import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Database } from '../functions/shared/store/database.ts';
import { Deadline } from '../functions/shared/store/deadline.ts';
import type { Session } from '../functions/shared/store/session.ts';
import { existingEngine, startEngine } from '../lib/local/engine.ts';
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
  process.env['AWS_REGION'] ??= 'us-east-1';
  process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const given = process.env['DYNAMODB_ENDPOINT'];
  const engine = given ? await existingEngine(given) : await startEngine(':memory:');
  const { endpoint } = engine;
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
