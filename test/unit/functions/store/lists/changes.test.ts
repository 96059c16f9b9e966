import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  type ChangesCursor,
  decodeCursor,
  encodeCursor,
  logCursor,
  maxChangesCursorLength,
} from '#functions/store/lists/changes/cursor.ts';
import { hashKeys } from '#functions/store/lists/changes/key-hashes.ts';
import { type ChangesPage, listChanges } from '#functions/store/lists/changes/list-changes.ts';
import { ChangesMerger } from '#functions/store/lists/changes/merge-changes.ts';
import { recordLifeMs, stampPrefix } from '#functions/store/model/change-log.ts';
import { buildCreate, buildUpdate, type Change } from '#functions/store/model/changes.ts';
import type { WholeEntity } from '#functions/store/model/entity.ts';
import { CursorExpired, InvalidCursor } from '#functions/store/model/errors.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
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
  const keyAt = (stamp: number) => `${stampPrefix(stamp)}abcdef`;
  const keys = Array.from({ length: 4_000 }, (_, index) => keyAt(from + 1 + index * 10));
  const log = logCursor({ from, generation, isAhead: true });
  const cursors: readonly ChangesCursor[] = [
    { by: 'walk', from, generation, lastId },
    logCursor({ from: 0, generation: 0, isAhead: true }),
    { ...log, at: keys.at(-1), atEntries: 45, given: keys.length, hashes: hashKeys(keys, from) },
  ];
  const texts = cursors.map((cursor) => encodeCursor(hash, cursor));

  test('is decoded as it was encoded, and is short at any rate of writes', () => {
    expect(texts.map((text) => decodeCursor(hash, text))).toEqual(cursors);
    for (const { length } of texts) expect(length).toBeLessThan(maxChangesCursorLength);
  });

  test('of another query is refused', () => {
    const text = encodeCursor(Buffer.from('87654321'), cursors[0] as ChangesCursor);
    expect(() => decodeCursor(hash, text)).toThrow(/belongs to another collection/);
  });

  test('that is changed in any place is refused, or is another cursor', () => {
    const piece = fc.base64String({ minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.nat(), piece, (text, at, inserted) => {
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + inserted + text.slice(place + (at % 3));
        try {
          expect(encodeCursor(hash, decodeCursor(hash, changed))).toBe(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidCursor);
        }
      }),
    );
  });

  test.each<ChangesCursor>([
    { ...log, at: keyAt(from) },
    { ...log, from: 2 ** 46 },
    { ...log, at: '~' },
    { ...log, given: 3 },
    { ...log, atEntries: 3 },
    { by: 'walk', from, generation, lastId: lastId.replace('-7', '-4') },
  ])('that no process can have made is refused: %j', (cursor) => {
    expect(() => decodeCursor(hash, encodeCursor(hash, cursor))).toThrow(InvalidCursor);
  });
});

describe('list-changes', () => {
  let store: TestStore;
  let tenant: string;

  beforeAll(async () => {
    store = await startTestStore();
  });

  afterAll(() => store.stop());

  beforeEach(() => {
    tenant = randomUUID();
  });

  /** A caller of the feed of the tasks of the tenant. */
  function newFeed(more: Partial<ListQuery> = {}) {
    const query = listQuery({ limit: 100, ...more });
    let cursor: ChangesCursor | undefined;
    const poll = async (nowMs?: number, session = store.session(tenant)) => {
      const page = await listChanges(session, 'task', query, cursor, nowMs);
      ({ cursor } = page);
      return { ...page, units: session.database.consumption.readUnits };
    };
    return {
      poll,
      /** Reads all pages. */
      follow: async (nowMs?: number) => {
        const pages = [await poll(nowMs)];
        while (pages.at(-1)?.hasMore) pages.push(await poll(nowMs));
        return pages;
      },
    };
  }

  const apply = (changes: readonly Change[]) => applyChangeSet(store.session(tenant), { changes });

  const creations = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const fields = { name: `Task ${index}`, status: 'active', description: '', projectId: null };
      return buildCreate('task', { ...fields, userId: null, tagIds: [] }, Date.now());
    });

  /** Creates tasks, 25 in a transaction. Returns their ids. */
  async function create(count: number): Promise<string[]> {
    const changes = creations(count);
    for (let start = 0; start < count; start += 25) await apply(changes.slice(start, start + 25));
    return changes.map(({ after }) => after.entity.id);
  }

  async function updateOf(id: string, more: object): Promise<Change> {
    const before = (await findEntity(store.session(tenant), 'task', id)) as WholeEntity;
    return buildUpdate(before, { ...before.entity, ...more }, Date.now());
  }

  const update = async (id: string, more: object) => apply([await updateOf(id, more)]);

  const namesOf = ({ entities }: ChangesPage) => entities.map(({ name }) => name);
  const countsOf = (pages: readonly ChangesPage[]) => pages.map(({ entities }) => entities.length);
  const unitsOf = (pages: readonly { readonly units: number }[]) =>
    pages.reduce((sum, { units }) => sum + units, 0);

  test('a change of 200 entities in batches costs at most 10 read units at once, in two requests', async () => {
    const feed = newFeed();
    const ids = await create(200);
    for (let times = 0; times < 2; times += 1) await feed.follow();
    const updates = await Promise.all(ids.map((id) => updateOf(id, { status: 'done' })));
    for (let start = 0; start < 200; start += 25) await apply(updates.slice(start, start + 25));
    const pages = await feed.follow();
    expect(countsOf(pages)).toEqual([100, 100]);
    expect(unitsOf(pages)).toBeLessThanOrEqual(10);
  });

  test('200 changes, each in a request of its own, cost at most 11 read units when all of them are settled', async () => {
    const feed = newFeed();
    const ids = await create(200);
    await compactAll(store.database(), tenant, 'task');
    await feed.follow();
    for (let round = 0; round < 2; round += 1) await feed.poll(Date.now() + marginMs);
    for (const id of ids) await update(id, { status: 'done' });
    const pages = await feed.follow(Date.now() + marginMs);
    expect(countsOf(pages)).toEqual([100, 100]);
    expect(unitsOf(pages)).toBeLessThanOrEqual(11);
  });

  test('a page has no more changes than its limit, also of records with more', async () => {
    const feed = newFeed({ limit: 10 });
    await feed.follow();
    const changes = creations(25);
    await apply(changes);
    const pages = await feed.follow();
    expect(countsOf(pages)).toEqual([10, 10, 5]);
    expect(pages.flatMap(namesOf)).toEqual(changes.map(({ after }) => after.entity.name));
  });

  test('a write that is acknowledged between two pages, with a stamp before the end of the first one, comes', async () => {
    // Two records of one millisecond have no order, and those of one window are read together.
    let nowMs = 250 * Math.floor(Date.now() / 250);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => (nowMs += 1));
    const feed = newFeed({ limit: 2 });
    const [id = ''] = await create(1);
    await feed.follow();
    await feed.poll(Date.now() + marginMs);
    const change = await updateOf(id, { name: 'changed' });
    const session = store.session(tenant);
    const transact = session.database.transact.bind(session.database);
    session.database.transact = async (...call) => {
      // The transaction has its stamp, and is sent after these and a page.
      for (let count = 0; count < 5; count += 1) await create(1);
      expect(await feed.poll()).toMatchObject({ entities: [{}, {}], hasMore: true });
      await transact(...call);
    };
    await applyChangeSet(session, { changes: [change] });
    expect(namesOf(await feed.poll())).toContain('changed');
    clock.mockRestore();
  });

  test('filters by id and by createdAt hold for changes', async () => {
    const [first = '', second = ''] = await create(2);
    const feed = newFeed({ filters: [{ field: 'id', operator: 'gt', values: [first] }] });
    await feed.poll();
    for (const id of [first, second]) await update(id, { status: 'done' });
    const { entities, removed } = await feed.poll();
    expect([entities.map(({ id }) => id), removed]).toEqual([[second], []]);
  });

  test('a page of the walk reads nothing again that changes meanwhile, and leaves out what does not match any more', async () => {
    const [first = '', second = ''] = await create(2);
    const session = store.session(tenant);
    const { database } = session;
    const readRequested = database.readRequested.bind(database);
    let reads = 0;
    database.readRequested = async (read) => {
      reads += 1;
      await update(first, { name: `changed ${reads}` });
      await update(second, { status: 'done' });
      return readRequested(read);
    };
    const page = await newFeed({ filters: [isValue('status', 'active')] }).poll(undefined, session);
    expect([reads, namesOf(page), page.versions]).toEqual([1, ['changed 1'], [2]]);
  });

  test('what changes during a walk of any length comes after it', async () => {
    const feed = newFeed({ limit: 1 });
    const [first = ''] = await create(2);
    await feed.poll();
    await update(first, { name: 'A' });
    expect((await feed.follow(Date.now() + 60_000)).flatMap(namesOf)).toContain('A');
  });

  describe('a cursor', () => {
    afterEach(() => {
      delete process.env['HISTORY_DAYS'];
    });

    test.each([7, 30, 400])(
      'with records that live %i days expires when it is as old as they are, less a day',
      async (days) => {
        process.env['HISTORY_DAYS'] = String(days);
        for (const isOld of [true, false]) {
          tenant = randomUUID();
          const feed = newFeed();
          await feed.poll(Date.now() - recordLifeMs(days) + (isOld ? -60_000 : 60_000));
          await create(1);
          // Compaction absorbs a later record: until then, the log is quiet, and nothing is missing.
          await compactAll(store.database(), tenant, 'task');
          if (isOld) await expect(feed.poll()).rejects.toThrow(CursorExpired);
          else expect(namesOf(await feed.poll())).toEqual(['Task 0']);
        }
      },
    );

    test('that is old expires also on a page that has not all of the log', async () => {
      const feed = newFeed({ limit: 1 });
      await feed.poll(Date.now() - recordLifeMs(30) - 60_000);
      await create(1);
      await compactAll(store.database(), tenant, 'task');
      for (let count = 0; count < 3; count += 1) await create(1);
      await expect(feed.poll()).rejects.toThrow(CursorExpired);
    });

    test('of another table expires, also of a log that has never been written', async () => {
      const feed = newFeed();
      await feed.follow();
      const other = await startTestStore();
      await expect(feed.poll(undefined, other.session(tenant))).rejects.toThrow(CursorExpired);
      await other.stop();
    });
  });
});

describe('merge-changes', () => {
  const [active, done] = [{ status: 'active' }, { status: 'done' }];
  const record = (offset: number, version: number, more: { before?: Row; after?: Row }) => ({
    key: `${stampPrefix(from + offset)}aaaaaa`,
    stamp: from + offset,
    entries: [{ id: 'a', version, previousStamp: 0, before: undefined, after: undefined, ...more }],
  });
  const left = record(1, 2, { before: active, after: done });
  const entered = { before: done, after: active };

  test.each([
    [
      'the highest version decides, whatever the order of the records',
      [record(1, 3, entered), record(2, 2, { before: active, after: done })],
      [3, 'active'],
    ],
    [
      'an entity comes if any of its rows matched',
      [left, record(2, 3, { before: done, after: { status: 'planned' } })],
      [3, 'planned'],
    ],
    ['a deleted entity comes if it matched', [record(1, 3, { before: active })], [3, undefined]],
    [
      'an entity does not come if none of its rows matched',
      [record(1, 2, { before: done, after: done })],
      undefined,
    ],
  ])('%s', (_, records, expected) => {
    const cursor = logCursor({ from, generation: 0, isAhead: false });
    const merger = new ChangesMerger(cursor, (_id, row) => row['status'] === 'active', 100);
    for (const one of records) merger.add(one);
    const [change] = merger.changes;
    expect(change && [change.version, change.after?.['status']]).toEqual(expected);
  });
});
