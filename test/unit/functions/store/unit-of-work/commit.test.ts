import { randomBytes, randomUUID } from 'node:crypto';
import { decodeRecord, logPartition, recordPrefix } from '#functions/store/model/change-log.ts';
import { buildCreate, buildUpdate, type ChangeSet } from '#functions/store/model/changes.ts';
import { notExists } from '#functions/store/model/condition-expressions.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { ConditionFailed, StoreUnavailable, TransactionExpired } from '#functions/store/model/errors.ts';
import { decodeEntity } from '#functions/store/model/item-codec.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import { decodeReminder, minReminderMs, reminderKey } from '#functions/store/model/reminder.ts';
import type { Item, Write } from '#functions/store/model/writes.ts';
import { applyChangeSet, applyInBatches, commit } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const now = Date.parse('2026-02-03T04:05:06.789Z');

let store: TestStore;
let session: Session;
let clock: jest.SpyInstance<number>;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  session = store.session(randomUUID());
  clock = jest.spyOn(Date, 'now').mockReturnValue(now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const tag = (fields: object = {}): { readonly after: StoredEntity } =>
  buildCreate('tag', { name: 'x', status: 'active', ...fields }, Date.now());

const stored = async ({ kind, entity }: StoredEntity): Promise<StoredEntity | undefined> => {
  const item = await store.database().get(entityKey(session.tenant, kind, entity.id));
  return item && decodeEntity(item);
};

/** Returns the items of the log's records, the oldest first. */
async function recordItems(kind: Kind): Promise<Item[]> {
  const { items } = await store.database().query({
    KeyConditionExpression: 'pk = :partition AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: {
      ':partition': logPartition(session.tenant, kind),
      ':prefix': recordPrefix,
    },
  });
  return items;
}

/** Returns the numbers of writes of the transactions that a session sends. */
function transactions(): number[] {
  const sizes: number[] = [];
  const { database } = session;
  const transact = database.transact.bind(database);
  jest.spyOn(database, 'transact').mockImplementation(async (writes, limit) => {
    sizes.push(writes.length);
    await transact(writes, limit);
  });
  return sizes;
}

describe('applyChangeSet', () => {
  test('writes the entity and its record under one stamp', async () => {
    const change = tag();
    const sizes = transactions();
    await applyChangeSet(session, { changes: [change] });
    expect(sizes).toEqual([2]);
    expect(await stored(change.after)).toEqual({ ...change.after, stamp: now });
    const [item, ...others] = await recordItems('tag');
    expect(others).toEqual([]);
    expect(decodeRecord(item as Item)).toMatchObject({
      stamp: now,
      entries: [{ id: change.after.entity.id, version: 1, previousStamp: 0, after: { name: 'x' } }],
    });
    // 30 days later.
    expect(item?.['expiresAt']).toBe(1_772_683_506);
  });

  test('writes one record for each kind', async () => {
    const project = buildCreate('project', { name: 'x', status: 'active', organizationId: null }, Date.now());
    await applyChangeSet(session, { changes: [tag(), project, tag()] });
    const numbers = async (kind: Kind) =>
      (await recordItems(kind)).map((item) => decodeRecord(item).entries.length);
    expect([await numbers('tag'), await numbers('project'), await numbers('task')]).toEqual([[2], [1], []]);
  });

  test('gives all entities a stamp greater than the last one of each, also when the clock was ahead', async () => {
    const [first, second] = [tag(), tag()];
    clock.mockReturnValue(now + 5_000);
    await applyChangeSet(session, { changes: [first] });
    clock.mockReturnValue(now);
    await applyChangeSet(session, { changes: [second] });
    const read = (await Promise.all([stored(first.after), stored(second.after)])) as StoredEntity[];
    await applyChangeSet(session, {
      changes: read.map((before) => buildUpdate(before, { name: 'y' }, Date.now())),
    });
    expect((await stored(first.after))?.stamp).toBe(now + 5_001);
    expect((await stored(second.after))?.stamp).toBe(now + 5_001);
    const records = (await recordItems('tag')).map(decodeRecord);
    expect(records.map(({ stamp }) => stamp)).toEqual([now, now + 5_000, now + 5_001]);
    expect(records[2]?.entries.map(({ previousStamp }) => previousStamp)).toEqual([now + 5_000, now]);
  });

  test('records a deletion as a version of its own', async () => {
    const change = tag();
    await applyChangeSet(session, { changes: [change] });
    await applyChangeSet(session, { changes: [{ before: (await stored(change.after)) as StoredEntity }] });
    expect(await stored(change.after)).toBeUndefined();
    const [, last] = (await recordItems('tag')).map(decodeRecord);
    expect(last?.entries).toMatchObject([{ version: 2, previousStamp: now, after: undefined }]);
  });

  test('makes sure that the log has a reminder', async () => {
    await applyChangeSet(session, { changes: [tag()] });
    expect(await store.database().get({ pk: `${session.tenant}#reminder`, sk: 'tag' })).toMatchObject({
      keptUntil: now + minReminderMs,
    });
  });

  test('writes no record and requests no compaction for writes of other items', async () => {
    const put = { pk: `${session.tenant}#other`, sk: 'other' };
    const sizes = transactions();
    await applyChangeSet(session, {
      changes: [],
      writes: [{ put, condition: { expression: 'attribute_not_exists(pk)' } }],
    });
    expect([sizes, session.database.consumption.calls]).toEqual([[1], 1]);
  });

  test('makes no call without writes', async () => {
    await applyChangeSet(session, { changes: [] });
    expect(session.database.consumption.calls).toBe(0);
  });

  test('throws ConditionFailed and writes nothing, no record either, when the entity has another version', async () => {
    const change = tag();
    await applyChangeSet(session, { changes: [change] });
    const outdated = buildUpdate({ ...change.after, version: 7, stamp: now }, { name: 'y' }, Date.now());
    await expect(applyChangeSet(session, { changes: [outdated] })).rejects.toThrow(ConditionFailed);
    expect((await stored(change.after))?.entity.name).toBe('x');
    expect(await recordItems('tag')).toHaveLength(1);
  });
});

describe('a transaction that expires', () => {
  /** Lets a session's first transactions expire without being sent. Returns the limits and the writes of all. */
  function expireFirst(count: number) {
    const sent: { sendUntil: number | undefined; writes: readonly Write[] }[] = [];
    const { database } = session;
    const transact = database.transact.bind(database);
    jest.spyOn(database, 'transact').mockImplementation(async (writes, sendUntil) => {
      sent.push({ sendUntil, writes });
      clock.mockReturnValue(now + 10 * sent.length);
      if (sent.length <= count) throw new TransactionExpired(false, undefined);
      await transact(writes, sendUntil);
    });
    return sent;
  }

  test('is sent for three seconds after its stamp, and then built again with the same changes', async () => {
    const change = tag();
    const sent = expireFirst(2);
    await applyChangeSet(session, { changes: [change] });
    expect(sent.map(({ sendUntil }) => sendUntil)).toEqual([now + 3_000, now + 3_010, now + 3_020]);
    expect(await stored(change.after)).toEqual({ ...change.after, stamp: now + 20 });
    expect((await recordItems('tag')).map((item) => decodeRecord(item).stamp)).toEqual([now + 20]);
    const keys = sent.map(({ writes }) => writes.flatMap((write) => ('put' in write ? [write.put.sk] : [])));
    expect(new Set(keys.map(([, record]) => record)).size).toBe(3);
  });

  test('has changes of entities: one without them is sent for as long as the request has time', async () => {
    const sent = expireFirst(0);
    const write: Write = { put: { pk: `${session.tenant}#other`, sk: 'other' }, condition: notExists };
    await applyChangeSet(session, { changes: [], writes: [write] });
    expect(sent).toEqual([{ sendUntil: undefined, writes: [write] }]);
  });
});

describe('a writer that notices after its transaction that it was late', () => {
  const lateKeys = async (): Promise<readonly string[] | undefined> => {
    const item = await store.database().get(reminderKey({ tenant: session.tenant, kind: 'tag' }));
    return item && decodeReminder(item).late;
  };

  /** Applies a change whose transaction takes some time. */
  async function applyFor(milliseconds: number): Promise<void> {
    const { database } = session;
    const transact = database.transact.bind(database);
    jest.spyOn(database, 'transact').mockImplementation(async (writes, sendUntil) => {
      await transact(writes, sendUntil);
      clock.mockReturnValue(now + milliseconds);
    });
    await applyChangeSet(session, { changes: [tag()] });
  }

  test('notes its record in the reminder of the log', async () => {
    await applyFor(4_001);
    expect(await lateKeys()).toEqual((await recordItems('tag')).map(({ sk }) => sk));
  });

  test('reports nothing within the time that the margin allows', async () => {
    await applyFor(4_000);
    expect(await lateKeys()).toEqual([]);
  });

  test('succeeds when it cannot report it: the stream of the table does', async () => {
    jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
    await applyFor(0);
    session = store.session(session.tenant);
    jest.spyOn(session.database, 'get').mockRejectedValue(new Error('unavailable'));
    await applyFor(4_001);
    expect(await recordItems('tag')).toHaveLength(2);
  });
});

describe('applyInBatches', () => {
  const changeSets = (number: number, size: number, fields?: () => object): ChangeSet[] =>
    Array.from({ length: number }, () => ({
      changes: Array.from({ length: size }, () => tag(fields?.())),
    }));

  test('applies as many change sets in one transaction as asked for', async () => {
    const sizes = transactions();
    const all = changeSets(10, 1);
    await applyInBatches(session, all, 4);
    // The entities and a record.
    expect(sizes).toEqual([5, 5, 3]);
    const found = await Promise.all(
      all.flatMap(({ changes }) => changes.map(({ after }) => stored(after as StoredEntity))),
    );
    expect(found.every((one) => one?.version === 1)).toBe(true);
  });

  test('halves a batch that exceeds the writes of one transaction', async () => {
    const sizes = transactions();
    await applyInBatches(session, changeSets(4, 30), 4);
    expect(sizes).toEqual([61, 61]);
  });

  test('halves a batch whose record exceeds an item', async () => {
    const sizes = transactions();
    // Random, so that the record cannot be compressed: about 100 kB each.
    const long = () => ({ note: randomBytes(75_000).toString('base64') });
    await applyInBatches(session, changeSets(9, 1, long), 9);
    expect(sizes).toEqual([6, 5]);
  });

  test('sends a single change set as it is', async () => {
    const sizes = transactions();
    await applyInBatches(session, changeSets(1, 99), 4);
    expect(sizes).toEqual([100]);
  });
});

describe('commit', () => {
  test('returns the result of the unit of work that it applied', async () => {
    const change = tag();
    expect(await commit(session, async () => ({ changes: [change], result: 'made' }))).toBe('made');
    expect((await stored(change.after))?.version).toBe(1);
  });

  test('plans again when an item changed between the read and the write', async () => {
    const change = tag();
    await applyChangeSet(session, { changes: [change] });
    const attempts: number[] = [];
    const result = await commit(session, async (attempt) => {
      attempts.push(attempt);
      const before = (await stored(change.after)) as StoredEntity;
      const another = store.session(session.tenant);
      if (attempt < 3)
        await applyChangeSet(another, { changes: [buildUpdate(before, { name: 'theirs' }, Date.now())] });
      return { changes: [buildUpdate(before, { status: 'done' }, Date.now())], result: before.version };
    });
    expect([attempts, result]).toEqual([[1, 2, 3], 3]);
    expect(await stored(change.after)).toMatchObject({
      version: 4,
      stamp: now + 3,
      entity: { name: 'theirs', status: 'done' },
    });
    expect(await recordItems('tag')).toHaveLength(4);
  });

  test('throws StoreUnavailable when the item changes until the time of the request is over', async () => {
    const hurried = { ...session, database: store.database(200) };
    const outdated = buildUpdate({ ...tag().after, version: 7 }, { name: 'y' }, Date.now());
    const call = commit(hurried, async () => ({ changes: [outdated], result: undefined }));
    await expect(call).rejects.toThrow(StoreUnavailable);
  });

  test('throws the errors of building the unit of work', async () => {
    const call = commit(session, () => Promise.reject(new TypeError('not possible')));
    await expect(call).rejects.toThrow(new TypeError('not possible'));
  });

  test('applies a change set of exactly 100 writes, its record included', async () => {
    const changes = Array.from({ length: 99 }, () => tag());
    const sizes = transactions();
    const orElse = { changes: changes.slice(0, 1) };
    await commit(session, async () => ({ changes, orElse, result: undefined }));
    expect(sizes).toEqual([100]);
  });

  test.each([
    ['writes', 100, () => ({})],
    // Random, so that the record cannot be compressed: more than 380 kB.
    ['bytes of a record', 60, () => ({ note: randomBytes(7_000).toString('base64') })],
  ])('applies the other change set when the %s exceed one transaction', async (_, number, fields) => {
    const changes = Array.from({ length: number }, () => tag(fields()));
    const sizes = transactions();
    const orElse = { changes: changes.slice(0, 1) };
    expect(await commit(session, async () => ({ changes, orElse, result: 'begun' }))).toBe('begun');
    expect(sizes).toEqual([2]);
    expect(await recordItems('tag')).toHaveLength(1);
  });

  test('applies a request under an idempotency key once', async () => {
    const idempotency = { scope: 'scope', fingerprint: 'fingerprint' };
    const create = async (one: Session): Promise<unknown> => {
      const change = tag();
      return commit(one, async () => ({ changes: [change], result: change.after.entity.id }));
    };
    const first = await create({ ...session, idempotency });
    const again = { ...store.session(session.tenant), idempotency } as Session;
    expect(await create(again)).toBe(first);
    expect(again.replayed).toBe(true);
    expect(await recordItems('tag')).toHaveLength(1);
  });
});
