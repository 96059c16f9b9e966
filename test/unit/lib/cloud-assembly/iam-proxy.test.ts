import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { connectToBus } from '#functions/jobs/event-bus.ts';
import { connectToQueue } from '#functions/jobs/unpublished-queue.ts';
import { type IamProxy, startIamProxy } from '#lib/cloud-assembly/iam-proxy.ts';
import { Policy, type Statement } from '#lib/cloud-assembly/policy.ts';
import { type Engine, inMemory, startEngine } from '#lib/local/dynamodb-engine.ts';
import { ensureTable } from '#lib/local/table.ts';

const place = { region: 'us-east-1', account: '000000000000' };
const tableName = 'guarded';
const table = `arn:aws:dynamodb:us-east-1:000000000000:table/${tableName}`;

const bus = 'arn:aws:events:us-east-1:000000000000:event-bus/the-bus';

const queue = 'arn:aws:sqs:us-east-1:000000000000:the-queue';

const allow = (Action: string[], ...Resource: string[]): Statement => ({ Effect: 'Allow', Action, Resource });

/** A statement for keys with one beginning only. */
const limited: Statement = {
  ...allow(['dynamodb:PutItem', 'dynamodb:Query'], table),
  Condition: {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['#rate#*'] },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  },
};

let engine: Engine;
let proxy: IamProxy;

beforeAll(async () => {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  engine = await startEngine(inMemory);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: engine.endpoint, region: place.region, credentials });
  await ensureTable(client, tableName);
  client.destroy();
  const policies = new Map([
    [
      'reader',
      new Policy([
        allow(['dynamodb:GetItem', 'dynamodb:Query'], table),
        allow(['dynamodb:Query'], `${table}/index/by-creation`),
      ]),
    ],
    ['writer', new Policy([allow(['dynamodb:PutItem', 'dynamodb:DeleteItem'], table)])],
    ['publisher', new Policy([limited])],
    ['outsider', new Policy([allow(['s3:*'], '*')])],
    ['sender', new Policy([allow(['events:PutEvents'], bus), allow(['sqs:SendMessage'], queue)])],
  ]);
  proxy = await startIamProxy({
    engine: engine.endpoint,
    place,
    streamArn: `${table}/stream/label`,
    partitionKey: 'pk',
    policies,
  });
});

afterAll(async () => {
  await proxy.stop();
  await engine.stop();
});

/** Sends a command with the credentials of a function. @returns the name of the error, if the call fails. */
async function as(accessKeyId: string, command: unknown): Promise<string | undefined> {
  const credentials = { accessKeyId, secretAccessKey: 'local' };
  const client = new DynamoDBClient({
    endpoint: proxy.endpoint,
    region: place.region,
    credentials,
    maxAttempts: 1,
  });
  try {
    await DynamoDBDocumentClient.from(client).send(command as GetCommand);
    return undefined;
  } catch (error) {
    return (error as Error).name;
  } finally {
    client.destroy();
  }
}

const key = { pk: 'a', sk: 'a' };
const get = new GetCommand({ TableName: tableName, Key: key });
const query = (IndexName?: string) =>
  new QueryCommand({
    TableName: tableName,
    ...(IndexName && { IndexName }),
    KeyConditionExpression: '#key = :key',
    ExpressionAttributeNames: { '#key': IndexName ? 'ofKind' : 'pk' },
    ExpressionAttributeValues: { ':key': 'a' },
  });
const denied = 'AccessDeniedException';

test('receives no request of a web page, which could know the names of the functions', async () => {
  // The `fetch` of Node.js blocks the ports of the Fetch Standard, as browsers do.
  await expect(fetch(proxy.endpoint)).rejects.toMatchObject({ cause: { message: 'bad port' } });
});

test('forwards calls that the role allows', async () => {
  expect(await as('reader', get)).toBeUndefined();
  expect(await as('reader', query())).toBeUndefined();
  expect(await as('reader', query('by-creation'))).toBeUndefined();
  const Put = { TableName: tableName, Item: key };
  expect(await as('writer', new TransactWriteCommand({ TransactItems: [{ Put }] }))).toBeUndefined();
});

test('denies an action, an index, a table and a transaction item that the role does not name', async () => {
  expect(await as('writer', get)).toBe(denied);
  expect(await as('reader', query('by-status'))).toBe(denied);
  expect(await as('reader', new GetCommand({ TableName: 'other', Key: key }))).toBe(denied);
  expect(await as('outsider', get)).toBe(denied);
  const Delete = { TableName: tableName, Key: key };
  const Update = {
    TableName: tableName,
    Key: { pk: 'b', sk: 'b' },
    UpdateExpression: 'ADD n :n',
    ExpressionAttributeValues: { ':n': 1 },
  };
  expect(await as('writer', new TransactWriteCommand({ TransactItems: [{ Delete }, { Update }] }))).toBe(
    denied,
  );
  const ConditionCheck = { TableName: tableName, Key: key, ConditionExpression: 'attribute_exists(pk)' };
  expect(await as('writer', new TransactWriteCommand({ TransactItems: [{ ConditionCheck }] }))).toBe(denied);
});

test('denies keys outside of the leading keys, and calls whose keys it does not know', async () => {
  const put = (pk: string) => new PutCommand({ TableName: tableName, Item: { ...key, pk } });
  const queryOf = (pk: string, more: object = {}) =>
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ...more,
    });
  expect(await as('publisher', put('#rate#@acme'))).toBeUndefined();
  expect(await as('publisher', queryOf('#rate#@acme'))).toBeUndefined();
  expect(await as('publisher', put('@acme#task#1'))).toBe(denied);
  expect(await as('publisher', queryOf('@acme#task#1'))).toBe(denied);
  expect(await as('publisher', queryOf('#rate#@acme', { IndexName: 'by-creation' }))).toBe(denied);
  const Put = { TableName: tableName, Item: { ...key, pk: '#rate#@acme' } };
  expect(await as('publisher', new TransactWriteCommand({ TransactItems: [{ Put }] }))).toBe(denied);
  const [report] = proxy.report().filter((one) => one.function === 'publisher');
  expect(report).toMatchObject({
    used: [`dynamodb:PutItem ${table} (#rate#*)`, `dynamodb:Query ${table} (#rate#*)`],
    unused: [],
  });
});

test('accepts events for a bus that the role names, as EventBridge does, all but the first', async () => {
  const put = async (accessKeyId: string, EventBusName: string, count = 1, first = '{}') => {
    const credentials = { accessKeyId, secretAccessKey: 'local' };
    const client = connectToBus({ endpoint: proxy.endpoint, region: place.region, credentials });
    const entry = { EventBusName, Source: 'a', DetailType: 'b', Detail: '{}' };
    const accepted = Array.from({ length: count }, () => entry);
    const Entries = [{ ...entry, Detail: first }, ...accepted, { ...entry, Detail: 'no JSON' }];
    try {
      const { FailedEntryCount, Entries: results = [] } = await client.send(
        new PutEventsCommand({ Entries }),
      );
      return [
        FailedEntryCount,
        ...results.map(({ EventId, ErrorCode }) => (EventId ? 'accepted' : ErrorCode)),
      ];
    } catch (error) {
      return (error as Error).name;
    } finally {
      client.destroy();
    }
  };
  const refused = [2, 'InternalFailure', 'accepted', 'MalformedDetail'];
  expect(await put('sender', 'the-bus', 1, '{"first":1}')).toEqual(refused);
  expect(await put('sender', 'the-bus', 1, '{"first":1}')).toEqual(refused);
  expect(await put('sender', 'the-bus', 1, '{"next":1}')).toEqual([
    1,
    'accepted',
    'accepted',
    'MalformedDetail',
  ]);
  expect(await put('sender', 'another')).toBe(denied);
  expect(await put('outsider', 'the-bus')).toBe(denied);
  expect(await put('sender', 'the-bus', 10)).toBe('ValidationException');
});

test('accepts messages for a queue that the role names, and no others', async () => {
  const sent = async (accessKeyId: string, name: string, MessageBody = 'x') => {
    const credentials = { accessKeyId, secretAccessKey: 'local' };
    const client = connectToQueue({ endpoint: proxy.endpoint, region: place.region, credentials });
    const QueueUrl = `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
    try {
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
      return 'accepted';
    } catch (error) {
      return (error as Error).name;
    } finally {
      client.destroy();
    }
  };
  expect(await sent('sender', 'the-queue')).toBe('accepted');
  expect(await sent('sender', 'the-queue', '')).toBe('InvalidParameterValue');
  expect(await sent('sender', 'another')).toBe(denied);
  expect(await sent('outsider', 'the-queue')).toBe(denied);
});

test('denies calls with unknown credentials', async () => {
  expect(await as('stranger', get)).toBe(denied);
});

test('reports used, unused and refused permissions', () => {
  const [reader, writer] = proxy.report();
  expect(reader).toEqual({
    function: 'reader',
    used: [
      `dynamodb:GetItem ${table}`,
      `dynamodb:Query ${table}`,
      `dynamodb:Query ${table}/index/by-creation`,
    ],
    unused: [],
    refused: [
      `dynamodb:GetItem ${table.replace(tableName, 'other')}`,
      `dynamodb:Query ${table}/index/by-status`,
    ],
  });
  expect(writer).toMatchObject({
    unused: [],
    refused: [
      `dynamodb:ConditionCheckItem ${table}`,
      `dynamodb:GetItem ${table}`,
      `dynamodb:UpdateItem ${table}`,
    ],
  });
});

test('rejects statements that it cannot evaluate', () => {
  const statement = allow(['dynamodb:GetItem'], table);
  expect(() => new Policy([{ ...statement, Effect: 'Deny' }])).toThrow('are supported');
  expect(() => new Policy([{ ...statement, Condition: {} }])).toThrow('are supported');
  const { Null: _, ...withoutNull } = limited.Condition as Record<string, unknown>;
  expect(() => new Policy([{ ...statement, Condition: withoutNull }])).toThrow('are supported');
});
