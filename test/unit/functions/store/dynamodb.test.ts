import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { noLimits } from '#functions/store/dynamodb/calls.ts';
import { connect } from '#functions/store/dynamodb/client.ts';
import { type Clock, CorrectedClock } from '#functions/store/dynamodb/clock.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import {
  explainCancellation,
  ForeignResponse,
  isKeyThrottle,
  isRetryable,
  type SdkError,
} from '#functions/store/dynamodb/error-classification.ts';
import { notExists } from '#functions/store/model/condition-expressions.ts';
import { ConditionFailed, StoreUnavailable, TransactionExpired } from '#functions/store/model/errors.ts';
import { maxClockErrorMs } from '#functions/store/model/log-timing.ts';
import { wallClock } from '#test/support/wall-clock.ts';

test('the client times out when the server does not respond', async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' });
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = connect({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1' });
  const call = client.getItem({ TableName: 't', Key: { pk: 'a', sk: 'b' } });
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
  client.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('clock', () => {
  const startMs = Date.parse('2026-02-03T04:05:06.300Z');
  const dayMs = 86_400_000;

  /** DynamoDB's time, which is right. */
  let trueMs: number;

  /** The error of the wall clock, and the time that the monotonic clock does not count. */
  let errorMs: number;
  let suspendedMs: number;
  let clock: Clock;

  function start(timeMs: number): void {
    [trueMs, errorMs, suspendedMs] = [timeMs, 0, 0];
    clock = new CorrectedClock({ wall: () => trueMs + errorMs, monotonic: () => trueMs - suspendedMs });
  }

  beforeEach(() => start(startMs));

  /** Makes a call that DynamoDB responds to half-way. */
  function call(roundTripMs = 10): void {
    const sent = clock.read();
    trueMs += roundTripMs / 2;
    const date = Math.floor(trueMs / 1_000) * 1_000;
    trueMs += roundTripMs / 2;
    clock.observe(sent, date);
  }

  const jumpTo = (milliseconds: number): void => {
    errorMs = milliseconds;
  };
  const suspend = (milliseconds: number): void => {
    trueMs += milliseconds;
    suspendedMs += milliseconds;
  };
  const pause = (milliseconds: number): void => {
    trueMs += milliseconds;
  };

  /** Returns the error of the corrected time. */
  const errorLeft = (): number => (clock.now() as number) - trueMs;

  test('does not tell the time before the first response, and then leaves a right clock as it is', () => {
    expect(clock.now()).toBeUndefined();
    call();
    expect(errorLeft()).toBe(0);
  });

  test('ignores responses without a time, and those that took so long that they prove too little', () => {
    const sent = clock.read();
    clock.observe(sent, Number.NaN);
    expect(clock.now()).toBeUndefined();
    call(900);
    expect(clock.now()).toBeUndefined();
  });

  test.each([
    ['jumps ahead', () => jumpTo(3_600_000)],
    ['jumps back', () => jumpTo(-3_600_000)],
    ['stands still while the machine is suspended', () => suspend(900_000)],
  ])('does not trust earlier responses after the clock %s', (_, change) => {
    call();
    change();
    expect(clock.now()).toBeUndefined();
    call();
    expect(Math.abs(errorLeft())).toBeLessThanOrEqual(maxClockErrorMs);
  });

  test('ignores a response during whose round trip the clock jumped, or the machine was suspended', () => {
    const sent = clock.read();
    const date = Math.floor(trueMs / 1_000) * 1_000;
    errorMs += 500;
    clock.observe(sent, date);
    expect(clock.now()).toBeUndefined();
  });

  test('forgets responses after a minute', () => {
    call();
    trueMs += 59_000;
    expect(clock.now()).toBeDefined();
    trueMs += 1_000;
    expect(clock.now()).toBeUndefined();
  });

  test('never goes back', () => {
    errorMs = 2_000;
    call();
    const before = clock.now() as number;
    trueMs += 1;
    errorMs = -2_000;
    call();
    expect(clock.now()).toBeGreaterThanOrEqual(before);
  });

  test('does not tell the time while responses contradict each other by more than the bound', () => {
    call();
    const sent = clock.read();
    clock.observe(sent, Math.floor(trueMs / 1_000) * 1_000 + 5_000);
    expect([clock.now(), clock.isContradictory()]).toEqual([undefined, true]);
    trueMs += 60_000;
    call();
    expect([clock.now() === undefined, clock.isContradictory()]).toEqual([false, false]);
  });

  /** Returns something that happens, and its duration or size. */
  const event = (happen: (milliseconds: number) => void, min: number, max: number) =>
    fc.integer({ min, max }).map((milliseconds) => () => happen(milliseconds));

  test('is within the bound whatever the clocks do', () => {
    const events = fc.oneof(
      { weight: 6, arbitrary: event((halfMs) => call(2 * halfMs), 0, 600) },
      { weight: 4, arbitrary: event(pause, 0, 30_000) },
      { weight: 1, arbitrary: event(jumpTo, -5_000, 5_000) },
      { weight: 1, arbitrary: event(jumpTo, -dayMs, dayMs) },
      { weight: 1, arbitrary: event(suspend, 0, 900_000) },
    );
    const histories = fc.array(events, { maxLength: 60 });
    fc.assert(
      fc.property(histories, fc.integer({ min: 0, max: 999 }), (history, phase) => {
        start(startMs + phase);
        let last = 0;
        for (const happen of history) {
          happen();
          const now = clock.now() ?? Math.max(last, trueMs);
          expect(now).toBeGreaterThanOrEqual(last);
          expect(Math.abs(now - trueMs)).toBeLessThanOrEqual(maxClockErrorMs);
          const earliest = clock.earliest() ?? trueMs;
          expect(earliest).toBeLessThanOrEqual(trueMs);
          expect(earliest).toBeGreaterThanOrEqual(trueMs - 2 * maxClockErrorMs);
          last = clock.now() ?? last;
        }
      }),
      { numRuns: 200 },
    );
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
  const lostResponse = Object.assign(new Error('lost'), { code: 'ECONNRESET' });
  const cancelledFor = (Code: string) =>
    new TransactionCanceledException({ $metadata: {}, message: '', CancellationReasons: [{ Code }] });

  /**
   * Makes a transaction of which every attempt fails after a second.
   * @param errors of the attempts; the last one is that of all others.
   */
  async function transactFailing(
    { sendUntil, limits = noLimits }: { sendUntil?: number; limits?: typeof noLimits },
    errors: readonly Error[],
  ) {
    let attempts = 0;
    const transactWriteItems = async (): Promise<never> => {
      attempts += 1;
      nowMs += 1_000;
      throw errors[attempts - 1] ?? errors.at(-1);
    };
    const client = Object.assign(connect({}, wallClock), { transactWriteItems });
    const database = new Database(client, 'table', new Deadline(30_000), limits);
    const item = { pk: 'acme#task#1', sk: 'entity', version: 1 };
    const call = database.transact([{ put: item, condition: notExists }], sendUntil);
    const error = await call.catch((thrown: unknown) => thrown);
    return { error, attempts };
  }

  test.each([
    ['makes attempts until the time of the request is over', undefined, [throttling], 30, StoreUnavailable],
    ['makes none when the time of the transaction is over', 3_000, [throttling], 3, TransactionExpired],
    [
      'sends nothing when its time is over before the first attempt',
      -1,
      [lostResponse],
      0,
      TransactionExpired,
    ],
  ])('%s', async (_, sendUntil, errors, attempts, name) => {
    const result = await transactFailing({ ...(sendUntil !== undefined && { sendUntil }) }, errors);
    expect(result.error).toBeInstanceOf(name);
    expect(result.attempts).toBe(attempts);
    if (sendUntil) expect(result.error).toMatchObject({ isInDoubt: false });
  });

  test.each([
    ['an attempt', [throttling, lostResponse, throttling]],
    ['the last attempt', [throttling, throttling, lostResponse]],
  ])('is in doubt when no response to %s arrives', async (_, errors) => {
    const { error } = await transactFailing({ sendUntil: 3_000 }, errors);
    expect(error).toMatchObject({ name: 'TransactionExpired', isInDoubt: true });
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
  const refused = (...failed: number[]) => ({ failed, isInDoubt: false });
  const inDoubt = { failed: [], isInDoubt: true };

  /** An error that the SDK has no class of. */
  const unmodeled = (name: string, $fault: 'client' | 'server' = 'client') =>
    new DynamoDBServiceException({ name, $fault, ...options });

  /** The SDK's type allows `undefined` for the reasons, where `SdkError` has none at all. */
  const cancelled = (...codes: readonly string[]) =>
    new TransactionCanceledException({
      ...options,
      CancellationReasons: codes.map((Code) => ({ Code })),
    }) as SdkError;

  const connection = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

  test.each([
    ['a throttle', new ThrottlingException(options), true],
    ['a failure', new InternalServerError(options), true],
    ['an attempt in progress', new TransactionInProgressException(options), true],
    ['a wrong signature: the clock was wrong', unmodeled('InvalidSignatureException'), true],
    ['an unknown error of the server', unmodeled('ServiceUnavailable', 'server'), true],
    ['an unknown error of the client', unmodeled('ValidationException'), false],
    ['a condition', new ConditionalCheckFailedException(options), false],
    ['a connection', connection, true],
    [
      'the code of an error of DynamoDB',
      Object.assign(unmodeled('ValidationException'), { code: 'ECONNRESET' }),
      false,
    ],
    ['a timeout', Object.assign(new Error('timeout'), { name: 'TimeoutError' }), true],
    ['a response that is not from DynamoDB', new ForeignResponse(), true],
    ['an error of this program', new TypeError('message'), false],
    ['an error of the store', new ConditionFailed([0], undefined), false],
    ['TransactionConflict', cancelled('TransactionConflict'), true],
    ['ThrottlingError', cancelled('None', 'ThrottlingError'), true],
    ['ConditionalCheckFailed', cancelled('TransactionConflict', 'ConditionalCheckFailed'), false],
    ['ValidationError', cancelled('ValidationError', 'None'), false],
  ])('isRetryable %s: %j', (_, error, expected) => {
    expect(isRetryable(error as SdkError)).toBe(expected);
  });

  test.each<[string, SdkError, object]>([
    ['conditions', cancelled('ConditionalCheckFailed', 'ConditionalCheckFailed', 'None'), refused(0, 1)],
    ['a conflict', cancelled('TransactionConflict', 'ConditionalCheckFailed', 'None'), refused(1)],
    ['a throttle', new ThrottlingException(options), refused()],
    ['a connection', connection, inDoubt],
    ['a response that is not from DynamoDB', new ForeignResponse(), inDoubt],
    ['a failure', new InternalServerError(options), inDoubt],
    ['an attempt in progress', new TransactionInProgressException(options), inDoubt],
    ['no reasons', new TransactionCanceledException(options) as SdkError, inDoubt],
  ])('explainCancellation because of %s', (_, error, expected) => {
    expect(explainCancellation(error)).toEqual(expected);
  });

  const throttleFor = (reason: string) =>
    new ProvisionedThroughputExceededException({
      ...options,
      ThrottlingReasons: [{ reason, resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/one' }],
    });

  test.each([
    ['of a key range', throttleFor('TableReadKeyRangeThroughputExceeded'), true],
    ['of an account', throttleFor('TableReadAccountLimitExceeded'), false],
    ['without a reason', new ThrottlingException(options), false],
    ['of a transaction', cancelled('None', 'ThrottlingError'), true],
    ['that is a conflict', cancelled('None', 'TransactionConflict'), false],
  ])('isKeyThrottle for a throttle %s: %j', (_, error, expected) => {
    expect(isKeyThrottle(error)).toBe(expected);
  });
});
