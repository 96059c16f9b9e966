/** The table of the local service. In the cloud, CDK creates it (`lib/infrastructure/data-stack.ts`). */
import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type StreamSpecification,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { table } from '../../functions/engine/model/table.ts';

export interface TableShape {
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly timeToLive: string;
  readonly indexes: Readonly<Record<string, { readonly partitionKey: string; readonly sortKey: string }>>;
}

/** As in the data stack: the jobs need only the keys of what changed. */
const streamSpecification: StreamSpecification = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' };

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function describeActive(client: DynamoDBClient, tableName: string): Promise<TableDescription> {
  for (;;) {
    const found = await describe(client, tableName);
    if (found?.TableStatus === 'ACTIVE') return found;
    await delay(200);
  }
}

const keySchema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

/** Another service that starts on the same database can be faster, and so can an attempt of this one whose response was lost. */
async function unlessDone(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    // A ValidationException has nothing but its message.
    const isDone = ['already enabled', 'already has'].some((text) => String(error).includes(text));
    if (!isDone && !(error instanceof ResourceInUseException)) throw error;
  }
}

async function create(client: DynamoDBClient, TableName: string, shape: TableShape): Promise<void> {
  const indexes = Object.entries(shape.indexes);
  const attributes = new Set([
    shape.partitionKey,
    shape.sortKey,
    ...indexes.flatMap(([, { partitionKey, sortKey }]) => [partitionKey, sortKey]),
  ]);
  await unlessDone(
    client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [...attributes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: keySchema(shape.partitionKey, shape.sortKey),
        GlobalSecondaryIndexes: indexes.map(([IndexName, { partitionKey, sortKey }]) => ({
          IndexName,
          KeySchema: keySchema(partitionKey, sortKey),
          Projection: { ProjectionType: 'ALL' },
        })),
      }),
    ),
  );
  await describeActive(client, TableName);
  const TimeToLiveSpecification = { AttributeName: shape.timeToLive, Enabled: true };
  await unlessDone(client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification })));
}

/**
 * Creates the table when it does not exist.
 * @param options.shape shape that the table must have. Default: the shape that the store needs.
 * @param options.stream whether to enable the table's stream. An existing stream is never disabled.
 * @throws Error when the table exists with other indexes. It is not changed.
 */
export async function ensureTable(
  client: DynamoDBClient,
  tableName: string,
  { shape = table, stream = false }: { readonly shape?: TableShape; readonly stream?: boolean } = {},
): Promise<void> {
  if (!(await describe(client, tableName))) await create(client, tableName, shape);
  const found = await describeActive(client, tableName);
  const names = (found.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName ?? '').sort();
  const expected = Object.keys(shape.indexes).sort();
  if (names.join() !== expected.join()) {
    throw new Error(
      `Another version created the table "${tableName}": it has the indexes ${names.join(', ')}; ` +
        `this version needs ${expected.join(', ')}. Use another DATABASE_FILE, or another table.`,
    );
  }
  if (stream && !found.StreamSpecification?.StreamEnabled) {
    const update = { TableName: tableName, StreamSpecification: streamSpecification };
    await unlessDone(client.send(new UpdateTableCommand(update)));
    await describeActive(client, tableName);
  }
}
