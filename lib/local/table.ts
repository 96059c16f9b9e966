import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { table as shape } from '../../functions/shared/store/model/table.ts';

/** What a table must be like. */
export interface TableShape {
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly timeToLive: string;
  readonly indexes: Readonly<Record<string, { readonly partitionKey: string; readonly sortKey: string }>>;
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

const keys = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

async function create(client: DynamoDBClient, TableName: string, table: TableShape): Promise<void> {
  const indexes = Object.entries(table.indexes);
  const attributes = new Set([
    table.partitionKey,
    table.sortKey,
    ...indexes.flatMap(([, { partitionKey, sortKey }]) => [partitionKey, sortKey]),
  ]);
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...attributes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: keys(table.partitionKey, table.sortKey),
      GlobalSecondaryIndexes: indexes.map(([IndexName, { partitionKey, sortKey }]) => ({
        IndexName,
        KeySchema: keys(partitionKey, sortKey),
        Projection: { ProjectionType: 'ALL' },
      })),
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    }),
  );
  const TimeToLiveSpecification = { AttributeName: table.timeToLive, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}

/** Whether changes of a table go to a stream. */
export async function hasStream(client: DynamoDBClient, tableName: string): Promise<boolean> {
  return (await describe(client, tableName))?.LatestStreamArn !== undefined;
}

/** Has changes of a table go to no stream any more. */
export async function endStream(client: DynamoDBClient, tableName: string): Promise<void> {
  const StreamSpecification = { StreamEnabled: false };
  await client.send(new UpdateTableCommand({ TableName: tableName, StreamSpecification }));
}

/**
 * Sees that the table is there, in the shape that the store relies on.
 * @param needsStream whether it must have a stream, or may have had one that was ended.
 * @throws Error when there is a table of this name in another shape: it is not touched.
 */
export async function ensureTable(
  client: DynamoDBClient,
  tableName: string,
  table: TableShape = shape,
  needsStream = true,
): Promise<void> {
  if (!(await describe(client, tableName))) await create(client, tableName, table);
  for (;;) {
    const found = await describe(client, tableName);
    if (found?.TableStatus === 'ACTIVE') {
      const names = (found.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName ?? '').sort();
      const expected = Object.keys(table.indexes).sort();
      if (names.join() !== expected.join() || (needsStream && !found.LatestStreamArn)) {
        throw new Error(
          `The table "${tableName}" was made by another version: it has the indexes ${names.join(', ')}; ` +
            `${expected.join(', ')} are due, and a stream. Use another DATABASE_FILE, or another table.`,
        );
      }
      return;
    }
    await delay(200);
  }
}
