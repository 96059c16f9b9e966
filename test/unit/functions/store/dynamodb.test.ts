import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  InternalServerError,
  ItemCollectionSizeLimitExceededException,
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
  ResourceNotFoundException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
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
import { toTransactItem } from '#functions/store/dynamodb/transact-items.ts';
import { hasVersion, notExists } from '#functions/store/model/condition-expressions.ts';
import {
  ClockUncertain,
  ConditionFailed,
  StoreUnavailable,
  TransactionExpired,
} from '#functions/store/model/errors.ts';
import { maxClockErrorMs } from '#functions/store/model/log-timing.ts';
import { startEngineStore, type TestStore } from '#test/support/local-store.ts';
import { wallClock } from '#test/support/wall-clock.ts';

const key = { pk: 'acme#task#1', sk: 'entity' };

describe('client', () => {
  /** The SDK client with the configuration of the store, against faulty servers. */

  const get = { TableName: 't', Key: { pk: 'a', sk: 'b' } };

  let server: Server | undefined;

  beforeAll(() => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' });
  });

  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    server = undefined;
  });

  /** Starts a server and returns a client for it. */
  async function clientOf(listener: NonNullable<Parameters<typeof createServer>[1]>) {
    const listening = createServer(listener);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const { port } = listening.address() as AddressInfo;
    return connect({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1' });
  }

  // The SDK leaves a timer of some seconds behind. In the last test, it would keep the process alive.
  test('reports a refused connection', async () => {
    const client = connect({ endpoint: 'http://127.0.0.1:9', region: 'us-east-1' });
    await expect(client.getItem(get)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    client.destroy();
  });

  test('makes one attempt, signed with the credentials of the environment', async () => {
    const headers: (string | undefined)[] = [];
    const client = await clientOf((request, response) => {
      headers.push(request.headers.authorization);
      response.writeHead(500).end('{}');
    });
    await expect(client.getItem(get)).rejects.toMatchObject({ $fault: 'server' });
    expect(headers).toEqual([
      expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/us-east-1\/dynamodb\/aws4_request, /),
    ]);
    client.destroy();
  });

  test('names the operation and the endpoint when the response has no error of DynamoDB', async () => {
    const client = await clientOf((_, response) => response.writeHead(404).end('{}'));
    await expect(client.getItem(get)).rejects.toThrow(
      /^127\.0\.0\.1:\d+ responded with the status 404 to GetItem\. Does it have this operation\?$/,
    );
    client.destroy();
  });

  test('has a logger for which the SDK copies no request and no response', () => {
    const client = connect({ region: 'us-east-1' });
    expect(client.documents.config.logger).not.toHaveProperty('info');
    expect(client.documents.config.logger).not.toHaveProperty('error');
    client.destroy();
  });

  test('times out when the server does not respond', async () => {
    const client = await clientOf(() => {});
    await expect(client.getItem(get)).rejects.toMatchObject({ name: 'TimeoutError' });
    client.destroy();
  });

  test('fails when the server stops in the middle of a response', async () => {
    const client = await clientOf((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{');
    });
    await expect(client.getItem(get)).rejects.toBeInstanceOf(Error);
    client.destroy();
  });

  test('aborts a call when its signal is aborted', async () => {
    const controller = new AbortController();
    const client = await clientOf(() => controller.abort());
    await expect(client.getItem(get, controller.signal)).rejects.toMatchObject({
      name: 'AbortError',
    });
    client.destroy();
  });
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

  function jumpTo(milliseconds: number): void {
    errorMs = milliseconds;
  }

  function suspend(milliseconds: number): void {
    trueMs += milliseconds;
    suspendedMs += milliseconds;
  }

  function pause(milliseconds: number): void {
    trueMs += milliseconds;
  }

  /** Returns the error of the corrected time. */
  const errorLeft = (): number => (clock.now() as number) - trueMs;

  test('does not tell the time before the first response', () => {
    expect(clock.now()).toBeUndefined();
    call();
    expect(clock.now()).toBeDefined();
  });

  test('leaves a right clock as it is', () => {
    call();
    expect(errorLeft()).toBe(0);
  });

  test.each([3_000, -3_000, 3_600_000, -3_600_000, 40 * dayMs, -40 * dayMs])(
    'corrects a clock with an error of %i ms to within the bound, at once',
    (error) => {
      errorMs = error;
      call();
      expect(Math.abs(errorLeft())).toBeLessThanOrEqual(maxClockErrorMs);
    },
  );

  test('becomes more exact with each response', () => {
    errorMs = 3_600_000;
    for (let number = 0; number < 40; number += 1) {
      call();
      trueMs += 137;
    }
    expect(Math.abs(errorLeft())).toBeLessThanOrEqual(60);
  });

  test('learns from the second in which DynamoDB responds, not from a moment in it', () => {
    trueMs = Math.ceil(trueMs / 1_000) * 1_000 - 10;
    call();
    expect(Math.abs(errorLeft())).toBeLessThanOrEqual(maxClockErrorMs);
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

  test('tolerates responses that contradict each other by less', () => {
    call();
    clock.observe(clock.read(), Math.floor(trueMs / 1_000) * 1_000 + 1_000);
    expect(Math.abs(errorLeft())).toBeLessThanOrEqual(2 * maxClockErrorMs);
    expect(clock.isContradictory()).toBe(false);
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
      { numRuns: 500 },
    );
  });
});

describe('database', () => {
  const item = { pk: 'acme#task#1', sk: 'entity', version: 1, name: 'Build' };

  describe('on an engine', () => {
    let store: TestStore;

    beforeAll(async () => {
      store = await startEngineStore();
    });

    afterAll(() => store.stop());

    beforeEach(() => store.database().deleteItem(key));

    test('refuses further reads when they have cost more than they may', async () => {
      await store.database().putItem(item);
      const { deadline, tableName } = store.database();
      const database = new Database(connect({ endpoint: store.endpoint }), tableName, deadline, {
        ...noLimits,
        maxReadUnits: 2,
      });
      await database.get(key);
      await database.get(key);
      await expect(database.get(key)).rejects.toThrow('The request needs more than 2 read units.');
    });

    describe('time', () => {
      /** Opens a database of a new process. Returns also the methods of its requests. */
      function newProcess(refuses: readonly string[] = []) {
        const clock = new CorrectedClock();
        const client = connect({ endpoint: store.endpoint }, clock);
        const { requestHandler } = client.documents.config;
        const handle = requestHandler.handle.bind(requestHandler);
        const methods: string[] = [];
        jest.spyOn(requestHandler, 'handle').mockImplementation(async (request, options) => {
          const { method } = request as { method: string };
          methods.push(method);
          if (refuses.includes(method)) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
          return handle(request, options);
        });
        const open = (timeMs = 20_000) => new Database(client, store.tableName, new Deadline(timeMs));
        return { clock, methods, open };
      }

      const isRight = (time: number): boolean => Math.abs(time - Date.now()) <= maxClockErrorMs;

      test('needs one request without charge in a process that has no response yet', async () => {
        const { methods, open } = newProcess();
        const database = open();
        expect(isRight(await database.time())).toBe(true);
        expect(isRight(await database.time())).toBe(true);
        expect(methods).toEqual(['GET']);
        expect(database.consumption).toMatchObject({ calls: 0, readUnits: 0, writeUnits: 0 });
      });

      test.each([
        ['succeed', key],
        ['fail', { pk: '', sk: '' }],
      ])('needs no request in a process whose calls %s', async (_, read) => {
        const { methods, open } = newProcess();
        await open()
          .get(read)
          .catch(() => undefined);
        expect(isRight(await open().time())).toBe(true);
        expect(methods).toEqual(['POST']);
      });

      test('makes the smallest read where something refuses the request without charge', async () => {
        const { methods, open } = newProcess(['GET']);
        expect(isRight(await open().time())).toBe(true);
        expect(methods).toEqual(['GET', 'POST']);
      });

      test('throws ClockUncertain when no response arrives', async () => {
        const { open } = newProcess(['GET', 'POST']);
        await expect(open(100).time()).rejects.toThrow(ClockUncertain);
      });

      test('throws ClockUncertain while responses contradict each other, without a request', async () => {
        const { clock, methods, open } = newProcess();
        clock.observe(clock.read(), Date.now());
        clock.observe(clock.read(), Date.now() + 10_000);
        await expect(open().time()).rejects.toThrow(ClockUncertain);
        expect(methods).toEqual([]);
      });
    });

    describe('putItem', () => {
      test('replaces an item without a condition', async () => {
        await store.database().putItem(item);
        await store.database().putItem({ ...item, name: 'Test' });
        expect(await store.database().get(key)).toEqual({ ...item, name: 'Test' });
      });

      test('stores bytes as they are', async () => {
        await store.database().putItem({ ...key, bytes: Buffer.from([0, 1, 255]) });
        expect((await store.database().get(key))?.['bytes']).toEqual(new Uint8Array([0, 1, 255]));
      });

      test('puts an item whose condition holds', async () => {
        await store.database().putItem(item, notExists);
        await store.database().putItem({ ...item, version: 2 }, hasVersion(1));
        expect(await store.database().get(key)).toEqual({ ...item, version: 2 });
      });

      test.each([
        ['that the item does not exist', notExists],
        ['of another version', hasVersion(7)],
      ])(
        'throws ConditionFailed and changes nothing when the condition %s does not hold',
        async (_, condition) => {
          await store.database().putItem(item);
          const error = await store
            .database()
            .putItem({ ...item, name: 'Test' }, condition)
            .catch((thrown: unknown) => thrown);
          expect(error).toBeInstanceOf(ConditionFailed);
          expect(error).toMatchObject({ positions: [0], cause: { name: 'ConditionalCheckFailedException' } });
          expect(await store.database().get(key)).toEqual(item);
        },
      );

      test('throws the error of DynamoDB for an item that it refuses', async () => {
        const call = store.database().putItem({ pk: '', sk: 'entity' });
        await expect(call).rejects.toMatchObject({ name: 'ValidationException' });
      });

      test('counts the write units that it consumes', async () => {
        const database = store.database();
        await database.putItem({ ...key, bytes: Buffer.alloc(3_000) });
        expect(database.consumption).toMatchObject({ calls: 1, readUnits: 0, writeUnits: 3 });
      });
    });

    describe('deleteItem', () => {
      test('deletes an item', async () => {
        await store.database().putItem(item);
        await store.database().deleteItem(key);
        expect(await store.database().get(key)).toBeUndefined();
      });

      test('accepts an item that does not exist', async () => {
        await expect(store.database().deleteItem(key)).resolves.toBeUndefined();
      });
    });

    describe('getMany', () => {
      const keys = Array.from({ length: 250 }, (_, number) => ({ pk: `acme#tag#${number}`, sk: 'entity' }));

      beforeAll(() => Promise.all(keys.map((one) => store.database().putItem(one))));

      test('reads more items than fit into one call', async () => {
        const database = store.database();
        const found = await database.getMany(keys);
        expect(found.map(({ pk }) => pk).toSorted()).toEqual(keys.map(({ pk }) => pk).toSorted());
        expect(database.consumption).toMatchObject({ calls: 3, readUnits: 250 });
      });

      test('costs half as much when it is not consistent', async () => {
        const database = store.database();
        expect(await database.getMany(keys.slice(0, 20), false)).toHaveLength(20);
        expect(database.consumption).toMatchObject({ calls: 1, readUnits: 10 });
      });

      test('leaves out items that do not exist', async () => {
        expect(await store.database().getMany([key, { pk: 'acme#tag#7', sk: 'entity' }])).toEqual([
          { pk: 'acme#tag#7', sk: 'entity' },
        ]);
      });

      test('makes no call without a key', async () => {
        const database = store.database();
        expect(await database.getMany([])).toEqual([]);
        expect(database.consumption.calls).toBe(0);
      });
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

    /**
     * Makes a transaction of which every attempt fails after some time.
     * @param errors of the attempts; the last one is that of all others.
     * @returns the error of the transaction, and whether the signal of each attempt was aborted from the beginning.
     */
    async function transactFailing(
      { requestMs = 30_000, limitMs = undefined as number | undefined, attemptMs = 1_000, limits = noLimits },
      errors: readonly Error[] = [throttling],
    ) {
      const attempts: boolean[] = [];
      const transactWriteItems = async (_: unknown, abortSignal?: AbortSignal): Promise<never> => {
        attempts.push(abortSignal?.aborted ?? false);
        nowMs += attemptMs;
        throw errors[attempts.length - 1] ?? errors.at(-1);
      };
      const client = Object.assign(connect({}, wallClock), { transactWriteItems });
      const database = new Database(client, 'table', new Deadline(requestMs), limits);
      const sendUntil = limitMs === undefined ? undefined : Date.now() + limitMs;
      const call = database.transact([{ put: item, condition: notExists }], sendUntil);
      const error = await call.catch((thrown: unknown) => thrown);
      return { error, attempts, remainingMs: database.deadline.remaining() };
    }

    test.each([
      ['TransactionConflict', true],
      ['ThrottlingError', false],
    ])('says whether other requests changed the same items: %s', async (code, isContention) => {
      const cancelled = new TransactionCanceledException({
        $metadata: {},
        message: 'Transaction cancelled',
        CancellationReasons: [{ Code: code }],
      });
      const { error } = await transactFailing({ requestMs: 3_000 }, [cancelled]);
      expect(error).toMatchObject({ name: 'StoreUnavailable', isContention });
    });

    test.each([
      ['ThrottlingError', 'KeysThrottled', 3],
      ['TransactionConflict', 'StoreUnavailable', 30],
    ])('of a request gives up when its keys are throttled three times: %s', async (Code, name, expected) => {
      const cancelled = new TransactionCanceledException({
        $metadata: {},
        message: 'Transaction cancelled',
        CancellationReasons: [{ Code: 'None' }, { Code }],
      });
      const { error, attempts } = await transactFailing({ limits: { ...noLimits, maxKeyThrottles: 3 } }, [
        cancelled,
      ]);
      expect([(error as Error).name, attempts.length]).toEqual([name, expected]);
    });

    test('of a job goes on, because its pace slows down', async () => {
      const cancelled = new TransactionCanceledException({
        $metadata: {},
        message: 'Transaction cancelled',
        CancellationReasons: [{ Code: 'ThrottlingError' }],
      });
      const { error, attempts } = await transactFailing({}, [cancelled]);
      expect([(error as Error).name, attempts.length]).toEqual(['StoreUnavailable', 30]);
    });

    test('makes no attempt when the time of the transaction is over, although the request has more', async () => {
      const { error, attempts, remainingMs } = await transactFailing({ limitMs: 3_000 });
      expect(error).toBeInstanceOf(TransactionExpired);
      expect(error).toMatchObject({ isInDoubt: false, cause: throttling });
      expect([attempts, remainingMs]).toEqual([[false, false, false], 27_000]);
    });

    test.each([
      ['an attempt', [throttling, lostResponse, throttling]],
      ['the last attempt', [throttling, throttling, lostResponse]],
    ])('is in doubt when no response to %s arrives', async (_, errors) => {
      const { error } = await transactFailing({ limitMs: 3_000 }, errors);
      expect(error).toMatchObject({ name: 'TransactionExpired', isInDoubt: true });
    });

    test('sends nothing when the time of the transaction is over before the first attempt', async () => {
      const { error, attempts } = await transactFailing({ limitMs: -1 }, [lostResponse]);
      expect(error).toBeInstanceOf(TransactionExpired);
      expect(attempts).toEqual([]);
    });

    test.each([
      ['without a limit', undefined],
      ['whose limit is later', 10_001],
    ])('makes attempts at a transaction %s until the time of the request is over', async (_, limitMs) => {
      const { error, attempts } = await transactFailing({
        requestMs: 10_000,
        limitMs,
        attemptMs: 6_000,
      });
      expect(error).toBeInstanceOf(StoreUnavailable);
      expect(attempts).toHaveLength(2);
    });
  });
});

describe('error-classification', () => {
  const $metadata = {};
  const message = 'message';

  /** An error that the SDK has no class of. */
  const unmodeled = (name: string, $fault: 'client' | 'server' = 'client') =>
    new DynamoDBServiceException({ name, message, $fault, $metadata });

  /** The SDK's type allows `undefined` for the reasons, where `SdkError` has none at all. */
  const cancelled = (...codes: (string | undefined)[]) =>
    new TransactionCanceledException({
      message,
      $metadata,
      CancellationReasons: codes.map((code) => (code === undefined ? {} : { Code: code })),
    }) as SdkError;

  const withCode = (error: Error, code: unknown): SdkError => Object.assign(error, { code });

  const named = (name: string): Error => Object.assign(new Error(message), { name });

  function thrownBy(call: () => unknown): Error {
    try {
      call();
    } catch (error) {
      return error as Error;
    }
    throw new Error('The call did not throw.');
  }

  describe('isRetryable', () => {
    test.each([() => new URL('no address'), () => Buffer.from(5 as unknown as string)])(
      'returns false for an argument that Node.js refuses: %s',
      (call) => {
        expect(isRetryable(thrownBy(call))).toBe(false);
      },
    );

    test.each([
      new ProvisionedThroughputExceededException({ message, $metadata }),
      new RequestLimitExceeded({ message, $metadata }),
      new ThrottlingException({ message, $metadata }),
      new TransactionConflictException({ message, $metadata }),
      new TransactionInProgressException({ message, $metadata }),
      new InternalServerError({ message, $metadata }),
      unmodeled('InvalidSignatureException'),
      unmodeled('ServiceUnavailable', 'server'),
    ])('retries $name', (error) => {
      expect(isRetryable(error)).toBe(true);
    });

    test.each([
      new ConditionalCheckFailedException({ message, $metadata }),
      new IdempotentParameterMismatchException({ message, $metadata }),
      new ItemCollectionSizeLimitExceededException({ message, $metadata }),
      new ResourceNotFoundException({ message, $metadata }),
      unmodeled('AccessDeniedException'),
      unmodeled('ExpiredTokenException'),
      unmodeled('UnrecognizedClientException'),
      unmodeled('ValidationException'),
    ])('does not retry $name', (error) => {
      expect(isRetryable(error)).toBe(false);
    });

    test.each([
      [['TransactionConflict']],
      [['ThrottlingError']],
      [['ProvisionedThroughputExceeded']],
      [['ProvisionedThroughputExceededException']],
      [['None', 'TransactionConflict', undefined, 'ThrottlingError']],
      [['None']],
      [[]],
    ])('retries a transaction that was cancelled because of %j', (codes) => {
      expect(isRetryable(cancelled(...codes))).toBe(true);
    });

    test.each([
      [['ConditionalCheckFailed']],
      [['ValidationError']],
      [['ItemCollectionSizeLimitExceeded']],
      [['AccessDenied']],
      [['TransactionConflict', 'ConditionalCheckFailed']],
      [['ValidationError', 'None']],
    ])('does not retry a transaction that was cancelled because of %j', (codes) => {
      expect(isRetryable(cancelled(...codes))).toBe(false);
    });

    test.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'HPE_INVALID_CONSTANT'])(
      'retries an error of the connection with the code %s',
      (code) => {
        expect(isRetryable(withCode(new Error(message), code))).toBe(true);
      },
    );

    test.each(['TimeoutError', 'AbortError'])('retries a %s of the HTTP handler', (name) => {
      expect(isRetryable(named(name))).toBe(true);
    });

    test('does not take the code of an error of DynamoDB for one of the connection', () => {
      expect(isRetryable(withCode(unmodeled('ValidationException'), 'ECONNRESET'))).toBe(false);
    });

    test('does not retry an error with a numeric code', () => {
      expect(isRetryable(withCode(new Error(message), 20))).toBe(false);
    });

    test('retries a response that is not from DynamoDB', () => {
      expect(isRetryable(new ForeignResponse())).toBe(true);
      expect(isRetryable(thrownBy(() => JSON.parse('<html>')))).toBe(true);
    });

    test.each([
      ['a TypeError', new TypeError(message)],
      ['a RangeError', new RangeError(message)],
      ['an Error', new Error(message)],
      ['a ConditionFailed', new ConditionFailed([0], undefined)],
      ['a CredentialsProviderError', named('CredentialsProviderError')],
    ])('does not retry %s, which is not a response and not of the connection', (_, error) => {
      expect(isRetryable(error)).toBe(false);
    });
  });

  describe('explainCancellation', () => {
    const refused = (...failed: number[]) => ({ failed, isInDoubt: false });

    test('returns the positions of the writes whose conditions do not hold', () => {
      expect(explainCancellation(cancelled('ConditionalCheckFailed', 'None', 'None'))).toEqual(refused(0));
      const both = cancelled('ConditionalCheckFailed', 'ConditionalCheckFailed', undefined);
      expect(explainCancellation(both)).toEqual(refused(0, 1));
    });

    test('leaves out writes that another transaction or throttling has stopped', () => {
      const conflict = cancelled('TransactionConflict', 'ConditionalCheckFailed', 'None');
      expect(explainCancellation(conflict)).toEqual(refused(1));
      expect(explainCancellation(cancelled('None', 'None', 'ThrottlingError'))).toEqual(refused());
    });

    test.each([
      ['no response arrived', withCode(new Error(message), 'ECONNRESET')],
      ['the response is not from DynamoDB', new ForeignResponse()],
      ['DynamoDB failed', new InternalServerError({ message, $metadata })],
      ['an attempt is still in progress', new TransactionInProgressException({ message, $metadata })],
      ['a cancellation has no reasons', new TransactionCanceledException({ message, $metadata }) as SdkError],
    ])('says that the transaction may have been applied when %s', (_, error) => {
      expect(explainCancellation(error)).toEqual({ failed: [], isInDoubt: true });
    });

    test.each([
      ['throttles it', new ThrottlingException({ message, $metadata })],
      ['has not enough capacity', new ProvisionedThroughputExceededException({ message, $metadata })],
      ['refuses its signature', unmodeled('InvalidSignatureException')],
    ])('says that the transaction was not applied when DynamoDB %s', (_, error) => {
      expect(explainCancellation(error)).toEqual(refused());
    });
  });

  describe('isKeyThrottle', () => {
    test.each([
      ['TableReadKeyRangeThroughputExceeded', true],
      ['IndexWriteKeyRangeThroughputExceeded', true],
      ['TableWriteMaxOnDemandThroughputExceeded', false],
      ['TableReadAccountLimitExceeded', false],
    ])('of a call that is no transaction: %s is %s', (reason, expected) => {
      const ThrottlingReasons = [
        { reason, resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/one' },
      ];
      const throttlingReasons = ThrottlingReasons;
      const errors = [
        new ProvisionedThroughputExceededException({ message, $metadata, ThrottlingReasons }),
        new RequestLimitExceeded({ message, $metadata, ThrottlingReasons }),
        new ThrottlingException({ message, $metadata, throttlingReasons }),
      ];
      expect(errors.map(isKeyThrottle)).toEqual([expected, expected, expected]);
    });

    test('of a throttle without a reason is false: it can be that of the table or of the account', () => {
      expect(isKeyThrottle(new ThrottlingException({ message, $metadata }))).toBe(false);
    });

    test.each([
      [['None', 'ThrottlingError'], true],
      [['ProvisionedThroughputExceeded', 'TransactionConflict'], true],
      [['None', 'TransactionConflict'], false],
    ])('of a transaction that is cancelled for %j is %s', (codes, expected) => {
      expect(isKeyThrottle(cancelled(...codes))).toBe(expected);
    });
  });
});

describe('transact-items', () => {
  const isNew = { expression: 'attribute_not_exists(pk)' };
  const hasVersion3 = {
    expression: '#version = :version',
    names: { '#version': 'version' },
    values: { ':version': 3 },
  };

  describe('toTransactItem', () => {
    test('returns a Put under a condition without names and values', () => {
      expect(toTransactItem({ put: { ...key, name: 'Build' }, condition: isNew }, 'table')).toEqual({
        Put: {
          TableName: 'table',
          ConditionExpression: 'attribute_not_exists(pk)',
          Item: { pk: 'acme#task#1', sk: 'entity', name: 'Build' },
        },
      });
    });

    test('omits the names and values that a condition does not have: DynamoDB refuses empty ones', () => {
      const { Put } = toTransactItem({ put: key, condition: isNew }, 'table');
      expect(Object.keys(Put ?? {})).toEqual(['TableName', 'ConditionExpression', 'Item']);
    });

    test('returns a Put under a condition with names and values', () => {
      expect(toTransactItem({ put: key, condition: hasVersion3 }, 'table')).toEqual({
        Put: {
          TableName: 'table',
          ConditionExpression: '#version = :version',
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':version': 3 },
          Item: { pk: 'acme#task#1', sk: 'entity' },
        },
      });
    });

    test('returns a Put and a Delete without a condition', () => {
      expect(toTransactItem({ put: key }, 'table')).toEqual({ Put: { TableName: 'table', Item: key } });
      expect(toTransactItem({ remove: key }, 'table')).toEqual({
        Delete: { TableName: 'table', Key: key },
      });
    });

    test('returns a Delete', () => {
      expect(toTransactItem({ remove: key, condition: hasVersion3 }, 'table')).toEqual({
        Delete: {
          TableName: 'table',
          ConditionExpression: '#version = :version',
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':version': 3 },
          Key: { pk: 'acme#task#1', sk: 'entity' },
        },
      });
    });
  });
});
