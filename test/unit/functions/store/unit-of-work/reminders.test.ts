import { randomUUID } from 'node:crypto';
import { buildCreate, type Change } from '#functions/store/model/changes.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import {
  decodeReminder,
  encodeReminder,
  minReminderMs,
  type Reminder,
  reminderKey,
} from '#functions/store/model/reminder.ts';
import { remindBy, requireReminders } from '#functions/store/unit-of-work/reminders.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const now = Date.parse('2026-02-03T04:05:06.789Z');
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
