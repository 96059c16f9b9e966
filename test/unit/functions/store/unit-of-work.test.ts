import { randomBytes, randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import { decodeRecord, logPartition, recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate, type Change } from '#functions/store/model/changes.ts';
import { notExists } from '#functions/store/model/condition-expressions.ts';
import { ConditionFailed, TooManyJobs, TransactionExpired } from '#functions/store/model/errors.ts';
import { beginJob } from '#functions/store/model/job.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import {
  decodeReminder,
  encodeReminder,
  minReminderMs,
  type Reminder,
  reminderKey,
} from '#functions/store/model/reminder.ts';
import type { Item, Write } from '#functions/store/model/writes.ts';
import { withdraw } from '#functions/store/unit-of-work/apply-once.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { recordResult } from '#functions/store/unit-of-work/idempotency.ts';
import { maxJobs, requireJobCapacity } from '#functions/store/unit-of-work/job-limit.ts';
import { requireReminders } from '#functions/store/unit-of-work/reminders.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { findEntity } from '#functions/store/unit-of-work/whole-entities.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const now = Date.parse('2026-02-03T04:05:06.789Z');
const hourMs = 3_600_000;

let store: TestStore;
let session: Session;
let clock: jest.SpyInstance<number>;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  // The tenant of a token begins with it.
  session = store.session(`@${randomUUID()}`);
  clock = jest.spyOn(Date, 'now').mockReturnValue(now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const newTag = (): Change => buildCreate('tag', { name: 'x', status: 'active' }, now);

/** Returns the items of a partition. */
async function itemsOf(partition: string): Promise<Item[]> {
  const { items } = await store.database().query({
    KeyConditionExpression: 'pk = :partition',
    ExpressionAttributeValues: { ':partition': partition },
  });
  return items;
}

const recordItems = () => itemsOf(logPartition(session.tenant, 'tag'));

async function reminderOfTags(): Promise<Reminder | undefined> {
  const item = await store.database().get(reminderKey({ tenant: session.tenant, kind: 'tag' }));
  return item && decodeReminder(item);
}

test.each([true, false])(
  'apply-once withdraws a transaction once and for all, unless it was applied: %j',
  async (isWithdrawn) => {
    const record = recordWrites(session.tenant, [newTag()], now)[0]?.put as Item;
    const transact = () => session.database.transact([{ put: record, condition: notExists }]);
    if (!isWithdrawn) await transact();
    for (let times = 0; times < 2; times += 1) expect(await withdraw(session, record)).toBe(isWithdrawn);
    await expect(transact()).rejects.toThrow(ConditionFailed);
    const [stored] = await recordItems();
    expect(decodeRecord(stored as Item).entries).toHaveLength(isWithdrawn ? 0 : 1);
  },
);

describe('commit', () => {
  test('a transaction that expires is sent for three seconds after its stamp, and then built again with the same changes', async () => {
    const sent: { sendUntil: number | undefined; writes: readonly Write[] }[] = [];
    const { database } = session;
    const transact = database.transact.bind(database);
    jest.spyOn(database, 'transact').mockImplementation(async (writes, sendUntil) => {
      sent.push({ sendUntil, writes });
      clock.mockReturnValue(now + 10 * sent.length);
      if (sent.length <= 2) throw new TransactionExpired(false, undefined);
      await transact(writes, sendUntil);
    });
    await applyChangeSet(session, { changes: [newTag()] });
    expect(sent.map(({ sendUntil }) => sendUntil)).toEqual([now + 3_000, now + 3_010, now + 3_020]);
    expect((await recordItems()).map((item) => decodeRecord(item).stamp)).toEqual([now + 20]);
    const records = sent.map(({ writes }) => (writes[1] as { put: Item }).put.sk);
    expect(new Set(records).size).toBe(3);
  });

  test('a writer that notices after its transaction that it was late notes its record in the reminder of the log', async () => {
    const { database } = session;
    const transact = database.transact.bind(database);
    jest.spyOn(database, 'transact').mockImplementation(async (writes, sendUntil) => {
      await transact(writes, sendUntil);
      clock.mockReturnValue(now + 4_001);
    });
    await applyChangeSet(session, { changes: [newTag()] });
    expect((await reminderOfTags())?.late).toEqual((await recordItems()).map(({ sk }) => sk));
  });
});

test('idempotency: a result that exceeds one item in several is recorded, of which the first has the condition', () => {
  // Text that hardly becomes smaller.
  const result = randomBytes(600_000).toString('base64');
  const idempotency = { scope: 'scope', fingerprint: 'fingerprint' };
  const writes = recordResult({ tenant: 'acme', idempotency } as Session, result, new Set(), now);
  const items = writes.map((write) => (write as { put: Item }).put);
  expect(items.map(({ sk, expiresAt }) => [sk, expiresAt])).toEqual([
    ['idempotency', 1_770_177_906],
    ['idempotency#1', 1_770_177_906],
  ]);
  expect(items[0]).toMatchObject({ parts: 2 });
  expect(writes.map(({ condition }) => condition !== undefined)).toEqual([true, false]);
  const parts = items.map((item) => item['result'] as Uint8Array);
  expect(parts[0]).toHaveLength(350_000);
  expect(JSON.parse(inflateRawSync(Buffer.concat(parts)).toString()) === result).toBe(true);
});

describe('job-limit', () => {
  const jobs = (tenant: string, count: number): Write[] =>
    Array.from({ length: count }, () =>
      beginJob(
        { tenant },
        { type: 'archive', id: randomUUID(), asOf: 0, after: '' },
        { id: randomUUID(), dueAt: '3000-01-01T00:00:00.000Z' },
      ),
    );

  async function begin(tenant: string, count: number): Promise<void> {
    for (let left = count; left > 0; left -= 100)
      await store.database().transact(jobs(tenant, Math.min(100, left)));
  }

  test('a tenant begins jobs up to the limit, whatever others have, and jobs begin further ones', async () => {
    const { entity } = await createEntity(session, 'tag', { name: 'x', status: 'active' });
    await begin(session.tenant, maxJobs - 10);
    await begin(`${session.tenant}0`, 100);
    await requireJobCapacity(session, jobs(session.tenant, 10));
    await expect(requireJobCapacity(session, jobs(session.tenant, 11))).rejects.toThrow(TooManyJobs);
    await begin(session.tenant, 10);
    await expect(deleteEntity(session, 'tag', entity.id)).rejects.toThrow(TooManyJobs);
    expect(await session.database.get(entityKey(session.tenant, 'tag', entity.id))).toBeDefined();
    await applyChangeSet(session, { changes: [], writes: jobs(session.tenant, 1) });
  });
});

describe('reminders', () => {
  const reminder = (requestedAt: number, dueAt: number, comparedAt = requestedAt): Reminder => ({
    tenant: session.tenant,
    kind: 'tag',
    keptUntil: requestedAt + minReminderMs,
    dueAt,
    late: [],
    compared: { upTo: comparedAt - hourMs, at: comparedAt },
  });

  test.each([
    ['waits for the comparison of a log that was not written any more', -200, 500, -200],
    ['a process with a wrong clock has written', 1_000, 1_012, 0],
  ])('requireReminders brings one forward that %s', async (_, requested, due, compared) => {
    const before = reminder(now + requested * hourMs, now + due * hourMs);
    await store.database().putItem(encodeReminder(before));
    await requireReminders(session, [newTag()]);
    expect(await reminderOfTags()).toEqual(reminder(now, now + 12 * hourMs, now + compared * hourMs));
  });
});

test('whole-entities findEntity reads again when the text changed between the reads of the two items', async () => {
  const [first, second] = ['x'.repeat(500), 'y'.repeat(500)];
  const fields = { name: 'x', status: 'active', description: first };
  const { id } = (await createEntity(session, 'tag', fields)).entity;
  const { pk } = entityKey(session.tenant, 'tag', id);
  const [before] = await itemsOf(pk);
  await updateEntity(store.session(session.tenant), { kind: 'tag', id }, { description: second });
  const [, after] = await itemsOf(pk);
  const reader = store.session(session.tenant);
  const items = [before, after] as Item[];
  jest.spyOn(reader.database, 'query').mockResolvedValueOnce({ items, next: undefined });
  expect((await findEntity(reader, 'tag', id))?.entity.description).toBe(second);
});
