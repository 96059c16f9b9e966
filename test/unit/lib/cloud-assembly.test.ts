import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { matchesPattern } from '#lib/cloud-assembly/event-pattern.ts';
import { cpuShare, FunctionProcesses } from '#lib/cloud-assembly/function-processes.ts';
import { type IamProxy, startIamProxy } from '#lib/cloud-assembly/iam-proxy.ts';
import { Policy, type Statement } from '#lib/cloud-assembly/policy.ts';
import { type Engine, inMemory, startEngine } from '#lib/local/dynamodb-engine.ts';
import { functionContext } from '#lib/local/lambda-context.ts';
import { ensureTable } from '#lib/local/table.ts';

describe('event pattern', () => {
  const jobs = { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { sk: { S: ['job'] } } } };
  const records = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'r#' }] } } } };

  const event = (eventName: string, sk: unknown) => ({
    eventName,
    dynamodb: { Keys: { pk: { S: 'a' }, sk } },
  });

  test.each([
    ['a value of the list', jobs, event('MODIFY', { S: 'job' }), true],
    ['another value', jobs, event('MODIFY', { S: 'entity' }), false],
    ['a value with the prefix of one of the list', jobs, event('MODIFY', { S: 'job#1' }), false],
    ['another value of one of two fields', jobs, event('REMOVE', { S: 'job' }), false],
    ['a text with the prefix', records, event('INSERT', { S: 'r#1' }), true],
    ['the prefix itself', records, event('INSERT', { S: 'r#' }), true],
    ['a text without the prefix', records, event('INSERT', { S: '~' }), false],
    ['a number where the pattern has a prefix', records, event('INSERT', { S: 7 }), false],
    ['no value where the pattern has a prefix', records, event('INSERT', {}), false],
    ['no object where the pattern has one', records, event('INSERT', null), false],
    ['anything, for an empty pattern', {}, event('INSERT', {}), true],
  ])('decides %s', (_, pattern, value, isMatch) => {
    expect(matchesPattern(pattern, value)).toBe(isMatch);
  });

  test.each([{ suffix: 'x' }, { prefix: 7 }, { prefix: 'x', suffix: 'y' }, {}])(
    'throws for the rule %j, which the local service does not support',
    (rule) => {
      expect(() => matchesPattern({ eventName: [rule] }, { eventName: 'INSERT' })).toThrow(
        'is not supported',
      );
    },
  );
});

describe('function processes', () => {
  /** A function that uses CPU time, and tells how long that took. */
  const source = `
let calls = 0;
const usedMs = (since) => { const { user, system } = process.cpuUsage(since); return (user + system) / 1000; };
exports.handler = async ({ burnMs = 0, fail, exit }, context) => {
  calls += 1;
  if (fail) throw new TypeError('The function failed.');
  if (exit) process.exit(1);
  const since = process.cpuUsage();
  const started = performance.now();
  while (usedMs(since) < burnMs);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    calls, pid: process.pid, wallMs: performance.now() - started, environment: { ...process.env },
    requestId: context.awsRequestId, remainingMs: context.getRemainingTimeInMillis(),
  };
};`;

  interface Result {
    readonly calls: number;
    readonly pid: number;
    readonly wallMs: number;
    readonly environment: Readonly<Record<string, string>>;
    readonly requestId: string;
    readonly remainingMs: number;
  }

  const folder = mkdtempSync(join(tmpdir(), 'function-processes-'));
  const bundle = {
    name: 'createTask',
    folder,
    handler: 'index.handler',
    runtime: 'nodejs24.x',
    timeoutMs: 10_000,
    memoryMb: 256,
    environment: { TABLE_NAME: 'tasks' },
  };

  beforeAll(() => writeFileSync(join(folder, 'index.js'), source));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    [256, 0.145],
    [1_769, 1],
    [10_240, 1],
  ])('%i MB are %d of a core', (memoryMb, share) => {
    expect(cpuShare(memoryMb)).toBeCloseTo(share, 3);
  });

  const isSupported = existsSync('/proc/self/schedstat');

  /** Calls the function as one that has the memory of the bundle. */
  async function withFunction(
    run: (call: (event: object) => Promise<Result>) => Promise<void>,
  ): Promise<void> {
    if (!isSupported) {
      expect(() => new FunctionProcesses()).toThrow('--lambda-cpu needs Linux, with /proc.');
      return;
    }
    const processes = new FunctionProcesses();
    const handler = processes.handler<object, Result>(bundle, { AWS_REGION: 'eu-central-1' });
    try {
      await run((event) => handler(event, functionContext('request-1', 5_000)));
    } finally {
      await processes.stop();
    }
  }

  test('a function runs in a process of its own, with its environment only', () =>
    withFunction(async (call) => {
      const { pid, environment, requestId, remainingMs } = await call({});
      expect(pid).not.toBe(process.pid);
      expect(requestId).toBe('request-1');
      expect(remainingMs).toBeGreaterThan(0);
      expect(remainingMs).toBeLessThanOrEqual(5_000);
      expect(environment).toMatchObject({
        TABLE_NAME: 'tasks',
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'createTask',
      });
      expect(environment).not.toHaveProperty('HOME');
    }));

  test('events one after the other use one process, events at the same time several', () =>
    withFunction(async (call) => {
      const first = await call({});
      const second = await call({});
      expect([second.pid, second.calls]).toEqual([first.pid, 2]);
      const [one, other] = await Promise.all([call({}), call({})]);
      expect(one?.pid).not.toBe(other?.pid);
    }));

  test('an error of the function is the error of the call, and the process continues', () =>
    withFunction(async (call) => {
      await expect(call({ fail: true })).rejects.toThrow('The function failed.');
      expect((await call({})).calls).toBe(2);
      await expect(call({ exit: true })).rejects.toThrow('The process of the function has ended.');
      expect((await call({})).calls).toBe(1);
    }));

  test('a function gets the CPU time of its memory', () =>
    withFunction(async (call) => {
      const burnMs = 300;
      const { wallMs } = await call({ burnMs });
      // 0.145 of a core. A busy machine gives less, and a late limiter a little more at the end.
      expect(burnMs / wallMs).toBeLessThan(0.2);
    }));
});

describe('iam proxy', () => {
  const place = { region: 'us-east-1', account: '000000000000' };
  const tableName = 'guarded';
  const table = `arn:aws:dynamodb:us-east-1:000000000000:table/${tableName}`;

  const bus = 'arn:aws:events:us-east-1:000000000000:event-bus/the-bus';

  const queue = 'arn:aws:sqs:us-east-1:000000000000:the-queue';

  const allow = (Action: string[], ...Resource: string[]): Statement => ({
    Effect: 'Allow',
    Action,
    Resource,
  });

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
    expect(await as('writer', new TransactWriteCommand({ TransactItems: [{ ConditionCheck }] }))).toBe(
      denied,
    );
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
});
