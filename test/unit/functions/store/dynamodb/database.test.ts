import { ThrottlingException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { noLimits } from '#functions/store/dynamodb/calls.ts';
import { connect } from '#functions/store/dynamodb/client.ts';
import { CorrectedClock } from '#functions/store/dynamodb/clock.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
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

const item = { pk: 'acme#task#1', sk: 'entity', version: 1, name: 'Build' };
const key = { pk: 'acme#task#1', sk: 'entity' };

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
