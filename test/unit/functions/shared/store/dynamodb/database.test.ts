import { ThrottlingException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Database } from '../../../../../../functions/shared/store/dynamodb/database.ts';
import { Deadline } from '../../../../../../functions/shared/store/dynamodb/deadline.ts';
import {
  hasVersion,
  notExists,
} from '../../../../../../functions/shared/store/model/condition-expressions.ts';
import { ConditionFailed, StoreUnavailable } from '../../../../../../functions/shared/store/model/errors.ts';
import { startTestStore, type TestStore } from '../../../../../support/local-store.ts';

const item = { pk: 'acme#task#1', sk: 'entity', version: 1, name: 'Build' };
const key = { pk: 'acme#task#1', sk: 'entity' };

describe('on an engine', () => {
  let store: TestStore;

  beforeAll(async () => {
    store = await startTestStore();
  });

  afterAll(() => store.stop());

  beforeEach(() => store.database().deleteItem(key));

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
    // No wait between two attempts.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Makes a transaction of which every attempt is throttled after some time. Returns the error and the attempts. */
  async function transactThrottled(requestMs: number, attemptMs: number) {
    let attempts = 0;
    const send = async (): Promise<never> => {
      attempts += 1;
      nowMs += attemptMs;
      throw new ThrottlingException({ message: 'throttled', $metadata: {} });
    };
    const database = new Database(
      { send } as unknown as DynamoDBDocumentClient,
      'table',
      new Deadline(requestMs),
    );
    const call = database.transact([{ put: item, condition: notExists }]);
    const error = await call.catch((thrown: unknown) => thrown);
    return { error, attempts, remainingMs: database.deadline.remaining() };
  }

  test('makes no attempt more than 20 seconds after the stamp, although the request has more time', async () => {
    const { error, attempts, remainingMs } = await transactThrottled(30_000, 6_000);
    expect(error).toBeInstanceOf(StoreUnavailable);
    // The fourth attempt begins after 18 seconds.
    expect([attempts, remainingMs]).toEqual([4, 6_000]);
  });

  test('makes no attempt when the time of the request is over', async () => {
    const { error, attempts } = await transactThrottled(10_000, 6_000);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(attempts).toBe(2);
  });
});
