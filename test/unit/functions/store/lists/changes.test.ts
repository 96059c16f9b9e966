import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  type ChangesCursor,
  decodeCursor,
  encodeCursor,
  type LogCursor,
  logCursor,
  maxChangesCursorLength,
} from '#functions/store/lists/changes/cursor.ts';
import { describeChange } from '#functions/store/lists/changes/describe-change.ts';
import { bucketCount, changedKeys, hashKeys } from '#functions/store/lists/changes/key-hashes.ts';
import { type ChangesPage, listChanges } from '#functions/store/lists/changes/list-changes.ts';
import { ChangesMerger } from '#functions/store/lists/changes/merge-changes.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { rebuild } from '#functions/store/lists/engine/compaction/rebuild.ts';
import {
  defaultHistoryDays,
  type LogRecord,
  logPartition,
  recordLifeMs,
  stampPrefix,
} from '#functions/store/model/change-log.ts';
import { buildCreate, buildUpdate, type Change } from '#functions/store/model/changes.ts';
import type { WholeEntity } from '#functions/store/model/entity.ts';
import { CursorExpired, InvalidCursor } from '#functions/store/model/errors.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import { digestText } from '#functions/store/model/long-text.ts';
import type { Row } from '#functions/store/model/row.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { findEntity } from '#functions/store/unit-of-work/whole-entities.ts';
import { compactAll } from '#test/support/compaction.ts';
import { isValue, listQuery } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const from = 1_770_000_000_000;

describe('cursor', () => {
  const hash = Buffer.from('12345678');
  const generation = 2 ** 32 - 1;
  const lastId = '01890000-0000-7000-8000-000000000001';
  const keyAt = (stamp: number, end = 'abcdef') => stampPrefix(stamp) + end;

  const cursors: readonly ChangesCursor[] = [
    { by: 'walk', from, generation, lastId },
    logCursor({ from: 0, generation: 0, isAhead: true }),
    {
      ...logCursor({ from, generation, isAhead: false }),
      at: keyAt(from + 700),
      atEntries: 7,
      given: 1,
      hashes: hashKeys([keyAt(from + 700)], from),
    },
  ];

  test.each(cursors)('of $by is decoded to what was encoded', (cursor) => {
    expect(decodeCursor(hash, encodeCursor(hash, cursor))).toEqual(cursor);
  });

  test('has less than 1,000 characters at any rate of writes', () => {
    const keys = Array.from({ length: 4_000 }, (_, index) => keyAt(from + 1 + index * 10));
    const cursor: ChangesCursor = {
      ...logCursor({ from, generation, isAhead: true }),
      at: keys.at(-1),
      atEntries: 45,
      given: keys.length,
      hashes: hashKeys(keys, from),
    };
    expect(cursor.hashes).toHaveLength(bucketCount);
    const text = encodeCursor(hash, cursor);
    expect(text.length).toBeLessThan(maxChangesCursorLength);
    expect(decodeCursor(hash, text)).toEqual(cursor);
  });

  test('of another query is refused', () => {
    const text = encodeCursor(Buffer.from('87654321'), cursors[0] as ChangesCursor);
    expect(() => decodeCursor(hash, text)).toThrow(/belongs to another collection/);
  });

  test('that is changed in any place is refused, or is another cursor', () => {
    const texts = cursors.map((cursor) => encodeCursor(hash, cursor));
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.nat(),
        fc.base64String({ minLength: 1, maxLength: 4 }),
        (text, at, piece) => {
          const place = at % (text.length + 1);
          const changed = text.slice(0, place) + piece + text.slice(place + (at % 3));
          try {
            expect(encodeCursor(hash, decodeCursor(hash, changed))).toBe(changed);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidCursor);
          }
        },
      ),
    );
  });

  test('with a key before its beginning, a stamp that no key has, or records without a key, is refused', () => {
    const log = logCursor({ from, generation, isAhead: false });
    for (const cursor of [
      { ...log, at: keyAt(from) },
      { ...log, from: 2 ** 46 },
      { ...log, at: '~' },
      { ...log, given: 3 },
      { ...log, atEntries: 3 },
      { by: 'walk', from, generation, lastId: lastId.replace('-7', '-4') },
    ] as const) {
      expect(() => decodeCursor(hash, encodeCursor(hash, cursor))).toThrow(InvalidCursor);
    }
  });
});

describe('describe-change', () => {
  const entry = { id: 'a', version: 2, previousStamp: 1 };
  const row = { name: 'Plan', status: 'active', updatedAt: '2026-01-01T00:00:00.000Z' };

  test('describes an update by the fields that differ', () => {
    const after = { ...row, status: 'done', updatedAt: '2026-01-02T00:00:00.000Z' };
    expect(describeChange('task', { ...entry, before: row, after })).toEqual({
      operation: 'update',
      changes: { status: { from: 'active', to: 'done' } },
    });
  });

  test('describes a creation by its fields after it, and a deletion by those before it', () => {
    expect(describeChange('task', { ...entry, version: 1, after: { ...row, dueDate: null } })).toEqual({
      operation: 'create',
      changes: { name: { to: 'Plan' }, status: { to: 'active' }, dueDate: { to: null } },
    });
    expect(describeChange('task', { ...entry, before: row })).toEqual({
      operation: 'delete',
      changes: { name: { from: 'Plan' }, status: { from: 'active' } },
    });
  });

  test('tells a restored entity from a created one by its version', () => {
    expect(describeChange('task', { ...entry, version: 7, after: row }).operation).toBe('restore');
  });

  test('shows ids as arrays, where the field is one', () => {
    const before = { ...row, tagIds: '' };
    expect(describeChange('task', { ...entry, before, after: { ...row, tagIds: 'x,y' } }).changes).toEqual({
      tagIds: { from: [], to: ['x', 'y'] },
    });
  });

  test('shows the beginning of a long text, and says that it is cut', () => {
    const long = 'é'.repeat(101);
    const before = { ...row, description: 'short' };
    const after = { ...row, description: digestText(long) };
    expect(describeChange('task', { ...entry, before, after }).changes).toEqual({
      description: { from: 'short', to: 'é'.repeat(100), isCut: true },
    });
    expect(describeChange('task', { ...entry, before: after, after: before }).changes).toEqual({
      description: { from: 'é'.repeat(100), to: 'short', isCut: true },
    });
    const other = { ...row, description: digestText(`${long}!`) };
    expect(describeChange('task', { ...entry, before: after, after: other }).changes).toEqual({
      description: { from: 'é'.repeat(100), to: 'é'.repeat(100), isCut: true },
    });
  });

  test('shows a field that only one of the rows has', () => {
    const after = { ...row, position: 'a0' };
    expect(describeChange('task', { ...entry, before: row, after }).changes).toEqual({
      position: { to: 'a0' },
    });
  });
});

describe('key-hashes', () => {
  const keyAt = (offset: number, end = 'aaaaaa') => stampPrefix(from + offset) + end;

  const given = [keyAt(1), keyAt(250), keyAt(251), keyAt(900)];

  test('there is one hash for each 250 ms with keys', () => {
    const hashes = hashKeys(given, from);
    expect(hashes.map((hash) => hash?.length)).toEqual([6, 6, undefined, 6]);
    expect(hashKeys([], from)).toEqual([]);
  });

  test('keys are the same as before when nothing appeared among them', () => {
    expect(changedKeys(given, from, hashKeys(given, from))).toEqual(new Set());
  });

  test('a key that appears makes the keys of its 250 ms new', () => {
    const late = keyAt(100);
    const keys = [...given, late].sort();
    expect(changedKeys(keys, from, hashKeys(given, from))).toEqual(new Set([keyAt(1), late, keyAt(250)]));
    const alone = keyAt(600);
    expect(changedKeys([...given, alone].sort(), from, hashKeys(given, from))).toEqual(new Set([alone]));
  });

  test('the last bucket has all keys of clocks that are far ahead', () => {
    const keys = [keyAt(1), keyAt(1e6), keyAt(1e9)];
    const hashes = hashKeys(keys, from);
    expect(hashes).toHaveLength(bucketCount);
    expect(changedKeys([...keys, keyAt(2e9)], from, hashes)).toEqual(
      new Set([keyAt(1e6), keyAt(1e9), keyAt(2e9)]),
    );
  });
});

describe('list-changes', () => {
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
      for (let start = 0; start < 200; start += 25)
        await apply(feed.tenant, changes.slice(start, start + 25));
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

    test('cost 10 or 11 read units when all of them are settled: their compressed records differ in size', async () => {
      const pages = await changesOf200({ isSettled: true });
      expect(pages.map(([count]) => count)).toEqual([100, 100]);
      expect(pages.reduce((sum, [, units = 0]) => sum + units, 0)).toBeLessThanOrEqual(11);
    });

    test('cost 13 read units at once, because the second page reads the first one again', async () => {
      const pages = await changesOf200({ isSettled: false });
      expect(pages.map(([count]) => count)).toEqual([100, 100]);
      expect(pages.reduce((sum, [, units = 0]) => sum + units, 0)).toBeLessThanOrEqual(14);
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
    // Two records of one millisecond have no order, and those of one window are read together.
    let nowMs = 250 * Math.floor(Date.now() / 250);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => (nowMs += 1));
    const feed = newFeed({ limit: 2 });
    const id = await create(feed.tenant, 'late');
    await feed.follow();
    await feed.poll(Date.now() + marginMs);
    const before = await read(feed.tenant, id);
    const change = buildUpdate(before, { ...before.entity, name: 'changed' }, Date.now());
    const commit = await prepare(feed.tenant, change);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(feed.tenant, name);
    const first = await feed.poll();
    expect([namesOf(first), first.hasMore]).toEqual([['a', 'b'], true]);
    await commit();
    const second = await feed.poll();
    clock.mockRestore();
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
      for (let start = 0; start < 100; start += 25)
        await apply(feed.tenant, changes.slice(start, start + 25));
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
});

describe('merge-changes', () => {
  const record = (
    offset: number,
    id: string,
    version: number,
    more: { before?: Row; after?: Row },
  ): LogRecord => ({
    key: `${stampPrefix(from + offset)}aaaaaa`,
    stamp: from + offset,
    entries: [{ id, version, previousStamp: 0, ...more }],
  });

  const active = { status: 'active' };
  const done = { status: 'done' };
  const matches = (_: string, row: Row) => row['status'] === 'active';

  function cursorAfter(records: readonly LogRecord[]): LogCursor {
    const keys = records.map(({ key }) => key);
    return {
      ...logCursor({ from, generation: 0, isAhead: false }),
      at: keys.at(-1),
      given: keys.length,
      hashes: hashKeys(keys, from),
    };
  }

  function merged(cursor: LogCursor, records: readonly LogRecord[], maxChanges = 100) {
    const merger = new ChangesMerger(cursor, matches, maxChanges);
    for (const one of records) if (!merger.add(one)) break;
    return merger.changes.map(({ id, version, after }) => [id, version, after?.['status']]);
  }

  const start = cursorAfter([]);

  test('the highest version decides, whatever the order of the records', () => {
    const records = [
      record(1, 'a', 3, { before: done, after: active }),
      record(2, 'a', 2, { before: active, after: done }),
    ];
    expect(merged(start, records)).toEqual([['a', 3, 'active']]);
  });

  test('an entity comes if any of its rows matched', () => {
    const left = record(1, 'a', 2, { before: active, after: done });
    expect(merged(start, [left, record(2, 'a', 3, { before: done, after: { status: 'planned' } })])).toEqual([
      ['a', 3, 'planned'],
    ]);
    expect(merged(start, [record(1, 'a', 3, { before: active })])).toEqual([['a', 3, undefined]]);
    expect(merged(start, [record(1, 'a', 2, { before: done, after: done })])).toEqual([]);
  });

  test('what was given does not come again, unless a record appears beside it', () => {
    const given = [record(100, 'a', 3, { before: active, after: active })];
    const cursor = cursorAfter(given);
    expect(merged(cursor, given)).toEqual([]);
    const late = record(50, 'a', 2, { before: active, after: active });
    expect(merged(cursor, [late, ...given])).toEqual([['a', 3, 'active']]);
  });

  test('a page ends when it has enough new changes that match', () => {
    const others = record(1, 'x', 2, { before: done, after: done });
    const records = ['a', 'b', 'c'].map((id, index) => record(2 + index, id, 1, { after: active }));
    expect(merged(start, [others, ...records], 2).map(([id]) => id)).toEqual(['a', 'b']);
  });

  describe('a page that is cut', () => {
    const batch = (offset: number, ...ids: string[]): LogRecord => ({
      ...record(offset, '', 1, {}),
      entries: ids.map((id) => ({ id, version: 1, previousStamp: 0, after: active })),
    });
    const idsOf = (merger: ChangesMerger) => merger.changes.map(({ id }) => id);

    function mergerOf(cursor: LogCursor, records: readonly LogRecord[]): ChangesMerger {
      const merger = new ChangesMerger(cursor, matches, 100);
      for (const one of records) merger.add(one);
      return merger;
    }

    test('ends between two entries of a record', () => {
      const records = [batch(1, 'a', 'b'), batch(2, 'c', 'd', 'e'), batch(3, 'f')];
      const [first, second] = records.map(({ key }) => key);
      const merger = mergerOf(start, records);
      expect(merger.endAfter(2)).toEqual({ keys: [first], atEntries: 0, isCut: true, isAhead: false });
      expect(merger.endAfter(3)).toEqual({
        keys: [first, second],
        atEntries: 1,
        isCut: true,
        isAhead: false,
      });
      expect(merger.endAfter(6)).toMatchObject({ atEntries: 0, isCut: false });
    });

    test('is followed by the other entries', () => {
      const records = [batch(1, 'a', 'b'), batch(2, 'c', 'd')];
      const cursor = { ...cursorAfter(records), atEntries: 1 };
      expect(idsOf(mergerOf(cursor, records))).toEqual(['d']);
    });

    test('is ahead when it has a version that belongs to the next one, or ends among what was given', () => {
      const later = record(3, 'a', 2, { before: active, after: active });
      expect(mergerOf(start, [batch(1, 'a', 'b'), later]).endAfter(1).isAhead).toBe(true);
      const given = [batch(2, 'a', 'b')];
      expect(mergerOf(cursorAfter(given), [batch(1, 'x'), ...given]).endAfter(1)).toMatchObject({
        keys: [batch(1).key],
        isAhead: true,
      });
    });
  });
});
