import { randomBytes, randomUUID } from 'node:crypto';
import { emptyManifest, encodeManifest } from '#functions/engine/columns/format/manifest.ts';
import { processMemory } from '#functions/engine/columns/process-memory.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import {
  type ChangesCursor,
  decodeCursor,
  encodeCursor,
  maxChangesCursorLength,
} from '#functions/engine/feed/cursor.ts';
import { type ChangesPage, listChanges, tableNumber } from '#functions/engine/feed/list-changes.ts';
import { maxHoles, upTo } from '#functions/engine/log/progress.ts';
import {
  fillerWrite,
  logPartition,
  manifestSortKey,
  maxPosition,
  recordKey,
  recordWrites,
  sequencerKey,
} from '#functions/engine/model/change-log.ts';
import { buildCreate, buildUpdate, type Change } from '#functions/engine/model/changes.ts';
import type { WholeEntity } from '#functions/engine/model/entity.ts';
import { CursorExpired, InvalidCursor, StoreUnavailable } from '#functions/engine/model/errors.ts';
import { entityKey } from '#functions/engine/model/keys.ts';
import type { ListQuery } from '#functions/engine/model/list-query.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { findEntity } from '#functions/engine/table/stored-entities.ts';
import { applyChangeSet } from '#functions/engine/write/commit.ts';
import { compactAll, smallSizes } from '#test/support/compaction.ts';
import { isValue, listQuery } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { lag } from '#test/support/table/faults.ts';

describe('cursor', () => {
  const hash = Buffer.from('12345678');
  const table = 2 ** 32 - 1;
  const lastId = '01890000-0000-7000-8000-000000000001';
  /** Holes as far from each other as in a log with 10,000 changes among them. */
  const holes = Array.from({ length: maxHoles }, (_, number) => 1_000_000 + 50 * number);
  const log: ChangesCursor = { table, progress: { position: 1_010_000, holes } };
  const cursors: readonly ChangesCursor[] = [
    { table, progress: { position: 9, holes: [3, 8] }, lastId },
    { table: 0, progress: upTo(0) },
    { table, progress: upTo(maxPosition) },
    log,
  ];
  const texts = cursors.map((cursor) => encodeCursor(hash, cursor));

  test('is decoded as it was encoded, and is short with any holes', () => {
    expect(texts.map((text) => decodeCursor(hash, text))).toEqual(cursors);
    expect(texts[1]).toHaveLength(18);
    for (const { length } of texts) expect(length).toBeLessThan(maxChangesCursorLength);
  });

  test('of another query is refused', () => {
    const text = encodeCursor(Buffer.from('87654321'), log);
    expect(() => decodeCursor(hash, text)).toThrow(/belongs to another collection/);
  });

  test.each<[string, ChangesCursor]>([
    ['a position that no log has', { ...log, progress: upTo(maxPosition + 1) }],
    ['a hole at 0', { ...log, progress: { position: 3, holes: [0] } }],
    ['a hole twice', { ...log, progress: { position: 3, holes: [2, 2] } }],
    ['too many holes', { ...log, progress: { position: 1_010_000, holes: [9, ...holes] } }],
    ['an id of another version', { ...log, lastId: lastId.replace('-7', '-4') }],
  ])('with %s is refused', (_, cursor) => {
    expect(() => decodeCursor(hash, encodeCursor(hash, cursor))).toThrow(InvalidCursor);
  });
});

describe('list-changes', () => {
  const store = startTestStore();
  let tenant: string;

  beforeEach(() => {
    tenant = randomUUID();
    store.table.intercept = undefined;
  });

  /** A caller of the feed of the tasks of the tenant. */
  function newFeed(more: Partial<ListQuery> = {}, start?: ChangesCursor) {
    const query = listQuery({ limit: 100, ...more });
    let cursor = start;
    const poll = async (session = store.session(tenant)) => {
      const page = await listChanges(session, 'task', query, cursor);
      ({ cursor } = page);
      return { ...page, units: session.database.consumption.readUnits };
    };
    return {
      poll,
      /** Reads all pages. */
      follow: async () => {
        const pages = [await poll()];
        while (pages.at(-1)?.hasMore) pages.push(await poll());
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

  test.each([
    ['in batches', 25, [125, 75], 10],
    ['each in a request of its own', 1, [100, 100], 11],
  ])('200 changes %s come in two pages', async (_, size, counts, maxUnits) => {
    const feed = newFeed();
    const ids = await create(200);
    await compactAll(store.database(), tenant, 'task');
    await feed.follow();
    const updates = await Promise.all(ids.map((id) => updateOf(id, { status: 'done' })));
    for (let start = 0; start < 200; start += size) await apply(updates.slice(start, start + size));
    const pages = await feed.follow();
    expect(countsOf(pages)).toEqual(counts);
    expect(unitsOf(pages)).toBeLessThanOrEqual(maxUnits);
    expect(unitsOf([await feed.poll()])).toBeLessThanOrEqual(1.5);
  });

  test('a page has whole records, and less than a hundred changes too many', async () => {
    const feed = newFeed({ limit: 10 });
    await feed.follow();
    const changes = creations(200);
    for (let start = 0; start < 200; start += 25) await apply(changes.slice(start, start + 25));
    const pages = await feed.follow();
    expect(countsOf(pages)).toEqual([100, 100]);
    expect(pages.flatMap(namesOf)).toEqual(changes.map(({ after }) => after.entity.name));
  });

  describe('a page without descriptions has up to 1,000 entities, within 280 read units and a megabyte:', () => {
    const limit = 1_000;
    /** A tag has 36 bytes in the JSON of a task, and a name up to 765. */
    const tagIds = Array.from({ length: 50 }, () => randomUUID());
    const large = (count: number): Change[] =>
      creations(count).map(({ after }) => {
        const entity = { ...after.entity, name: '\u2603'.repeat(255), tagIds };
        return { after: { ...after, entity } };
      });

    test.each([
      ['small ones', creations, 2_000, [1_000, 200, 0]],
      ['large ones', large, 2_000, [309, 309, 309, 273, 0]],
      ['those that are read by key', creations, 0, [400, 800, 0]],
    ])('%s, in the walk and as changes', async (_, changesOf, cheapRows, counts) => {
      jest.replaceProperty(processMemory, 'cheapRows', cheapRows);
      const count = 1_200;
      const feed = newFeed({ limit });
      await feed.follow();
      const changes = changesOf(count);
      for (let start = 0; start < count; start += 25) await apply(changes.slice(start, start + 25));
      const followed = await feed.follow();
      await compactAll(store.database(), tenant, 'task');
      const walk = await newFeed({ limit }).follow();
      expect(countsOf(walk)).toEqual(counts);
      for (const pages of [followed, walk]) {
        expect(new Set(pages.flatMap(({ entities }) => entities.map(({ id }) => id))).size).toBe(count);
        for (const { units, entities } of pages) {
          expect(units).toBeLessThanOrEqual(280);
          expect(Buffer.byteLength(JSON.stringify(entities))).toBeLessThanOrEqual(1_000_000);
        }
      }
    });
  });

  describe('with descriptions, a request costs at most 100 read units:', () => {
    /** Tasks with descriptions of random characters, of which each costs read units of its own. */
    const described = (count: number, bytes: number): Change[] =>
      creations(count).map(({ after }) => {
        const entity = { ...after.entity, description: randomBytes(bytes / 2).toString('hex') };
        return { after: { ...after, entity } };
      });

    const mostOf = (pages: readonly { readonly units: number }[]): number =>
      Math.max(...pages.map(({ units }) => units));

    test.each([
      ['60 changes with 30 KB each', 60, 1, 30_000],
      ['four records of 45 changes with 500 bytes each', 180, 45, 500],
    ])('%s, also in the walk', async (_, count, size, bytes) => {
      const query = { withTexts: true };
      const feed = newFeed(query);
      await feed.follow();
      const changes = described(count, bytes);
      for (let start = 0; start < count; start += size) await apply(changes.slice(start, start + size));
      const pages = await feed.follow();
      expect(pages.flatMap(({ entities }) => entities)).toHaveLength(count);
      expect(mostOf(pages)).toBeLessThanOrEqual(100);
      await compactAll(store.database(), tenant, 'task');
      const walk = await newFeed(query).follow();
      expect(walk.flatMap(({ entities }) => entities)).toHaveLength(count);
      expect(mostOf(walk)).toBeLessThanOrEqual(100);
    });
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
    const [first = '', second = '', ...others] = await create(8);
    for (const id of others) await update(id, { status: 'planned' });
    await compactAll(store.database(), tenant, 'task', smallSizes);
    // The first page of a process, of a large segment.
    processMemory.clear();
    jest.replaceProperty(processMemory, 'cheapRows', 0);
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
    const page = await newFeed({ filters: [isValue('status', 'active')] }).poll(session);
    jest.restoreAllMocks();
    expect([reads, namesOf(page), page.versions]).toEqual([1, ['changed 1'], [2]]);
  });

  test('a page of the walk leaves out what is deleted meanwhile, although replicas have an earlier version of it', async () => {
    const [first = '', ...others] = await create(8);
    store.table.intercept = () => lag(60_000);
    await update(first, { name: 'changed' });
    store.table.intercept = undefined;
    await compactAll(store.database(), tenant, 'task', smallSizes);
    processMemory.clear();
    store.table.intercept = () => ({ isStale: true });
    jest.replaceProperty(processMemory, 'cheapRows', 0);
    const session = store.session(tenant);
    const { database } = session;
    const getMany = database.getMany.bind(database);
    database.getMany = async (keys, isConsistent, options) => {
      const isOfFirst = keys.some(({ pk }) => pk === entityKey(tenant, 'task', first).pk);
      if (isOfFirst && isConsistent) await deleteEntity(store.session(tenant), 'task', first);
      return getMany(keys, isConsistent, options);
    };
    const { entities } = await newFeed().poll(session);
    jest.restoreAllMocks();
    expect(entities.map(({ id }) => id)).toEqual(others);
  });

  test('what changes during a walk comes after it', async () => {
    const feed = newFeed({ limit: 1 });
    const [first = ''] = await create(2);
    await feed.poll();
    await update(first, { name: 'A' });
    expect((await feed.follow()).flatMap(namesOf)).toContain('A');
  });

  test.each([
    ['that leave the filter are removed', ['active', 'done'], [[], 1]],
    ['that come into the filter are given', ['done', 'active'], [['active'], 0]],
    ['of which any row matched are removed', ['done', 'active', 'done'], [[], 1]],
    ['that never matched are not mentioned', ['done', 'planned'], [[], 0]],
  ])('entities %s', async (_, statuses, expected) => {
    const [id = ''] = await create(1);
    await update(id, { status: statuses[0] });
    const feed = newFeed({ filters: [isValue('status', 'active')] });
    await feed.follow();
    for (const status of statuses.slice(1)) await update(id, { status });
    const { entities, removed } = await feed.poll();
    expect([entities.map(({ status }) => status), removed.length]).toEqual(expected);
  });

  describe('positions', () => {
    const log = () => ({ tenant, kind: 'task' }) as const;

    /** Puts the record of a change at a position. */
    async function putAt(position: number, change = creations(1)[0] as Change): Promise<void> {
      const options = { positions: new Map([['task' as const, position]]), time: Date.now() };
      const write = recordWrites(tenant, [change], options).get('task');
      await store.database().putItem(write?.put as Item);
      await store.database().raiseCount(sequencerKey(log()), position);
    }

    const fill = (...positions: readonly number[]) =>
      Promise.all(
        positions.map((one) => store.database().putItem(fillerWrite(recordKey(log(), one), 0).put)),
      );

    const putManifest = (watermark: number) =>
      store.database().putItem({
        pk: logPartition(tenant, 'task'),
        sk: manifestSortKey,
        ...encodeManifest({ ...emptyManifest, version: 1, watermark }),
      });

    /** Returns a caller that has a log up to a position, without some holes. */
    async function feedAt(position: number, holes: readonly number[] = []) {
      const { cursor } = await newFeed().poll();
      return newFeed({}, { table: cursor.table, progress: { position, holes } });
    }

    const progressOf = ({ cursor }: ChangesPage) => cursor.progress;

    test('a hole stays in the cursor until its record comes, once', async () => {
      const feed = await feedAt(1);
      for (const position of [2, 4, 5]) await putAt(position);
      const first = await feed.poll();
      expect([countsOf([first]), progressOf(first)]).toEqual([[3], { position: 5, holes: [3] }]);
      await putAt(3);
      for (const count of [1, 0]) {
        const page = await feed.poll();
        expect([countsOf([page]), progressOf(page), page.hasMore]).toEqual([[count], upTo(5), false]);
      }
    });

    test.each([
      ['a hole below the watermark has expired', 4, [2, 4], { position: 4, holes: [3] }, 4, true],
      ['a position after the cursor has expired', 1, [4], undefined, 3, true],
      ['the watermark is below the hole', 4, [2, 4], { position: 4, holes: [3] }, 2, false],
      ['all up to the watermark was seen', 4, [], undefined, 4, false],
    ])('when %s', async (_, position, records, progress, watermark, isExpired) => {
      for (const one of records) await putAt(one);
      await store.database().raiseCount(sequencerKey(log()), 4);
      const feed = await feedAt(progress?.position ?? position, progress?.holes);
      await putManifest(watermark);
      if (isExpired) await expect(feed.poll()).rejects.toThrow(CursorExpired);
      else expect(await feed.poll()).toMatchObject({ entities: [], hasMore: false });
    });

    test('a process looks after an hour again how far the columns are', async () => {
      await putAt(3);
      // It remembers that the columns have not passed the hole.
      await (await feedAt(1)).poll();
      await putManifest(2);
      const later = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_001);
      await expect((await feedAt(1)).poll()).rejects.toThrow(CursorExpired);
      later.mockRestore();
    });

    test('a cursor does not go past more than 200 holes, until they are filled', async () => {
      const feed = await feedAt(1);
      await putAt(2);
      await putAt(4 + maxHoles);
      const first = await feed.poll();
      expect([countsOf([first]), progressOf(first)]).toEqual([[1], upTo(2)]);
      // Neither a page without more, as if this were all, nor one after which a client asks again at once.
      await expect(feed.poll()).rejects.toThrow(StoreUnavailable);
      await fill(...Array.from({ length: maxHoles + 1 }, (_, number) => number + 3));
      const rest = await feed.follow();
      expect([countsOf(rest).at(-1), progressOf(rest.at(-1) as ChangesPage)]).toEqual([
        1,
        upTo(4 + maxHoles),
      ]);
    });

    test('a cursor with holes at large records costs what another one costs, and the pages have them all', async () => {
      const text = () => randomBytes(6_000).toString('base64').replaceAll(/[+/]/g, ' ');
      for (let batch = 0; batch < 20; batch += 1)
        await apply(
          creations(25).map(({ after }) =>
            buildCreate('task', { ...after.entity, description: text() }, Date.now()),
          ),
        );
      const holes = Array.from({ length: 20 }, (_, place) => place + 1);
      for (let single = 0; single < 400; single += 1) await create(1);
      const pages = await newFeed(
        { limit: 1 },
        { table: tableNumber(tenant, store.tableName), progress: { position: 420, holes } },
      ).follow();
      expect(Math.max(...pages.map(({ units }) => units))).toBeLessThanOrEqual(280);
      expect(countsOf(pages).reduce((sum, count) => sum + count, 0)).toBe(500);
    });

    test('a cursor expires in another table, for another tenant, and above the sequencer', async () => {
      await putAt(2);
      const { tableName } = store;
      for (const [other, name] of [
        [tenant, `${tableName}-restored`] as const,
        ['@other', tableName] as const,
      ]) {
        const table = tableNumber(other, name);
        await expect(newFeed({}, { table, progress: upTo(1) }).poll()).rejects.toThrow(CursorExpired);
      }
      for (const position of [3, maxPosition])
        await expect((await feedAt(position)).poll()).rejects.toThrow(CursorExpired);
      expect(await (await feedAt(2)).poll()).toMatchObject({ entities: [] });
    });
  });
});
