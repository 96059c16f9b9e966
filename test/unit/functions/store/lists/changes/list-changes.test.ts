import { randomUUID } from 'node:crypto';
import type { ChangesCursor, LogCursor } from '#functions/store/lists/changes/cursor.ts';
import { type ChangesPage, listChanges } from '#functions/store/lists/changes/list-changes.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { rebuild } from '#functions/store/lists/engine/compaction/rebuild.ts';
import { defaultHistoryDays, logPartition, recordLifeMs } from '#functions/store/model/change-log.ts';
import { buildCreate, buildUpdate, type Change } from '#functions/store/model/changes.ts';
import type { WholeEntity } from '#functions/store/model/entity.ts';
import { CursorExpired } from '#functions/store/model/errors.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { findEntity } from '#functions/store/unit-of-work/whole-entities.ts';
import { compactAll } from '#test/support/compaction.ts';
import { isValue, listQuery } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

/** A caller of the feed of the tasks of a new tenant. */
function newFeed(more: Partial<ListQuery> = {}) {
  const tenant = randomUUID();
  const query = listQuery({ limit: 100, ...more });
  let cursor: ChangesCursor | undefined;
  const poll = async (nowMs?: number): Promise<ChangesPage & { readonly units: number }> => {
    const session = store.session(tenant);
    const page = await listChanges(session, 'task', query, cursor, nowMs);
    ({ cursor } = page);
    return { ...page, units: session.database.consumption.readUnits };
  };
  /** Applies all pages and returns the names by id, with the number of pages. */
  const copy = new Map<string, string>();
  const follow = async (): Promise<number> => {
    for (let pages = 1; ; pages += 1) {
      const page = await poll();
      for (const { id, name } of page.entities) copy.set(id, name);
      for (const id of page.removed) copy.delete(id);
      if (!page.hasMore) return pages;
    }
  };
  return { tenant, poll, follow, copy, cursor: () => cursor };
}

const fields = (name: string, more: object = {}) => ({
  name,
  status: 'active',
  description: '',
  priority: 'none',
  projectId: null,
  userId: null,
  dueDate: null,
  tagIds: [],
  ...more,
});

async function apply(tenant: string, changes: readonly Change[]): Promise<void> {
  await applyChangeSet(store.session(tenant), { changes });
}

async function create(tenant: string, name: string, more: object = {}): Promise<string> {
  const change = buildCreate('task', fields(name, more), Date.now());
  await apply(tenant, [change]);
  return change.after.entity.id;
}

const read = async (tenant: string, id: string): Promise<WholeEntity> =>
  (await findEntity(store.session(tenant), 'task', id)) as WholeEntity;

async function update(tenant: string, id: string, more: object): Promise<void> {
  const before = await read(tenant, id);
  await apply(tenant, [buildUpdate(before, { ...before.entity, ...more }, Date.now())]);
}

async function remove(tenant: string, id: string): Promise<void> {
  await apply(tenant, [{ before: await read(tenant, id) }]);
}

const namesOf = ({ entities }: ChangesPage) => entities.map(({ name }) => name);

test('the first page has all entities, and the next ones what changed', async () => {
  const feed = newFeed();
  const id = await create(feed.tenant, 'a');
  const first = await feed.poll();
  expect([namesOf(first), first.removed, first.hasMore]).toEqual([['a'], [], false]);
  await feed.poll();
  expect(namesOf(await feed.poll())).toEqual([]);
  await update(feed.tenant, id, { name: 'b' });
  const second = await feed.poll();
  expect([namesOf(second), second.versions, second.hasMore]).toEqual([['b'], [2], false]);
  await remove(feed.tenant, id);
  const third = await feed.poll();
  expect([namesOf(third), third.removed]).toEqual([[], [id]]);
});

test('an idle poll costs one read unit, and so does one with one change', async () => {
  const feed = newFeed();
  const id = await create(feed.tenant, 'a');
  await compactAll(store.database(), feed.tenant, 'task');
  await feed.follow();
  await feed.follow();
  expect((await feed.poll()).units).toBe(1);
  await update(feed.tenant, id, { name: 'b' });
  const page = await feed.poll();
  expect([namesOf(page), page.units]).toEqual([['b'], 1]);
});

test('a change of 200 entities in batches costs at most 10 read units at once, in two requests', async () => {
  const feed = newFeed();
  const changes = Array.from({ length: 200 }, (_, index) =>
    buildCreate('task', fields(`Task ${index}`), Date.now()),
  );
  for (let start = 0; start < 200; start += 25) await apply(feed.tenant, changes.slice(start, start + 25));
  await feed.follow();
  await feed.follow();
  const stored = await Promise.all(changes.map(({ after }) => read(feed.tenant, after.entity.id)));
  const updates = stored.map((before) =>
    buildUpdate(before, { ...before.entity, status: 'done' }, Date.now()),
  );
  for (let start = 0; start < 200; start += 25) await apply(feed.tenant, updates.slice(start, start + 25));
  const pages = [await feed.poll(), await feed.poll()];
  expect(pages.map(({ entities, hasMore }) => [entities.length, hasMore])).toEqual([
    [100, true],
    [100, false],
  ]);
  expect(pages.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(10);
});

describe('200 changes, each in a request of its own', () => {
  /** Returns pages with the changes: their entities and read units. However long the changes take, all of them are settled, or none. */
  async function changesOf200({ isSettled }: { readonly isSettled: boolean }) {
    const feed = newFeed();
    const changes = Array.from({ length: 200 }, (_, index) =>
      buildCreate('task', fields(`Task ${index}`), Date.now()),
    );
    for (let start = 0; start < 200; start += 25) await apply(feed.tenant, changes.slice(start, start + 25));
    await compactAll(store.database(), feed.tenant, 'task');
    await feed.follow();
    for (let round = 0; round < 2; round += 1) await feed.poll(Date.now() + marginMs);
    const startedAt = Date.now();
    for (const { after } of changes) await update(feed.tenant, after.entity.id, { status: 'done' });
    const nowMs = isSettled ? Date.now() + marginMs : startedAt;
    const pages = [];
    do pages.push(await feed.poll(nowMs));
    while (pages.at(-1)?.hasMore);
    expect((await feed.poll(nowMs)).entities).toEqual([]);
    return pages.map(({ entities, units }) => [entities.length, units]);
  }

  test('cost 10 read units when all of them are settled', async () => {
    expect(await changesOf200({ isSettled: true })).toEqual([
      [100, 5],
      [100, 5],
    ]);
  });

  test('cost 13 read units at once, because the second page reads the first one again', async () => {
    expect(await changesOf200({ isSettled: false })).toEqual([
      [100, 5],
      [100, 8],
    ]);
  });
});

test('a page has no more changes than its limit, also of records with more', async () => {
  const feed = newFeed({ limit: 10 });
  await feed.follow();
  const changes = Array.from({ length: 25 }, (_, index) =>
    buildCreate('task', fields(`Task ${index}`), Date.now()),
  );
  await apply(feed.tenant, changes);
  const pages = [await feed.poll(), await feed.poll(), await feed.poll()];
  expect(pages.map(({ entities, hasMore }) => [entities.length, hasMore])).toEqual([
    [10, true],
    [10, true],
    [5, false],
  ]);
  expect(pages.flatMap(namesOf)).toEqual(changes.map(({ after }) => after.entity.name));
});

/** Prepares a transaction, whose stamp is the time now. Returns a function that sends it. */
async function prepare(tenant: string, change: Change): Promise<() => Promise<void>> {
  const session = store.session(tenant);
  const { database } = session;
  const transact = database.transact.bind(database);
  return new Promise((onPrepared) => {
    database.transact = (...call) =>
      new Promise((resolve, reject) => {
        onPrepared(async () => {
          await transact(...call).then(resolve, reject);
          await applied;
        });
      });
    const applied = applyChangeSet(session, { changes: [change] });
  });
}

test('a write that is acknowledged between two pages, with a stamp before the end of the first one, is in the next response', async () => {
  const feed = newFeed({ limit: 2 });
  const id = await create(feed.tenant, 'late');
  await feed.follow();
  await feed.poll(Date.now() + marginMs);
  const before = await read(feed.tenant, id);
  const change = buildUpdate(before, { ...before.entity, name: 'changed' }, Date.now());
  const commit = await prepare(feed.tenant, change);
  // Two records of one millisecond have no order.
  let nowMs = Date.now();
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => (nowMs += 1));
  for (const name of ['a', 'b', 'c', 'd', 'e']) await create(feed.tenant, name);
  clock.mockRestore();
  const first = await feed.poll();
  expect([namesOf(first), first.hasMore]).toEqual([['a', 'b'], true]);
  await commit();
  const second = await feed.poll();
  expect(namesOf(second)).toContain('changed');
});

test('the last of many records that were given can be gone', async () => {
  const feed = newFeed();
  await feed.follow();
  for (let count = 0; count < 25; count += 1) await create(feed.tenant, `${count}`);
  await feed.follow();
  const { at: sk = '' } = feed.cursor() as LogCursor;
  await store.database().deleteItem({ pk: logPartition(feed.tenant, 'task'), sk });
  await create(feed.tenant, 'new');
  expect(namesOf(await feed.poll())).toContain('new');
});

test('an entity that leaves the filters is removed, and one that enters them comes', async () => {
  const feed = newFeed({ filters: [isValue('status', 'active')] });
  const id = await create(feed.tenant, 'a');
  const other = await create(feed.tenant, 'b', { status: 'done' });
  await feed.follow();
  expect([...feed.copy.values()]).toEqual(['a']);
  await update(feed.tenant, id, { status: 'done' });
  await update(feed.tenant, other, { status: 'active' });
  await feed.follow();
  expect([...feed.copy.values()]).toEqual(['b']);
  const third = await create(feed.tenant, 'c', { status: 'done' });
  const page = await feed.poll();
  expect(JSON.stringify(page)).not.toContain(third);
});

test('filters by id and by createdAt hold for changes', async () => {
  const feed = newFeed();
  const ids = [await create(feed.tenant, 'a'), await create(feed.tenant, 'b')];
  const filters = [{ field: 'id', operator: 'gt', values: [ids[0] ?? ''] }] as const;
  const query = listQuery({ limit: 100, filters });
  const session = () => store.session(feed.tenant);
  const { cursor } = await listChanges(session(), 'task', query, undefined);
  for (const id of ids) await update(feed.tenant, id, { status: 'done' });
  const { entities, removed } = await listChanges(session(), 'task', query, cursor);
  expect([entities.map(({ id }) => id), removed]).toEqual([[ids[1]], []]);
});

test('a long description is read, unless the fields leave it out', async () => {
  const text = 'long '.repeat(500);
  for (const withTexts of [true, false]) {
    const feed = newFeed({ withTexts });
    const id = await create(feed.tenant, 'a');
    await feed.follow();
    await update(feed.tenant, id, { description: text });
    const page = await feed.poll();
    expect(page.entities[0]?.description === text).toBe(withTexts);
    expect(page.units).toBeLessThanOrEqual(withTexts ? 3 : 1);
  }
});

test('a description of some hundred bytes costs half a read unit', async () => {
  const feed = newFeed({ withTexts: true });
  const id = await create(feed.tenant, 'a');
  await feed.follow();
  await update(feed.tenant, id, { description: 'x'.repeat(300) });
  const page = await feed.poll();
  expect([page.entities[0]?.description, page.units]).toEqual(['x'.repeat(300), 1.5]);
});

test('the walk has several pages, and what changes meanwhile comes after it', async () => {
  const feed = newFeed({ limit: 2 });
  const ids = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await create(feed.tenant, name));
  expect(namesOf(await feed.poll())).toEqual(['a', 'b']);
  await update(feed.tenant, ids[0] ?? '', { name: 'A' });
  await remove(feed.tenant, ids[4] ?? '');
  expect(namesOf(await feed.poll())).toEqual(['c', 'd']);
  await feed.follow();
  expect(feed.copy.get(ids[0] ?? '')).toBe('A');
  expect(feed.copy.has(ids[4] ?? '')).toBe(false);
});

test('a page of the walk reads nothing again that changes meanwhile, and leaves out what does not match any more', async () => {
  const tenant = randomUUID();
  const ids = [await create(tenant, 'a'), await create(tenant, 'b')];
  const session = store.session(tenant);
  const { database } = session;
  const readRequested = database.readRequested.bind(database);
  let reads = 0;
  database.readRequested = async (read) => {
    reads += 1;
    await update(tenant, ids[0] ?? '', { name: `changed ${reads}` });
    await update(tenant, ids[1] ?? '', { status: 'done' });
    return readRequested(read);
  };
  const query = listQuery({ limit: 100, filters: [isValue('status', 'active')] });
  const page = await listChanges(session, 'task', query, undefined);
  expect([reads, namesOf(page), page.versions]).toEqual([1, ['changed 1'], [2]]);
});

test('what changes during a walk of any length comes after it', async () => {
  const feed = newFeed({ limit: 1 });
  const first = await create(feed.tenant, 'a');
  await create(feed.tenant, 'b');
  await feed.poll();
  await update(feed.tenant, first, { name: 'A' });
  const later = Date.now() + 60_000;
  const names: string[] = [];
  for (let page = await feed.poll(later); page.hasMore; ) {
    page = await feed.poll(later);
    names.push(...namesOf(page));
  }
  expect(names).toContain('A');
});

describe('a cursor', () => {
  const lifeMs = recordLifeMs(defaultHistoryDays);
  const old = () => Date.now() - lifeMs - 60_000;

  test('of a quiet log does not expire', async () => {
    const feed = newFeed();
    await create(feed.tenant, 'a');
    await feed.follow();
    await feed.follow();
    await compactAll(store.database(), feed.tenant, 'task');
    const later = await feed.poll(Date.now() + 2 * lifeMs);
    expect(later.hasMore).toBe(false);
  });

  test('that is older than the records expires when compaction has absorbed later ones', async () => {
    const feed = newFeed();
    await feed.poll(old());
    await create(feed.tenant, 'a');
    await compactAll(store.database(), feed.tenant, 'task');
    await expect(feed.poll()).rejects.toThrow(CursorExpired);
  });

  describe.each([7, 400])('with records that live %i days', (days) => {
    const ageMs = recordLifeMs(days);

    beforeAll(() => {
      process.env['HISTORY_DAYS'] = String(days);
    });

    afterAll(() => {
      delete process.env['HISTORY_DAYS'];
    });

    /** Polls at a time, creates a task, and compacts. */
    async function feedOfAge(milliseconds: number) {
      const feed = newFeed();
      await feed.poll(Date.now() - milliseconds);
      await create(feed.tenant, 'a');
      await compactAll(store.database(), feed.tenant, 'task');
      return feed;
    }

    test('expires when it is as old as they are, less a day', async () => {
      const old = await feedOfAge(ageMs + 60_000);
      await expect(old.poll()).rejects.toThrow(CursorExpired);
      const younger = await feedOfAge(ageMs - 60_000);
      expect(namesOf(await younger.poll())).toEqual(['a']);
    });

    test('keeps to this life when the setting changes', async () => {
      const old = await feedOfAge(ageMs + 60_000);
      process.env['HISTORY_DAYS'] = String(days === 7 ? 400 : 7);
      await create(old.tenant, 'b');
      await compactAll(store.database(), old.tenant, 'task');
      process.env['HISTORY_DAYS'] = String(days);
      await expect(old.poll()).rejects.toThrow(CursorExpired);
    });
  });

  test('that is old expires also on a page that has not all of the log', async () => {
    const feed = newFeed();
    await feed.poll(old());
    const changes = Array.from({ length: 100 }, (_, index) =>
      buildCreate('task', fields(`Task ${index}`), Date.now()),
    );
    for (let start = 0; start < 100; start += 25) await apply(feed.tenant, changes.slice(start, start + 25));
    await compactAll(store.database(), feed.tenant, 'task');
    await create(feed.tenant, 'last');
    await expect(feed.poll()).rejects.toThrow(CursorExpired);
  });

  test('of another table expires, also of a log that has never been written', async () => {
    const feed = newFeed();
    await feed.follow();
    const other = await startTestStore();
    const restored = { tenant: feed.tenant, database: other.database() };
    const read = listChanges(restored, 'task', listQuery({ limit: 100 }), feed.cursor());
    await expect(read).rejects.toThrow(CursorExpired);
    await other.stop();
  });

  test('from before a rebuild expires', async () => {
    const feed = newFeed();
    await create(feed.tenant, 'a');
    await feed.follow();
    const now = Date.now();
    await rebuild({
      open: () => openLog(store.database(), feed.tenant, 'task'),
      ids: new Set(),
      beganAt: now,
      readRows: async () => new Map(),
      time: async () => now,
      marginMs: 0,
    });
    await expect(feed.poll()).rejects.toThrow(CursorExpired);
  });
});
