import { bucketOf, divideIds, encodeBucket } from '#functions/engine/columns/format/buckets.ts';
import { buildColumn, columnValues, encodeColumn } from '#functions/engine/columns/format/column.ts';
import { buildDictionary, type ColumnValue } from '#functions/engine/columns/format/dictionary.ts';
import {
  type ItemName,
  isOfLists,
  type Manifest,
  manifestNames,
} from '#functions/engine/columns/format/manifest.ts';
import { encodePatch } from '#functions/engine/columns/format/patch.ts';
import { mergeRecords } from '#functions/engine/columns/merge-records.ts';
import { ProcessMemory } from '#functions/engine/columns/process-memory.ts';
import { ColumnReader } from '#functions/engine/columns/read/column-reader.ts';
import { OrderedColumn } from '#functions/engine/columns/read/ordered-column.ts';
import { visitRows } from '#functions/engine/columns/read/read-all-rows.ts';
import { readState } from '#functions/engine/columns/read/read-state.ts';
import { rowPredicate } from '#functions/engine/columns/read/row-filter.ts';
import { SearchTexts, toSearchText } from '#functions/engine/columns/read/search-texts.ts';
import { PositionCounts } from '#functions/engine/columns/read/sort-key-counts.ts';
import { StaleRead } from '#functions/engine/columns/read/stale-read.ts';
import type { LogReader } from '#functions/engine/columns/storage.ts';
import { toRowQuery } from '#functions/engine/lists/filters.ts';
import { decodePlace, encodePlace } from '#functions/engine/lists/place-cursor.ts';
import { maxHoles, upTo } from '#functions/engine/log/progress.ts';
import type { LogRecord } from '#functions/engine/model/change-log.ts';
import type { ItemFields } from '#functions/engine/model/entity.ts';
import { StoreUnavailable } from '#functions/engine/model/errors.ts';
import { firstIdAt } from '#functions/engine/model/ids.ts';
import type { ListQuery } from '#functions/engine/model/list-query.ts';
import type { LogEntry } from '#functions/engine/model/record-codec.ts';
import { type Row, rowText, toRow } from '#functions/engine/model/row.ts';
import { withoutWords } from '#functions/engine/model/words.ts';
import { Random } from '#test/simulation/random.ts';
import { fc } from '#test/support/fast-check.ts';
import { allRows, idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';
import { MemoryLog } from '#test/support/memory-log.ts';
import { plainList } from '#test/support/plain-list.ts';
import { type RandomField, randomQuery } from '#test/support/random-queries.ts';
import { readRows } from '#test/support/read-rows.ts';
import { runs } from '#test/support/runs.ts';
import { makeManifest, makePatchValues, makeSegment } from '#test/support/segments.ts';

describe('any-list', () => {
  /**
   * Compares any list with a plain search: segments of several chunks of ids, columns in buckets, values in patches, deleted rows, a new field,
   * waiting rows, and pending records.
   */

  const rowCount = 1_100;

  /** When other rows come, also among the ids of the first ones. */
  const laterMs = startMs + 60_000;

  /** Rows that are created in the same millisecond. */
  const tiedRows = 5;

  const timeOf = (number: number): number => startMs + Math.floor(number / tiedRows);

  /** Returns an id. Ids with greater numbers are greater. */
  const idOf = (number: number): string =>
    firstIdAt(timeOf(number)).replace('0000-0000-0000', `7000-8${number % tiedRows}00-0000`);
  const long = 'd'.repeat(99);

  /** Enough ids that their columns are in buckets. */
  const projectIds = Array.from({ length: 12 }, (_, number) => idOf(100_000 + 7_919 * number));
  const [someProject = '', tagA = '', tagB = '', tagC = ''] = projectIds;

  const ranks = { priority: ['none', 'low', 'high'] };
  const defaults = {
    priority: 'low',
    userId: null,
    projectId: null,
    ownerId: someProject,
    tagIds: [],
    color: 'blue',
  };

  const valuesOf = {
    status: ['open', 'done', 'late'],
    priority: ranks.priority,
    userId: [null, 'u1', 'u2', 'u3'],
    projectId: [null, ...projectIds],
    ownerId: [null, ...projectIds],
    tagIds: [[], [tagA], [tagA, tagB], [tagB, tagC], [tagC, tagB, tagA], projectIds],
    // Texts that look like lists.
    externalId: ['', someProject, `${tagB},${tagA}`],
    color: ['red', 'blue', 'BLUE', 'Ablue'],
    description: ['', long, `${long}😀`, `${long}😀1`, `${long}😀2`, 'E', 'é'],
  };

  /** Some names are frequent, most are not. */
  const nameOf = (random: Random): string =>
    random.chance(0.3)
      ? random.pick(['', 'a', 'A', 'ab', 'ΣΑΣ', 'σας', 'İx', 'i̇X', '😀', '\uffff', 'e\u0000'])
      : `${random.pick(['Plan', 'plan', 'É'])} ${random.below(400)}`;

  /** Returns an entity. Older ones do not have all fields. */
  function entityOf(random: Random, number: number, isOld: boolean): ItemFields {
    const { color, priority, projectId, ownerId, ...others } = Object.fromEntries(
      Object.entries(valuesOf).map(([field, values]) => [field, random.pick<unknown>(values)]),
    );
    const time = new Date(timeOf(number)).toISOString();
    const updatedAt = new Date(startMs + random.below(500)).toISOString();
    const newer = { color, ...(random.chance(0.8) && { priority }) };
    const references = (!isOld || random.chance(0.8)) && { projectId, ownerId };
    const more = { ...references, ...(!isOld && newer) };
    const entity = { id: idOf(number), name: nameOf(random), createdAt: time, updatedAt, ...others, ...more };
    return entity as unknown as ItemFields;
  }

  const anyOf = (values: readonly unknown[]) => {
    const texts = values.flat().filter((value) => value !== null) as string[];
    return (random: Random): string => (random.chance(0.1) ? 'none' : random.pick(texts));
  };

  /** Returns the first characters of a text: half of a surrogate pair is no text. */
  const beginningOf = (text: string, count: number): string => [...text].slice(0, count).join('');

  const anyTime = (random: Random): string =>
    new Date(startMs - 20 + random.below(rowCount / tiedRows + 60)).toISOString();
  const anyId = (random: Random): string => idOf(random.below(rowCount + 60));

  const fields: Readonly<Record<string, RandomField>> = {
    status: { type: 'text', value: anyOf(valuesOf.status), isCounted: true },
    priority: { type: 'enumeration', value: anyOf(valuesOf.priority), isCounted: true },
    userId: { type: 'nullable', value: anyOf(valuesOf.userId), isCounted: true },
    projectId: { type: 'nullable', value: anyOf(valuesOf.projectId), isCounted: true },
    ownerId: { type: 'nullable', value: anyOf(valuesOf.ownerId), isCounted: true },
    // The end of an id is no id.
    tagIds: { type: 'array', value: anyOf([...valuesOf.tagIds, tagA.slice(1)]), isCounted: true },
    externalId: { type: 'text', value: anyOf(valuesOf.externalId), isCounted: true },
    color: { type: 'text', value: anyOf(valuesOf.color), isCounted: true },
    description: { type: 'longText', value: anyOf(valuesOf.description) },
    name: { type: 'text', value: (random) => beginningOf(nameOf(random), 1 + random.below(5)) },
    id: { type: 'ordered', value: anyId },
    createdAt: { type: 'ordered', value: anyTime },
    updatedAt: { type: 'ordered', value: anyTime },
  };

  /** A log and what its lists must show. */
  interface Case {
    readonly log: LogBuilder;
    readonly entities: ReadonlyMap<string, ItemFields>;
  }

  /** Returns a log: columns, patches with changed and deleted rows, and pending records. */
  async function caseOf(seed: number): Promise<Case> {
    const random = new Random(seed);
    const log = new LogBuilder();
    const entities = new Map<string, ItemFields>();
    const commit = (stamp: number, changed: ReadonlyMap<string, ItemFields | undefined>): void => {
      for (const [id, entity] of changed) {
        if (entity) entities.set(id, entity);
        else entities.delete(id);
      }
      const rows = [...changed].map(([id, entity]) => [id, entity && toRow(entity)]);
      log.commit(stamp, Object.fromEntries(rows));
    };
    const deleted = new Set<string>();
    /** Returns an entity after its next change: undefined when that deletes it. */
    const nextOf = (id: string, number: number): ItemFields | undefined => {
      const before = entities.get(id);
      const isDeleted = before !== undefined && random.chance(0.3);
      if (isDeleted) deleted.add(id);
      return isDeleted ? undefined : { ...before, ...entityOf(random, number, false) };
    };
    const change = (stamp: number, share: number): void => {
      const changed = new Map<string, ItemFields | undefined>();
      for (let number = 0; number < rowCount + 50; number += 1) {
        const id = idOf(number);
        // An id is never used again, and an entity does not lose a field.
        if (!deleted.has(id) && random.chance(share)) changed.set(id, nextOf(id, number));
      }
      commit(stamp, changed);
    };
    const numbers = Array.from({ length: rowCount }, (_, number) => number).filter(() => random.chance(0.7));
    commit(startMs, new Map(numbers.map((number) => [idOf(number), entityOf(random, number, true)])));
    // In every third log, each patch is one item.
    const sizes = { maxRows: 400, bucketBytes: 100, maxSmallBytes: seed % 3 === 0 ? 100_000 : 0 };
    await log.compact(startMs + 1, sizes);
    change(laterMs + 10, 0.1);
    await log.compact(laterMs + 11, { ...sizes, maxShareOfColumn: 0.9 });
    change(laterMs + 20, 0.05);
    await log.compact(laterMs + 21, { ...sizes, maxShareOfColumn: 0.9 });
    const first = log.log.manifest?.segments[0];
    expect(first?.buckets).toMatchObject({ projectId: expect.any(Number), ownerId: expect.any(Number) });
    expect(['tagIds', 'externalId'].map((field) => first && isOfLists(first, field))).toEqual([true, true]);
    expect(log.log.manifest?.waiting).not.toEqual([]);
    if (random.chance(0.8)) change(laterMs + 30, 0.1);
    return { log, entities };
  }

  const memory = new ProcessMemory();

  async function requireRight(seed: number, { log, entities }: Case, query: ListQuery): Promise<void> {
    const expected = plainList(entities.values(), query);
    const source = { reader: log.log.open(), memory: memory.of(`tenant ${seed}`, 'task') };
    const { rows, total, counts } = await readRows(source, toRowQuery('task', query));
    const found = { ids: rows.map(({ id }) => id), total, counts };
    const ids = expected.entities.map(({ id }) => id);
    expect({ query, ...found }).toEqual({ query, ids, total: expected.total, counts: expected.counts });
  }

  /** Requires that a list which is read from cursor to cursor has each entity once, in its order. */
  async function requireWalk(seed: number, { log, entities }: Case, query: ListQuery): Promise<void> {
    const first = { ...query, page: 1, limit: 5 * query.limit };
    const source = { reader: log.log.open(), memory: memory.of(`tenant ${seed}`, 'task') };
    const ids: string[] = [];
    for (let after: ListQuery['after'] = 'start'; after && ids.length < first.limit; ) {
      const page = await readRows(source, toRowQuery('task', { ...query, after }));
      expect(page.skipped).toBe(ids.length);
      ids.push(...page.rows.map((row) => row.id));
      after = page.end && decodePlace('task', query, encodePlace('task', query, page.end));
    }
    const expected = plainList(entities.values(), first).entities.map(({ id }) => id);
    expect({ query, ids }).toEqual({ query, ids: expected });
  }

  test.each([1, 3])(
    'any list of the log %i is that of a plain search, page by page too, and an audit visits each row once',
    async (seed) => {
      const built = await caseOf(seed);
      const pages = fc.record({ page: fc.nat({ max: 12 }), limit: fc.constantFrom(1, 7, 20, 100, 1_000) });
      await fc.assert(
        fc.asyncProperty(fc.integer(), pages, async (querySeed, { page, limit }) => {
          const more = { page: page + 1, limit, ranks, defaults };
          const query = randomQuery(new Random(querySeed), fields, more);
          await requireRight(seed, built, query);
          await requireWalk(seed, built, query);
        }),
        { numRuns: runs(20, 150) },
      );
      const { log, entities } = built;
      const visited: [id: string, row: Row][] = [];
      const source = { reader: log.log.open(), memory: new ProcessMemory().of('acme', 'task') };
      const { rows, total } = await visitRows(source, Date.now(), (id, { row }) =>
        visited.push([id, withoutWords(row)]),
      );
      expect({ rows, total }).toEqual({ rows: entities.size, total: entities.size });
      expect(Object.fromEntries(visited)).toEqual(
        Object.fromEntries([...entities].map(([id, entity]) => [id, toRow(entity)])),
      );
    },
  );
});

describe('column-reader', () => {
  const [a, b, c] = [1, 2, 3].map(idOf) as [string, string, string];

  test('a column hides the values of patches that it contains already', async () => {
    const segment = makeSegment({ columns: { status: '3-cccccc' } });
    const log = new MemoryLog();
    const texts = ['open', 'open', 'done'];
    log.items.set('1-aaaaaa.0/3-cccccc/status', encodeColumn(buildColumn(texts)));
    const patches = ['2-aaaaaa', '3-aaaaaa', '4-aaaaaa'].map((step, row) => {
      const values = makePatchValues([segment.id, 'status', row, `patch ${row}`]);
      log.items.set(`patch:${step}/all`, encodePatch(values));
      return { step, values: 1, bytes: 30 };
    });
    const manifest = makeManifest({ segments: [segment], patches });
    const reader = new ColumnReader(manifest, log.open(), new ProcessMemory().of('acme', 'task'));
    await reader.loadColumns(['status']);
    expect(columnValues(reader.column(segment, 'status'))).toEqual(['open', 'open', 'patch 2']);
  });

  test('a column in buckets is read again if a replica does not have all buckets, and else is stale', async () => {
    const segment = makeSegment({ columns: { projectId: '1-aaaaaa' }, buckets: { projectId: 2 } });
    const log = new MemoryLog();
    const texts = [a, [b, c].find((id) => bucketOf(id, 2) !== bucketOf(a, 2)) ?? '', null];
    const names = [0, 1].map((bucket): ItemName => `1-aaaaaa.0/1-aaaaaa/projectId.${bucket}`);
    for (const [bucket, bytes] of divideIds(
      texts.map((id) => (id === null ? [] : [id])),
      2,
    )
      .map(encodeBucket)
      .entries())
      log.items.set(names[bucket] as ItemName, bytes);
    let reads = 0;
    const open = () =>
      new ColumnReader(
        makeManifest({ segments: [segment] }),
        log.open({ isLagging: () => reads++ === 0 }),
        new ProcessMemory().of('acme', 'task'),
      );
    const reader = open();
    await reader.loadColumns(['projectId']);
    expect(columnValues(reader.column(segment, 'projectId'))).toEqual(texts);
    expect(reads).toBe(2);
    log.items.delete(names[1] as ItemName);
    await expect(open().loadColumns(['projectId'])).rejects.toThrow(StaleRead);
  });
});

describe('list-rows', () => {
  const [a, b] = [1, 2].map(idOf) as [string, string];

  test.each([
    [1, 1],
    [10, 5],
  ])(
    'a list whose items are deleted %i times while it is read is read again, at most 5 times',
    async (times, count) => {
      const log = new LogBuilder();
      log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
      await log.compact(startMs + 1, { maxSmallBytes: 0 });
      let deletions = 0;
      const reader = log.log.open();
      const readHead: typeof reader.readHead = async (above) => {
        const head = await reader.readHead(above);
        if (deletions === times) return head;
        deletions += 1;
        log.commit(startMs + 100 * deletions, { [b]: { name: `b${deletions}` } });
        await log.compactAll(startMs + 100 * deletions + 1, { maxRows: 1, maxSmallBytes: 0 });
        const live = new Set(manifestNames(log.log.manifest as Manifest));
        for (const name of log.log.items.keys()) if (!live.has(name)) log.log.items.delete(name);
        return head;
      };
      const memory = new ProcessMemory().of('acme', 'task');
      const listed = readRows({ reader: { ...reader, readHead }, memory }, allRows);
      if (times === 1)
        await expect(listed).resolves.toMatchObject({ total: 2, rows: [{ id: a }, { id: b }] });
      else await expect(listed).rejects.toThrow(StaleRead);
      expect(deletions).toBe(count);
    },
  );

  test('a list ends between two segments when no time is left', async () => {
    const log = new LogBuilder();
    log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
    await log.compact(startMs + 1, { maxRows: 1 });
    const requireTime = () => {
      throw new StoreUnavailable('the list takes too long');
    };
    const reader = { ...log.log.open(), requireTime };
    const listed = readRows({ reader, memory: new ProcessMemory().of('acme', 'task') }, allRows);
    await expect(listed).rejects.toThrow(StoreUnavailable);
  });
});

describe('read-state', () => {
  let log: LogBuilder;
  let memory: ProcessMemory;
  /** The numbers of records that the calls have read. */
  let reads: readonly (readonly [call: string, above: number, records: number])[];

  let beforeHead: () => void;
  let beforeGaps: () => void;

  beforeEach(() => {
    [log, memory, reads] = [new LogBuilder(), new ProcessMemory(), []];
    [beforeHead, beforeGaps] = [() => undefined, () => undefined];
  });

  /** Commits a change of a row of its own at each of some positions. Those between them are holes. */
  const commitAt = (...positions: readonly number[]): void => {
    for (const position of positions) log.log.add(recordAt(position));
  };

  const recordAt = (position: number, previousPosition = 0): LogRecord => ({
    position,
    time: startMs + position,
    entries: [
      {
        id: idOf(position),
        version: previousPosition === 0 ? 1 : 2,
        previousPosition,
        before: previousPosition === 0 ? undefined : { name: 'before' },
        after: { name: String(position) },
      },
    ],
  });

  /** Reads the state as one process does. Returns the positions of the pending changes, and that up to which none is missing. */
  async function read(pageSize = 100) {
    const open = log.log.open({ pageSize });
    const calls: (readonly [string, number, number])[] = [];
    const reader: LogReader = {
      ...open,
      readHead: async (above) => {
        beforeHead();
        const head = await open.readHead(above);
        calls.push(['head', above, head.records.length]);
        return head;
      },
      oldestRecords: async (above, isEnough) => {
        const records = await open.oldestRecords(above, isEnough);
        calls.push(['oldest', above, records.length]);
        return records;
      },
      recordsAt: async (gaps) => {
        beforeGaps();
        return open.recordsAt(gaps);
      },
    };
    reads = calls;
    const { records, ...state } = await readState({ reader, memory: memory.of('acme', 'task') });
    const pending = [...mergeRecords(records).values()].map(({ after }) => Number(after?.['name']));
    return { ...state, manifest: undefined, pending: pending.sort((one, other) => one - other) };
  }

  /** The state of a log whose positions up to one were seen, with some holes. */
  const stateAt = (position: number, pending: readonly number[], holes: readonly number[] = []) => ({
    pending,
    progress: { position, holes },
    isComplete: true,
  });

  const manifestAt = (watermark: number): Manifest => makeManifest({ watermark });

  test('reads each record up to the first hole once, and those behind it again', async () => {
    commitAt(1, 2, 4, 5);
    expect(await read()).toEqual(stateAt(5, [1, 2, 4, 5], [3]));
    expect(reads).toEqual([['head', 0, 4]]);
    await read();
    expect(reads).toEqual([['head', 2, 2]]);
    commitAt(3);
    expect(await read()).toEqual(stateAt(5, [1, 2, 3, 4, 5]));
    await read();
    expect(reads).toEqual([['head', 5, 0]]);
  });

  test('reads nothing that the columns have, and forgets what they have now', async () => {
    commitAt(1, 2, 3);
    log.log.manifest = manifestAt(2);
    expect(await read()).toEqual(stateAt(3, [3]));
    expect(reads).toEqual([['head', 2, 1]]);
    log.log.manifest = manifestAt(3);
    expect(await read()).toEqual(stateAt(3, []));
  });

  test('reads some pages behind a hole, and gives up when there are more', async () => {
    const positions = Array.from({ length: 25 }, (_, number) => number + 2);
    commitAt(...positions);
    expect(await read(10)).toEqual(stateAt(26, positions, [1]));
    expect(reads).toEqual([
      ['head', 0, 10],
      ['oldest', 0, 10],
      ['oldest', 0, 25],
      ['head', 26, 0],
    ]);
    await expect(read(4)).rejects.toThrow(StoreUnavailable);
    commitAt(1);
    expect(await read(4)).toMatchObject({ progress: upTo(26) });
  });

  test('reads again when a hole is filled between two pages, after a later record', async () => {
    const positions = Array.from({ length: 25 }, (_, number) => number + 2);
    commitAt(...positions);
    beforeGaps = () => {
      beforeGaps = () => undefined;
      commitAt(27);
      commitAt(1);
    };
    expect(await read(10)).toEqual(stateAt(27, [1, ...positions, 27]));
  });

  test.each([3, 4])(
    'looks three times more while holes are filled, and gives up when there are more: %i holes',
    async (holes) => {
      const positions = Array.from({ length: 25 }, (_, number) => 2 * number + 2);
      commitAt(...positions);
      let filled = 0;
      beforeGaps = () => {
        if (filled < holes) commitAt(2 * filled + 1);
        filled += 1;
      };
      if (holes === 3) expect(await read(10)).toMatchObject({ isComplete: true });
      else await expect(read(10)).rejects.toThrow(StoreUnavailable);
      expect(filled).toBe(4);
    },
  );

  test.each([3, 4])(
    'reads three times more while the log grows by a page, and gives up when it goes on: %i pages',
    async (times) => {
      let grown = 0;
      beforeHead = () => {
        if (grown < times) commitAt(...Array.from({ length: 11 }, (_, number) => 11 * grown + number + 1));
        grown += 1;
      };
      if (times === 3) expect(await read(10)).toMatchObject({ progress: upTo(33) });
      else await expect(read(10)).rejects.toThrow(StoreUnavailable);
      expect(grown).toBe(4);
    },
  );

  test('shows what is behind more holes than a reader remembers, and says so', async () => {
    commitAt(1, maxHoles + 3);
    expect(await read()).toEqual({ ...stateAt(1, [1, maxHoles + 3]), isComplete: false });
  });

  test('reads again what a rebuild has taken out of the columns', async () => {
    commitAt(1, 2, 3);
    log.log.manifest = manifestAt(2);
    await read();
    log.log.manifest = manifestAt(1);
    expect(await read()).toEqual(stateAt(3, [2, 3]));
    expect(reads).toEqual([
      ['head', 3, 0],
      ['oldest', 1, 2],
      ['head', 3, 0],
    ]);
  });

  test('throws StaleRead when an earlier change of an entity is missing above the watermark', async () => {
    log.log.add(recordAt(3, 2));
    await expect(read()).rejects.toThrow(StaleRead);
    log.log.manifest = manifestAt(2);
    expect(await read()).toMatchObject({ pending: [3] });
  });

  test('is remembered with bytes for each entry of its records', async () => {
    const rows = Object.fromEntries(Array.from({ length: 40 }, (_, row) => [idOf(row), { name: '1' }]));
    for (let record = 1; record <= 10; record += 1) log.commit(startMs, rows);
    await read();
    expect(memory.bytes).toBeGreaterThan(10 * 40 * 2_000);
  });

  test.each([
    [5_999, 5],
    [6_000, 0],
  ])(
    'is remembered up to 15 MB: with %i entries in five records up to the record %i',
    async (count, known) => {
      const [entry] = recordAt(1).entries;
      const entries = Array.from(
        { length: count - 4 },
        (_, row) => ({ ...entry, id: idOf(row) }) as LogEntry,
      );
      log.log.add({ ...recordAt(1), entries });
      commitAt(2, 3, 4, 5);
      await read();
      await read();
      expect(reads).toEqual([['head', known, 5 - known]]);
    },
  );
});

describe('search-texts', () => {
  test.each([
    ['ΟΔΟΣ ΟΔΟΣ', 'οδοσ οδοσ'],
    ['İ', 'i\u0307'],
    ['\u212A', 'k'],
  ])('toSearchText of %j is %j', (text, expected) => {
    expect(toSearchText(text)).toBe(expected);
  });

  /** Returns the values that a search finds. */
  function search(values: readonly ColumnValue[], wanted: string, isBeginning: boolean, field = 'name') {
    const dictionary = buildDictionary(values);
    const accepted = new Uint8Array(dictionary.size);
    new SearchTexts(field, dictionary, () => {}).mark(accepted, wanted, isBeginning);
    return [...accepted.keys()].filter((one) => accepted[one] === 1).map((one) => dictionary.at(one));
  }

  test('does not search the hash of a long text', () => {
    const digest = rowText('description', 'X'.repeat(101));
    const [, hash = ''] = digest.split('\u0000');
    expect(search([digest], 'x'.repeat(100), true, 'description')).toEqual([digest]);
    expect(search([digest], toSearchText(hash), false, 'description')).toEqual([]);
  });

  test('stops lower-casing texts when the time of the request is over', () => {
    const texts = Array.from({ length: 5_000 }, (_, number) => `Α${number}`);
    let checks = 0;
    const requireTime = (): void => {
      checks += 1;
      if (checks > 2) throw new Error('The time is over.');
    };
    expect(() => new SearchTexts('name', buildDictionary(texts), requireTime)).toThrow('The time is over.');
    expect(checks).toBe(3);
  });
});

test('sort-key-counts PositionCounts of a few rows have only the positions of these', () => {
  const values = Array.from({ length: 100 }, (_, number) => String(number % 50).padStart(2, '0'));
  const column = new OrderedColumn(buildColumn(values), { field: 'name' });
  const counts = new PositionCounts(column, Uint32Array.of(70, 7, 20));
  expect([0, 1].map((position) => counts.columnPositionAt(position))).toEqual([7, 20]);
  expect([0, 1, 2].map((position) => counts.before(position))).toEqual([0, 1, 3]);
  expect([counts.size, counts.keyAt(1)]).toEqual([2, '20']);
  const all = new PositionCounts(column, Uint32Array.from(values.keys()));
  expect([all.size, all.columnPositionAt(7), all.before(8)]).toEqual([50, 7, 16]);
});

describe('row-filter', () => {
  const ids = Array.from({ length: 150 }, (_, number) => idOf(number));
  const others = ids.slice(100);
  const anyOf = (count: number) =>
    rowPredicate([{ field: 'tagIds', condition: { by: 'anyId', ids: ids.slice(0, count) } }]);

  test.each([1, 5, 6, 100])('any of %i ids accepts the texts that have one', (count) => {
    const [first = ''] = ids;
    const texts = [first, [...others, first].join(), '', others.join(), first.slice(1)];
    const accepted = texts.map((tagIds) => anyOf(count)({ tagIds }));
    expect(accepted).toEqual([true, true, false, false, false]);
    const part = { by: 'anyId', ids: ['', first.slice(1)] } as const;
    const hasPart = rowPredicate([{ field: 'tagIds', condition: part }]);
    expect(['', first].map((tagIds) => hasPart({ tagIds }))).toEqual([false, false]);
  });

  test('a hundred ids cost one comparison for each id of a text', () => {
    const accepts = anyOf(100);
    const spies = [jest.spyOn(String.prototype, 'includes'), jest.spyOn(Set.prototype, 'has')];
    accepts({ tagIds: others.join() });
    const comparisons = spies.map(({ mock }) => mock.calls.length);
    jest.restoreAllMocks();
    expect(comparisons).toEqual([0, others.length]);
  });
});
