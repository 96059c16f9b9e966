import { randomBytes, randomUUID } from 'node:crypto';
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import { decodeRecord, logPartition, recordPrefix, recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate, buildUpdate, type Change, type ChangeSet } from '#functions/store/model/changes.ts';
import { notExists } from '#functions/store/model/condition-expressions.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import {
  ConditionFailed,
  StoreUnavailable,
  TooManyJobs,
  TransactionExpired,
} from '#functions/store/model/errors.ts';
import { newId } from '#functions/store/model/ids.ts';
import { decodeEntity } from '#functions/store/model/item-codec.ts';
import { beginJob } from '#functions/store/model/job.ts';
import { entityKey, textKey } from '#functions/store/model/keys.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import {
  decodeReminder,
  encodeReminder,
  minReminderMs,
  type Reminder,
  reminderKey,
} from '#functions/store/model/reminder.ts';
import type { Item, Write } from '#functions/store/model/writes.ts';
import { applyOnce, withdraw } from '#functions/store/unit-of-work/apply-once.ts';
import { applyChangeSet, applyInBatches, commit } from '#functions/store/unit-of-work/commit.ts';
import { recordResult } from '#functions/store/unit-of-work/idempotency.ts';
import { maxJobs, requireJobCapacity } from '#functions/store/unit-of-work/job-limit.ts';
import { remindBy, requireReminders } from '#functions/store/unit-of-work/reminders.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { findEntity, readTexts } from '#functions/store/unit-of-work/whole-entities.ts';
import { deleteTag } from '#functions/tags/contract.ts';
import { invoke, problemOf, useEmptyTable } from '#test/support/invoke.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const now = Date.parse('2026-02-03T04:05:06.789Z');

describe('apply-once', () => {
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
});

describe('commit', () => {
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
      const project = buildCreate(
        'project',
        { name: 'x', status: 'active', organizationId: null },
        Date.now(),
      );
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
      const keys = sent.map(({ writes }) =>
        writes.flatMap((write) => ('put' in write ? [write.put.sk] : [])),
      );
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
});

describe('idempotency', () => {
  const session = (idempotency?: Session['idempotency']): Session =>
    ({ tenant: 'acme', idempotency }) as Session;

  const nowMs = Date.parse('2026-02-03T04:05:06.789Z');

  test('records nothing for a request without an idempotency key', () => {
    expect(recordResult(session(), { id: '1' }, new Set(), nowMs)).toEqual([]);
  });

  test('records the result for a day, where there is none or an expired one', () => {
    expect(
      recordResult(session({ scope: 'scope', fingerprint: 'fingerprint' }), { id: '1' }, new Set(), nowMs),
    ).toEqual([
      {
        put: {
          pk: 'acme#idempotency#scope',
          sk: 'idempotency',
          fingerprint: 'fingerprint',
          parts: 1,
          result: deflateRawSync('{"id":"1"}', { level: constants.Z_BEST_SPEED }),
          expiresAt: 1_770_177_906,
        },
        condition: {
          expression: 'attribute_not_exists(pk) OR expiresAt <= :now',
          values: { ':now': 1_770_091_506 },
        },
      },
    ]);
  });

  test('records a result that exceeds one item in several, of which the first has the condition', () => {
    // Text that hardly becomes smaller.
    const result = randomBytes(600_000).toString('base64');
    const writes = recordResult(
      session({ scope: 'scope', fingerprint: 'fingerprint' }),
      result,
      new Set(),
      nowMs,
    );
    const items = writes.map((write) => ('put' in write ? write.put : undefined));
    expect(items.map((item) => [item?.sk, item?.['parts'], item?.['expiresAt']])).toEqual([
      ['idempotency', 2, 1_770_177_906],
      ['idempotency#1', undefined, 1_770_177_906],
    ]);
    expect(writes.map(({ condition }) => condition !== undefined)).toEqual([true, false]);
    const parts = items.map((item) => item?.['result'] as Uint8Array);
    expect(parts.map(({ length }) => length)).toEqual([350_000, expect.any(Number)]);
    expect(JSON.parse(inflateRawSync(Buffer.concat(parts)).toString()) === result).toBe(true);
  });
});

describe('job-limit', () => {
  const table = useEmptyTable();
  let store: TestStore;
  let session: Session;

  beforeEach(() => {
    store = table.store();
    // The tenant of a token begins with it.
    session = store.session(`@${randomUUID()}`);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const dueLater = '3000-01-01T00:00:00.000Z';

  const newJob = (tenant: string): Write =>
    beginJob(
      { tenant },
      { type: 'archive', id: randomUUID(), asOf: 0, after: '' },
      { id: randomUUID(), dueAt: dueLater },
    );

  async function beginJobs(tenant: string, number: number): Promise<void> {
    for (let begun = 0; begun < number; begun += 100) {
      const writes = Array.from({ length: Math.min(100, number - begun) }, () => newJob(tenant));
      await store.database().transact(writes);
    }
  }

  const begins = (number: number): Promise<void> =>
    requireJobCapacity(
      session,
      Array.from({ length: number }, () => newJob(session.tenant)),
    );

  test('a request that begins no job counts none', async () => {
    await requireJobCapacity(session, [{ put: { pk: 'a', sk: 'entity', version: 1 } }]);
    await requireJobCapacity(session);
    expect(session.database.consumption.calls).toBe(0);
  });

  test('a tenant begins jobs up to the limit, whatever others have', async () => {
    await beginJobs(session.tenant, maxJobs - 10);
    await beginJobs(`${session.tenant}0`, 100);
    await begins(10);
    await expect(begins(11)).rejects.toThrow(
      'About 1000 deletions, archives and clones of this tenant are not finished yet, the maximum.',
    );
  });

  test('a process counts the jobs of a tenant once in five seconds, with those that it begins', async () => {
    const nowMs = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(nowMs);
    await begins(1);
    await begins(300);
    expect(session.database.consumption.calls).toBe(1);
    await begins(300);
    expect(session.database.consumption.calls).toBe(1);
    // Near the limit, it counts them each time: none of these jobs was written.
    await begins(1);
    expect(session.database.consumption.calls).toBe(2);
    jest.spyOn(Date, 'now').mockReturnValue(nowMs + 5_000);
    await begins(1);
    expect(session.database.consumption.calls).toBe(3);
  });

  test('a deletion beyond the limit changes nothing and is 429, and jobs begin further ones', async () => {
    const { entity } = await createEntity(session, 'tag', { name: 'x', status: 'active' });
    await beginJobs(session.tenant, maxJobs);
    await expect(deleteEntity(session, 'tag', entity.id)).rejects.toBeInstanceOf(TooManyJobs);
    const response = await invoke(deleteTag, { tenant: session.tenant.slice(1), id: entity.id });
    expect(response).toMatchObject({ statusCode: 429, headers: { 'retry-after': '10' } });
    expect(problemOf(response)).toMatchObject({
      type: '/docs/problems#too-many-requests',
      detail: expect.stringMatching(
        /^About 1000 deletions, .* Send the request again after the seconds in Retry-After\.$/,
      ),
    });
    await applyChangeSet(session, { changes: [], writes: [newJob(session.tenant)] });
    expect(
      await session.database.get({ pk: `${session.tenant}#tag#${entity.id}`, sk: 'entity' }),
    ).toBeDefined();
  });
});

describe('reminders', () => {
  const hourMs = 3_600_000;

  let store: TestStore;
  let session: Session;

  beforeAll(async () => {
    store = await startTestStore();
  });

  afterAll(() => store.stop());

  beforeEach(() => {
    session = store.session(randomUUID());
    setTime(now);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  function setTime(nowMs: number): void {
    jest.spyOn(Date, 'now').mockReturnValue(nowMs);
  }

  const creation = (kind: Kind): Change => buildCreate(kind, { name: 'x', status: 'active' }, Date.now());

  async function reminderOf(kind: Kind): Promise<Reminder | undefined> {
    const item = await store.database().get(reminderKey({ tenant: session.tenant, kind }));
    return item && decodeReminder(item);
  }

  const reminder = (requestedAt: number, dueAt = now + hourMs, comparedAt = requestedAt): Reminder => ({
    tenant: session.tenant,
    kind: 'tag',
    keptUntil: requestedAt + minReminderMs,
    dueAt,
    late: [],
    compared: { upTo: comparedAt - hourMs, at: comparedAt },
  });

  const write = (one: Reminder): Promise<void> => store.database().putItem(encodeReminder(one));

  /** Runs something once, between the first time that a reminder is read and the response. */
  function afterFirstRead(run: () => Promise<void>): void {
    const { database } = session;
    const get = database.get.bind(database);
    jest.spyOn(database, 'get').mockImplementationOnce(async (key) => {
      const item = await get(key);
      await run();
      return item;
    });
  }

  describe('requireReminders', () => {
    test('writes a reminder that is due twelve hours later', async () => {
      await requireReminders(session, [creation('tag')]);
      expect(await reminderOf('tag')).toEqual(reminder(now, now + 12 * hourMs));
      expect(session.database.consumption).toMatchObject({ calls: 2, writeUnits: 2 });
    });

    test('writes one for each kind that changes, whatever the change is', async () => {
      const { after } = buildCreate('task', { name: 'x', status: 'active' }, Date.now());
      const changes = [creation('tag'), creation('tag'), { before: after }, { before: after, after }];
      await requireReminders(session, changes);
      const kinds = ['organization', 'project', 'user', 'task', 'tag'] as const;
      expect((await Promise.all(kinds.map(reminderOf))).map((one) => one?.kind)).toEqual([
        undefined,
        undefined,
        undefined,
        'task',
        'tag',
      ]);
      expect(session.database.consumption.calls).toBe(4);
    });

    test('makes no call for no change', async () => {
      await requireReminders(session, []);
      expect(session.database.consumption.calls).toBe(0);
    });

    test.each([
      ['a moment ago', now],
      ['almost eight hours ago', now - 8 * hourMs + 1],
      ['by a process whose clock is ahead', now + 60_000],
    ])('writes nothing when one was requested %s', async (_, requestedAt) => {
      await write(reminder(requestedAt));
      await requireReminders(session, [creation('tag')]);
      expect(await reminderOf('tag')).toEqual(reminder(requestedAt));
      expect(session.database.consumption).toMatchObject({ calls: 1, writeUnits: 0 });
    });

    test('a process reads it once in eight hours', async () => {
      await write(reminder(now - hourMs));
      await requireReminders(session, [creation('tag')]);
      const next = store.session(session.tenant);
      setTime(now + 7 * hourMs - 1);
      await requireReminders(next, [creation('tag')]);
      expect(next.database.consumption.calls).toBe(0);
      setTime(now + 7 * hourMs);
      await requireReminders(next, [creation('tag')]);
      expect(await reminderOf('tag')).toEqual(reminder(now + 7 * hourMs, now + hourMs, now - hourMs));
    });

    test('that of one table says nothing about that of another', async () => {
      await requireReminders(session, [creation('tag')]);
      const other = await startTestStore();
      const elsewhere = other.session(session.tenant);
      await requireReminders(elsewhere, [creation('tag')]);
      expect(elsewhere.database.consumption.calls).toBe(2);
      await other.stop();
    });

    test('renews a request of eight hours ago, and leaves the time at which it is due', async () => {
      await write(reminder(now - 8 * hourMs));
      await requireReminders(session, [creation('tag')]);
      expect(await reminderOf('tag')).toEqual(reminder(now, now + hourMs, now - 8 * hourMs));
    });

    test('brings one forward that waits for the comparison of a log that was not written any more', async () => {
      await write(reminder(now - 200 * hourMs, now + 500 * hourMs));
      await requireReminders(session, [creation('tag')]);
      expect(await reminderOf('tag')).toEqual(reminder(now, now + 12 * hourMs, now - 200 * hourMs));
    });

    test('brings one forward that a process with a wrong clock has written', async () => {
      await write(reminder(now + 1_000 * hourMs, now + 1_012 * hourMs));
      await requireReminders(session, [creation('tag')]);
      expect(await reminderOf('tag')).toEqual(reminder(now, now + 12 * hourMs));
    });

    test.each([
      ['a first request', undefined],
      ['a renewal', 9 * hourMs],
    ])('many at the same time all succeed, and write it once: %s', async (_, ageMs) => {
      const { tenant } = session;
      if (ageMs) await write(reminder(now - ageMs));
      const sessions = Array.from({ length: 20 }, () => store.session(tenant));
      await Promise.all(sessions.map((one) => requireReminders(one, [creation('tag')])));
      expect(await reminderOf('tag')).toMatchObject({ keptUntil: now + minReminderMs });
    });

    test('writes it again when the schedule deletes it meanwhile', async () => {
      await write(reminder(now - 10 * hourMs));
      afterFirstRead(() => store.database().deleteItem(reminderKey(reminder(0))));
      await requireReminders(session, [creation('tag')]);
      expect(await reminderOf('tag')).toEqual(reminder(now, now + 12 * hourMs));
    });

    test('keeps the time to which the schedule moves it meanwhile', async () => {
      await write(reminder(now - 8 * hourMs));
      afterFirstRead(() => write(reminder(now - 8 * hourMs, now + 12 * hourMs)));
      await requireReminders(session, [creation('tag')]);
      expect(await reminderOf('tag')).toEqual(reminder(now, now + 12 * hourMs, now - 8 * hourMs));
    });
  });

  describe('remindBy', () => {
    test('brings a reminder forward, without a request', async () => {
      await write(reminder(now - hourMs));
      await remindBy(session, 'tag', now + 10_000);
      expect(await reminderOf('tag')).toEqual(reminder(now - hourMs, now + 10_000));
    });

    test('writes nothing when it is due earlier', async () => {
      await write(reminder(now - hourMs, now + 9_999));
      await remindBy(session, 'tag', now + 10_000);
      expect(await reminderOf('tag')).toEqual(reminder(now - hourMs, now + 9_999));
      expect(session.database.consumption.writeUnits).toBe(0);
    });

    test('writes one where there is none', async () => {
      await remindBy(session, 'tag', now + 10_000);
      expect(await reminderOf('tag')).toEqual(reminder(now, now + 10_000));
    });
  });
});

describe('whole-entities', () => {
  let store: TestStore;
  let session: Session;

  beforeAll(async () => {
    store = await startTestStore();
  });

  beforeEach(() => {
    session = store.session('acme');
  });

  afterAll(() => store.stop());

  const textOf = (character: string): string => character.repeat(500);

  /** Creates a tag. @returns its id. */
  const make = async (description: string): Promise<string> =>
    (await createEntity(store.session('acme'), 'tag', { name: 'x', status: 'active', description })).entity
      .id;

  const change = (id: string, fields: object) =>
    updateEntity(store.session('acme'), { kind: 'tag', id }, { ...fields });

  /** Returns an entity as its item has it. */
  const readItem = async (id: string): Promise<StoredEntity> =>
    decodeEntity((await store.database().get(entityKey('acme', 'tag', id))) as Item);

  /** Returns the items of an entity: its text, if it is long, and itself. */
  const readItems = async (id: string): Promise<Item[]> => {
    const { pk } = entityKey('acme', 'tag', id);
    const { items } = await store.database().query({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    });
    return items;
  };

  describe('findEntity', () => {
    test.each([
      ['short', 'x'],
      ['long', textOf('x')],
    ])('reads an entity with a %s text in one call of one read unit', async (_, description) => {
      const id = await make(description);
      expect((await findEntity(session, 'tag', id))?.entity.description).toBe(description);
      expect(session.database.consumption).toMatchObject({ calls: 1, readUnits: 1 });
    });

    test('returns undefined when there is none', async () => {
      expect(await findEntity(session, 'tag', newId(Date.now()).id)).toBeUndefined();
    });

    test('reads again when the text changed between the reads of the two items', async () => {
      const id = await make(textOf('x'));
      const [before] = await readItems(id);
      await change(id, { description: textOf('y') });
      const [, after] = await readItems(id);
      const query = jest.spyOn(session.database, 'query');
      const items = [before, after] as Item[];
      query.mockResolvedValueOnce({ items, next: undefined });
      expect((await findEntity(session, 'tag', id))?.entity.description).toBe(textOf('y'));
      expect(query).toHaveBeenCalledTimes(2);
    });

    test('throws StoreUnavailable when the text is missing', async () => {
      const id = await make(textOf('x'));
      await store.database().deleteItem(textKey('acme', 'tag', id));
      await expect(findEntity(session, 'tag', id)).rejects.toThrow(StoreUnavailable);
    });
  });

  describe('readTexts', () => {
    test('reads the long texts of entities in one batch, in the order of the entities', async () => {
      const texts = [textOf('1'), 'short', textOf('2'), textOf('3')];
      const stored: StoredEntity[] = [];
      for (const text of texts) stored.push(await readItem(await make(text)));
      const whole = await readTexts(session, stored);
      expect(whole.map(({ entity }) => entity.description)).toEqual(texts);
      expect(session.database.consumption).toMatchObject({ calls: 1, readUnits: 1.5 });
    });

    test('makes no call when no text is long', async () => {
      const stored = await readItem(await make('short'));
      expect(await readTexts(session, [stored])).toEqual([stored]);
      expect(session.database.consumption.calls).toBe(0);
    });

    test('reads an entity again whose text has changed, become short or been deleted', async () => {
      const [changed, shortened, deleted] = [
        await make(textOf('1')),
        await make(textOf('2')),
        await make(textOf('3')),
      ];
      const stored = [await readItem(changed), await readItem(shortened), await readItem(deleted)];
      await change(changed, { description: textOf('4'), status: 'done' });
      await change(shortened, { description: 'short' });
      await store.database().deleteItem(textKey('acme', 'tag', deleted));
      await store.database().deleteItem(entityKey('acme', 'tag', deleted));
      const whole = await readTexts(session, stored);
      expect(whole.map(({ version, entity }) => [entity.id, version, entity.description])).toEqual([
        [changed, 2, textOf('4')],
        [shortened, 2, 'short'],
      ]);
      expect(session.database.consumption.calls).toBe(2);
    });

    test('reads consistently what a replica does not have yet', async () => {
      const id = await make(textOf('1'));
      jest.spyOn(session.database, 'getMany').mockResolvedValueOnce([]);
      const whole = await readTexts(session, [await readItem(id)]);
      expect(whole.map(({ entity }) => entity.description)).toEqual([textOf('1')]);
    });

    test('throws StoreUnavailable when a text is missing', async () => {
      const id = await make(textOf('1'));
      await store.database().deleteItem(textKey('acme', 'tag', id));
      await expect(readTexts(session, [await readItem(id)])).rejects.toThrow(StoreUnavailable);
    });
  });
});
