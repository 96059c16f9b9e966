import { randomUUID } from 'node:crypto';
import { decodeRecord, recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { notExists } from '#functions/store/model/condition-expressions.ts';
import { ConditionFailed, TransactionExpired } from '#functions/store/model/errors.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { applyOnce, withdraw } from '#functions/store/unit-of-work/apply-once.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const refused = new TransactionExpired(false, undefined);
const inDoubt = new TransactionExpired(true, undefined);
const conflict = new ConditionFailed([0], undefined);

/**
 * Applies a change set whose transactions are numbers.
 * @param outcomes the error of each transaction; the one after them is applied.
 * @param applied transactions in doubt that were applied.
 */
async function run(outcomes: readonly Error[], applied: readonly number[] = []) {
  const calls: string[] = [];
  const call = applyOnce(1, {
    send: async (number) => {
      calls.push(`send ${number}`);
      const error = outcomes[number - 1];
      if (error) throw error;
    },
    withdraw: async (number) => {
      calls.push(`withdraw ${number}`);
      return !applied.includes(number);
    },
    rebuild: async (number) => number + 1,
  });
  const error = await call.catch((thrown: unknown) => thrown);
  return { calls, error };
}

describe('applyOnce', () => {
  test('sends one transaction when it is applied', async () => {
    expect(await run([])).toEqual({ calls: ['send 1'], error: undefined });
  });

  test('sends the next one at once when the expired one was refused', async () => {
    expect(await run([refused, refused])).toEqual({
      calls: ['send 1', 'send 2', 'send 3'],
      error: undefined,
    });
  });

  test('withdraws each one that is in doubt before it sends the next one', async () => {
    const calls = ['send 1', 'withdraw 1', 'send 2', 'withdraw 2', 'send 3'];
    expect(await run([inDoubt, inDoubt])).toEqual({ calls, error: undefined });
  });

  test('ends when one in doubt was applied', async () => {
    const calls = ['send 1', 'withdraw 1', 'send 2', 'withdraw 2'];
    expect(await run([inDoubt, inDoubt, inDoubt], [2])).toEqual({ calls, error: undefined });
  });

  test('throws any other error', async () => {
    const calls = ['send 1', 'withdraw 1', 'send 2'];
    expect(await run([inDoubt, conflict])).toEqual({ calls, error: conflict });
  });
});

describe('withdraw', () => {
  let store: TestStore;
  let session: Session;
  let record: Item;

  beforeAll(async () => {
    store = await startTestStore();
  });

  afterAll(() => store.stop());

  beforeEach(() => {
    session = store.session(randomUUID());
    const changes = [buildCreate('tag', { name: 'x', status: 'active' }, Date.now())];
    record = recordWrites(session.tenant, changes, 1_770_000_000_000)[0]?.put as Item;
  });

  test('puts an empty record, so that the transaction fails', async () => {
    expect(await withdraw(session, record)).toBe(true);
    expect(
      decodeRecord((await session.database.get({ pk: record.pk, sk: record.sk })) as Item).entries,
    ).toEqual([]);
    const call = session.database.transact([{ put: record, condition: notExists }]);
    await expect(call).rejects.toThrow(ConditionFailed);
  });

  test('returns true again for a transaction that is withdrawn', async () => {
    await withdraw(session, record);
    expect(await withdraw(session, record)).toBe(true);
  });

  test('returns false and keeps the record of a transaction that was applied', async () => {
    await session.database.transact([{ put: record, condition: notExists }]);
    expect(await withdraw(session, record)).toBe(false);
    expect(
      decodeRecord((await session.database.get({ pk: record.pk, sk: record.sk })) as Item).entries,
    ).toHaveLength(1);
  });
});
