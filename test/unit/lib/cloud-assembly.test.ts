import { busesOf, putEvents } from '#lib/cloud-assembly/event-bus.ts';
import { matchesPattern } from '#lib/cloud-assembly/event-pattern.ts';
import { Policy, requiredPermissions, type Statement } from '#lib/cloud-assembly/policy.ts';
import { type QueueProperties, sendMessage, startQueue } from '#lib/cloud-assembly/queue.ts';

describe('event pattern', () => {
  const jobs = { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { sk: { S: ['job'] } } } };
  const records = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'r#' }] } } } };

  test.each([
    ['a value of the list', jobs, 'MODIFY', { S: 'job' }, true],
    ['another value', jobs, 'MODIFY', { S: 'job#1' }, false],
    ['another value of one of two fields', jobs, 'REMOVE', { S: 'job' }, false],
    ['a text with the prefix', records, 'INSERT', { S: 'r#' }, true],
    ['a text without the prefix', records, 'INSERT', { S: '~' }, false],
    ['a number where the pattern has a prefix', records, 'INSERT', { S: 7 }, false],
    ['no object where the pattern has one', records, 'INSERT', null, false],
    ['anything, for an empty pattern', {}, 'INSERT', {}, true],
  ])('decides %s', (_, pattern, eventName, sk, isMatch) => {
    expect(matchesPattern(pattern, { eventName, dynamodb: { Keys: { pk: { S: 'a' }, sk } } })).toBe(isMatch);
  });

  test.each([{ suffix: 'x' }, { prefix: 7 }, { prefix: 'x', suffix: 'y' }])(
    'throws for the rule %j',
    (rule) => {
      expect(() => matchesPattern({ eventName: [rule] }, { eventName: 'INSERT' })).toThrow(
        'is not supported',
      );
    },
  );
});

describe('policy', () => {
  const arnPrefix = 'arn:aws:dynamodb:us-east-1:000000000000:table/';
  const table = `${arnPrefix}guarded`;

  const allow = (Action: string[], ...Resource: string[]): Statement => ({
    Effect: 'Allow',
    Action,
    Resource,
  });

  /** A statement for keys with one beginning only. */
  const limited: Statement = {
    ...allow(['dynamodb:UpdateItem'], table),
    Condition: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['#rate#*'] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  };

  const policies = {
    reader: new Policy([
      allow(['dynamodb:GetItem', 'dynamodb:Query'], table),
      allow(['dynamodb:Query'], `${table}/index/by-creation`),
    ]),
    writer: new Policy([allow(['dynamodb:PutItem', 'dynamodb:DeleteItem'], table), allow(['s3:*'], '*')]),
    publisher: new Policy([limited]),
    guarded: new Policy([
      allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:PutItem'], table),
      {
        ...allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], table),
        Effect: 'Deny',
        Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['#logs#*'] } },
      },
    ]),
  };

  const TableName = 'guarded';
  const item = (pk: string) => ({ TableName, Item: { pk: { S: pk } } });
  const update = (pk: string) => ({ TableName, Key: { pk: { S: pk } } });
  const queryOf = (pk: string, more: object = {}) => ({
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
    ...more,
  });
  const transaction = (...TransactItems: object[]) => ({ TransactItems });

  test.each([
    ['reader', 'GetItem', { TableName }, true],
    ['reader', 'Query', queryOf('a'), true],
    ['reader', 'Query', queryOf('a', { IndexName: 'by-creation' }), true],
    ['reader', 'Query', queryOf('a', { IndexName: 'by-status' }), false],
    ['reader', 'GetItem', { TableName: 'other' }, false],
    ['writer', 'GetItem', { TableName }, false],
    ['writer', 'TransactWriteItems', transaction({ Put: item('a') }, { Delete: { TableName } }), true],
    ['writer', 'TransactWriteItems', transaction({ Put: item('a') }, { Update: { TableName } }), false],
    ['writer', 'TransactWriteItems', transaction({ ConditionCheck: { TableName } }), false],
    ['publisher', 'UpdateItem', update('#rate#@acme'), true],
    ['publisher', 'UpdateItem', update('@acme#task#1'), false],
    ['publisher', 'PutItem', item('#rate#@acme'), false],
    ['guarded', 'GetItem', update('@acme#task#1'), true],
    ['guarded', 'GetItem', update('#logs#1'), false],
    ['guarded', 'Query', queryOf('#logs#1'), false],
    ['guarded', 'BatchGetItem', { RequestItems: { guarded: { Keys: [{ pk: { S: 'a' } }] } } }, true],
    ['guarded', 'BatchGetItem', { RequestItems: { guarded: { Keys: [{ pk: { S: '#logs#1' } }] } } }, false],
    ['guarded', 'PutItem', item('#logs#1'), true],
    ['publisher', 'TransactWriteItems', transaction({ Update: update('#rate#@acme') }), false],
  ] as const)('of the %s: %s of %j is allowed: %p', (role, operation, body, isAllowed) => {
    const required = requiredPermissions(operation, body, { arnPrefix, partitionKey: 'pk' });
    expect(required.every((permission) => policies[role].permissionFor(permission))).toBe(isAllowed);
  });

  test('rejects statements that it cannot evaluate', () => {
    const statement = allow(['dynamodb:GetItem'], table);
    expect(() => new Policy([{ ...limited, Effect: 'Deny' }])).toThrow('are supported');
    expect(() => new Policy([{ ...statement, Condition: {} }])).toThrow('are supported');
    const { Null: _, ...withoutNull } = limited.Condition as Record<string, unknown>;
    expect(() => new Policy([{ ...statement, Condition: withoutNull }])).toThrow('are supported');
  });
});

describe('event bus and queue', () => {
  const entry = { EventBusName: 'the-bus', Source: 'a', DetailType: 'b', Detail: '{}' };

  test('a request has the results of its entries, of which some are not accepted', () => {
    const Entries = [{ ...entry, Detail: '{"first":1}' }, entry, { ...entry, Detail: 'no JSON' }];
    const { status, body, events } = putEvents({ Entries }, (detail) => detail.includes('first'));
    expect([status, events.length, busesOf({ Entries })]).toEqual([200, 1, ['the-bus']]);
    expect(body).toMatchObject({
      FailedEntryCount: 2,
      Entries: [
        { ErrorCode: 'InternalFailure' },
        { EventId: expect.any(String) },
        { ErrorCode: 'MalformedDetail' },
      ],
    });
  });

  test.each([
    ['no entries', []],
    ['eleven entries', Array(11).fill(entry)],
    ['more than 256 KB', [{ ...entry, Detail: 'x'.repeat(256 * 1_024) }]],
  ])('a request with %s is refused', (_, Entries) => {
    expect(putEvents({ Entries }).status).toBe(400);
  });

  test('a message has 1 byte to 256 KB', () => {
    const statuses = ['', 'x', 'x'.repeat(256 * 1_024 + 1)].map(
      (MessageBody) => sendMessage({ MessageBody }).status,
    );
    expect(statuses).toEqual([400, 200, 400]);
  });

  /** Sends a message. Returns the seconds of the queue after which the function is called. @param calls in the chain of the sender. */
  async function attemptsOf(
    respond: (attempt: number) => Promise<readonly string[]>,
    { calls = 0, ...properties }: { calls?: number; DelaySeconds?: number } & QueueProperties = {},
  ): Promise<number[]> {
    jest.useFakeTimers();
    const started = Date.now();
    const attempts: number[] = [];
    const queue = { DelaySeconds: 30, VisibilityTimeout: 180, FunctionResponseTypes: ['x'], ...properties };
    const send = startQueue(queue, async (_, __, before) => {
      expect(before).toBe(calls + 1);
      attempts.push(Date.now() - started);
      const failed = await respond(attempts.length);
      return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
    });
    send({ MessageBody: 'x' }, `Root=1-0-0;Lineage=1:00000000:${calls}`);
    await jest.advanceTimersByTimeAsync(1_000);
    jest.useRealTimers();
    return attempts;
  }

  const succeed = async () => [];
  const failTwice = async (attempt: number) => (attempt < 3 ? ['id'] : []);
  const throwOnce = (attempt: number) => (attempt < 2 ? Promise.reject(new Error('x')) : succeed());

  test.each([
    ['a message that fails is repeated after each visibility timeout', failTwice, {}, [30, 210, 390]],
    ['an error of the function is a failure', throwOnce, {}, [30, 210]],
    ['nothing is reported by a mapping without it', failTwice, { FunctionResponseTypes: undefined }, [30]],
    ['the 16th call of a chain takes place', succeed, { calls: 14 }, [30]],
  ])('%s', async (_, respond, options, expected) => {
    expect(await attemptsOf(respond, options as QueueProperties)).toEqual(expected);
  });

  test('the 17th call of a chain does not take place', async () => {
    const stopped = jest.spyOn(console, 'error').mockReturnValue();
    expect(await attemptsOf(succeed, { calls: 15 })).toEqual([]);
    expect(stopped).toHaveBeenCalledTimes(1);
    stopped.mockRestore();
  });

  test('a message can have a delay of its own', async () => {
    jest.useFakeTimers();
    const call = jest.fn().mockResolvedValue({ batchItemFailures: [] });
    startQueue({ DelaySeconds: 30 }, call)({ MessageBody: 'x', DelaySeconds: 900 }, '');
    await jest.advanceTimersByTimeAsync(899);
    expect(call).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(call).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });
});
