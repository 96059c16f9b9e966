import type { ServerResponse } from 'node:http';
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { ClockWrong, ConditionFailed, StoreUnavailable } from '#functions/engine/model/errors.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { notExists } from '#functions/engine/model/writes.ts';
import { noLimits } from '#functions/engine/table/calls.ts';
import { connect } from '#functions/engine/table/client.ts';
import { countOf, Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import { explainFailure, isRetryable, type SdkError } from '#functions/engine/table/error-classification.ts';
import { startServer } from '#test/support/http-server.ts';
import { lostResponse, nth } from '#test/support/table/faults.ts';
import { MemoryTable } from '#test/support/table/memory-table.ts';

describe('client', () => {
  /** Calls a server. @param respond what the server does. Returns the client after the call. */
  async function callServer(respond: (response: ServerResponse) => void) {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' });
    const server = await startServer((_, response) => respond(response));
    const client = connect({ endpoint: server.url, region: 'us-east-1' });
    const call = client.getItem({ TableName: 't', Key: { pk: 'a', sk: 'b' } });
    const error = await call.then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    client.destroy();
    await server.stop();
    return { error, client };
  }

  test('times out when the server does not respond', async () => {
    expect((await callServer(() => undefined)).error).toMatchObject({ name: 'TimeoutError' });
  });

  test.each([
    ['is right', 0, 0],
    ['is an hour ahead', -3_600, 3_600],
    ['is an hour behind', 3_600, -3_600],
  ])(
    'knows by how much the clock of the process %s, from the time of a response',
    async (_, dateSeconds, error) => {
      const { client } = await callServer((response) => {
        response.setHeader('Date', new Date(Date.now() + 1_000 * dateSeconds).toUTCString());
        response.end('{}');
      });
      expect(Math.abs(client.clockErrorMs / 1_000 - error)).toBeLessThan(5);
    },
  );
});

describe('database', () => {
  let table: MemoryTable;
  let database: Database;

  beforeEach(() => {
    table = new MemoryTable();
    database = new Database(table, 'table', new Deadline(30_000));
  });

  const key = { pk: 'acme#task#sequencer', sk: 'sequencer' };

  test.each([
    [300_000, true],
    [-300_000, true],
    [300_001, false],
    [-300_001, false],
  ])('with a clock that is %i ms ahead, a process writes: %j', async (clockErrorMs, isWritten) => {
    table.clockErrorMs = clockErrorMs;
    const put: Item = { pk: 'acme#task#1', sk: 'entity' };
    for (const write of [
      () => database.transact([{ put, condition: notExists }]),
      () => database.count(key),
    ]) {
      if (isWritten) await write();
      else await expect(write()).rejects.toThrow(ClockWrong);
    }
    expect((await database.getMany([put, key])).length).toBe(isWritten ? 2 : 0);
  });

  test('more items than one call may read are read in several', async () => {
    const keys = Array.from({ length: 101 }, (_, number) => ({ pk: `acme#task#${number}`, sk: 'entity' }));
    await Promise.all(keys.map((one) => database.putItem(one)));
    const { calls } = database.consumption;
    expect(await database.getMany(keys)).toHaveLength(101);
    expect(database.consumption.calls - calls).toBe(2);
  });

  test.each([6, 60])('a wait after %i attempts is shorter than a second', async (attempt) => {
    jest.spyOn(Math, 'random').mockReturnValue(0.999);
    const deadline = new Deadline(Math.min(1_000, 10 * 2 ** attempt) * 0.99);
    expect(await deadline.backOff(attempt)).toBe(false);
    jest.restoreAllMocks();
  });

  test('a counter hands out each number once, also when the response to a request is lost, and is only raised', async () => {
    expect([await database.count(key), await database.count(key)]).toEqual([1, 2]);
    table.intercept = nth(1, 'UpdateItem', lostResponse(0));
    expect(await database.count(key)).toBe(4);
    await database.raiseCount(key, 3);
    expect(countOf(await database.get(key))).toBe(4);
    await database.raiseCount(key, 9);
    expect([countOf(await database.get(key)), await database.count(key), countOf(undefined)]).toEqual([
      9, 10, 0,
    ]);
  });
});

describe('transact', () => {
  let nowMs = 0;

  beforeEach(() => {
    nowMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
    // No wait between two attempts.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const throttling = new ThrottlingException({ message: 'throttled', $metadata: {} });
  const reset = Object.assign(new Error('lost'), { code: 'ECONNRESET' });
  const cancelledFor = (Code: string) =>
    new TransactionCanceledException({ $metadata: {}, message: '', CancellationReasons: [{ Code }] });

  /**
   * Makes a transaction of which every attempt fails after a second.
   * @param errors of the attempts; the last one is that of all others.
   */
  async function transactFailing(
    { isDecidable = false, limits = noLimits }: { isDecidable?: boolean; limits?: typeof noLimits },
    errors: readonly Error[],
  ) {
    let attempts = 0;
    const transactWriteItems = async (): Promise<never> => {
      attempts += 1;
      nowMs += 1_000;
      throw errors[attempts - 1] ?? errors.at(-1);
    };
    const client = Object.assign(new MemoryTable(), { transactWriteItems });
    const database = new Database(client, 'table', new Deadline(30_000), limits);
    const item = { pk: 'acme#task#1', sk: 'entity', version: 1 };
    const call = database.transact([{ put: item, condition: notExists }], { isDecidable });
    const error = await call.catch((thrown: unknown) => thrown);
    return { error, attempts };
  }

  test.each([
    ['until the time of the request is over', false, 30],
    ['until three seconds before, when the caller can find out what became of it', true, 27],
  ])('makes attempts %s', async (_, isDecidable, attempts) => {
    const result = await transactFailing({ isDecidable }, [throttling]);
    expect(result.error).toBeInstanceOf(StoreUnavailable);
    expect(result).toMatchObject({ attempts, error: { isInDoubt: false } });
  });

  test.each([
    ['an attempt', [throttling, reset, throttling], 'StoreUnavailable'],
    ['the last attempt', [...Array(29).fill(throttling), reset], 'StoreUnavailable'],
    ['an attempt before a condition', [reset, cancelledFor('ConditionalCheckFailed')], 'ConditionFailed'],
  ])('is in doubt when no response to %s arrives', async (_, errors, name) => {
    expect((await transactFailing({}, errors)).error).toMatchObject({ name, isInDoubt: true });
  });

  test.each([
    ['ThrottlingError', 3, { name: 'KeysThrottled' }],
    ['TransactionConflict', 30, { name: 'StoreUnavailable', isContention: true }],
  ])(
    'of a request gives up when its keys are throttled three times: %s',
    async (code, attempts, expected) => {
      const limits = { ...noLimits, maxKeyThrottles: 3 };
      const result = await transactFailing({ limits }, [cancelledFor(code)]);
      expect(result.error).toMatchObject(expected);
      expect(result.attempts).toBe(attempts);
    },
  );
});

describe('error-classification', () => {
  const options = { message: 'message', $metadata: {} };

  /** An error that the SDK has no class of. */
  const unmodeled = (name: string, $fault: 'client' | 'server' = 'client') =>
    new DynamoDBServiceException({ name, $fault, ...options });

  /** The SDK's type allows `undefined` for the reasons, where `SdkError` has none at all. */
  const cancelled = (...codes: readonly string[]) =>
    new TransactionCanceledException({
      ...options,
      CancellationReasons: codes.map((Code) => ({ Code })),
    }) as SdkError;

  test.each([
    ['an attempt in progress', new TransactionInProgressException(options), true],
    ['a wrong signature: the clock was wrong', unmodeled('InvalidSignatureException'), true],
    ['an unknown error of the server', unmodeled('ServiceUnavailable', 'server'), true],
    ['a condition', new ConditionalCheckFailedException(options), false],
    [
      'the code of an error of DynamoDB',
      Object.assign(unmodeled('ValidationException'), { code: 'ECONNRESET' }),
      false,
    ],
    ['an error of this program', new TypeError('message'), false],
    ['an error of the store', new ConditionFailed([0], undefined), false],
    ['TransactionConflict', cancelled('TransactionConflict'), true],
    ['ConditionalCheckFailed', cancelled('TransactionConflict', 'ConditionalCheckFailed'), false],
  ])('isRetryable %s: %j', (_, error, expected) => {
    expect(isRetryable(error as SdkError)).toBe(expected);
  });

  test.each([
    ['an error of the server', unmodeled('InternalServerError', 'server'), true],
    ['an attempt in progress', new TransactionInProgressException(options), true],
    ['a connection that ends', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), true],
    ['a throttle', unmodeled('ThrottlingException'), false],
    ['a conflict', cancelled('TransactionConflict'), false],
    ['a condition', cancelled('ConditionalCheckFailed'), false],
  ])('after %s, a transaction may have been applied: %j', (_, error, expected) => {
    expect(explainFailure(error as SdkError).mayBeApplied).toBe(expected);
  });
});
