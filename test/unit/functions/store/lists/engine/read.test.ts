import fc from 'fast-check';
import { bucketOf, encodeBuckets } from '#functions/store/lists/engine/format/buckets.ts';
import { buildColumn, columnValues, encodeColumn } from '#functions/store/lists/engine/format/column.ts';
import { buildDictionary, type ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import { encodeIdChunks, encodeIds, idAt } from '#functions/store/lists/engine/format/ids.ts';
import {
  bucketPrefix,
  emptyManifest,
  type ItemName,
  type Manifest,
  manifestNames,
  type Patch,
  patchName,
  type Segment,
  smallPatchName,
} from '#functions/store/lists/engine/format/manifest.ts';
import { encodePatch, type PatchValues } from '#functions/store/lists/engine/format/patch.ts';
import { type LogMemory, ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { ColumnReader } from '#functions/store/lists/engine/read/column-reader.ts';
import { countFields, countRows, ValueCounter } from '#functions/store/lists/engine/read/count-values.ts';
import {
  allIds,
  complementRanges,
  intersectRanges,
  isInRanges,
  rangeOfId,
  rangesBetween,
  unionRanges,
} from '#functions/store/lists/engine/read/id-ranges.ts';
import type { ListedRow } from '#functions/store/lists/engine/read/list-rows.ts';
import { OrderedColumn } from '#functions/store/lists/engine/read/ordered-column.ts';
import {
  describeSegment,
  divideAmongSegments,
  toSmallSegment,
} from '#functions/store/lists/engine/read/out-of-order-segment.ts';
import { visitRows } from '#functions/store/lists/engine/read/read-all-rows.ts';
import { readState } from '#functions/store/lists/engine/read/read-state.ts';
import {
  type FilteredColumn,
  isNotDeleted,
  isSearch,
  isText,
  matchingRows,
  onlyTexts,
  type RowFilter,
  rowPredicate,
  type TextCondition,
  textAfter,
  valuePredicate,
} from '#functions/store/lists/engine/read/row-filter.ts';
import { SearchTexts, toSearchText } from '#functions/store/lists/engine/read/search-texts.ts';
import {
  compareSortKeys,
  type SortKey,
  toSortKey,
  type ValueOrder,
} from '#functions/store/lists/engine/read/sort-key.ts';
import {
  countBelow,
  ListedKeys,
  lowerBound,
  PositionCounts,
  rowKeyAt,
  type SortKeyCounts,
  upperBound,
} from '#functions/store/lists/engine/read/sort-key-counts.ts';
import { StaleRead } from '#functions/store/lists/engine/read/stale-read.ts';
import type { LogReader } from '#functions/store/lists/engine/storage.ts';
import { toRowQuery } from '#functions/store/lists/to-row-query.ts';
import type { ItemFields } from '#functions/store/model/entity.ts';
import { StoreUnavailable } from '#functions/store/model/errors.ts';
import { firstIdAt } from '#functions/store/model/ids.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import { type Row, rowText, toRow } from '#functions/store/model/row.ts';
import { Random } from '#test/simulation/random.ts';
import { allRows, idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';
import { plainList } from '#test/support/plain-list.ts';
import { type RandomField, randomQuery } from '#test/support/random-queries.ts';
import { readRows } from '#test/support/read-rows.ts';
import { runs } from '#test/support/runs.ts';
import { makeManifest, makePatchValues, makeSegment, type PatchEntry } from '#test/support/segments.ts';
import { long, order, value } from '#test/support/sort-values.ts';

describe('any-list', () => {
  /**
   * Compares any list with a plain search: segments of several chunks of ids, columns in buckets, values in patches, deleted rows, a new field,
   * out-of-order rows, and pending records.
   */

  const rowCount = 1_100;

  /** When the first rows are so old that later ones among their ids are out of order. */
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
  const [someProject = ''] = projectIds;

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
    tagIds: [[], ['a'], ['a', 'b'], ['b', 'c']],
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
    tagIds: { type: 'array', value: anyOf(valuesOf.tagIds), isCounted: true },
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
    // In every third log, segments are one item each.
    const sizes = { maxRows: 400, bucketBytes: 100, maxSmallBytes: seed % 3 === 0 ? 100_000 : 0 };
    await log.compact(startMs + 1, sizes);
    change(laterMs + 10, 0.1);
    await log.compact(laterMs + 11, { ...sizes, maxShareOfColumn: 0.9 });
    change(laterMs + 20, 0.05);
    await log.compact(laterMs + 21, { ...sizes, maxShareOfColumn: 0.9 });
    const first = log.log.manifest?.segments[0];
    expect(first?.isSmall ?? first?.buckets).toEqual(
      seed % 3 === 0 ||
        expect.objectContaining({ projectId: expect.any(Number), ownerId: expect.any(Number) }),
    );
    expect(log.log.manifest?.outOfOrder).not.toEqual([]);
    if (random.chance(0.8)) change(laterMs + 30, 0.1);
    return { log, entities };
  }

  const memory = new ProcessMemory();

  async function requireRight(seed: number, { log, entities }: Case, query: ListQuery): Promise<void> {
    const expected = plainList(entities.values(), query);
    const source = { reader: log.log.open(), memory: memory.of(`tenant ${seed}`, 'task'), nowMs: laterMs };
    const { rows, total, counts } = await readRows(source, toRowQuery('task', query));
    const found = { ids: rows.map(({ id }) => id), total, counts };
    const ids = expected.entities.map(({ id }) => id);
    expect({ query, ...found }).toEqual({ query, ids, total: expected.total, counts: expected.counts });
  }

  describe('any list has the rows, the total and the counts of a plain search', () => {
    test.each([1, 2, 3])('in the log %i', async (seed) => {
      const built = await caseOf(seed);
      const pages = fc.record({ page: fc.nat({ max: 12 }), limit: fc.constantFrom(1, 7, 20, 100, 1_000) });
      await fc.assert(
        fc.asyncProperty(fc.integer(), pages, async (querySeed, { page, limit }) => {
          const more = { page: page + 1, limit, ranks, defaults };
          await requireRight(seed, built, randomQuery(new Random(querySeed), fields, more));
        }),
        { numRuns: runs(30, 150) },
      );
    });
  });

  test.each([1, 2, 3])('an audit visits each row of the log %i once', async (seed) => {
    const { log, entities } = await caseOf(seed);
    const visited: [id: string, row: Row][] = [];
    const source = {
      reader: log.log.open(),
      memory: new ProcessMemory().of('acme', 'task'),
      nowMs: laterMs + 60_000,
    };
    const { rows, total } = await visitRows(source, (id, { row }) => visited.push([id, row]));
    expect({ rows, total }).toEqual({ rows: entities.size, total: entities.size });
    expect(Object.fromEntries(visited)).toEqual(
      Object.fromEntries([...entities].map(([id, entity]) => [id, toRow(entity)])),
    );
  });
});

describe('column-reader', () => {
  const ids = [1, 2, 3].map(idOf);

  const segment = makeSegment({ columns: { name: '1-aaaaaa', status: '3-cccccc' } });

  type FieldValues = readonly (readonly [field: string, row: number, value: ColumnValue])[];

  const valuesOf = (values: FieldValues): PatchValues =>
    makePatchValues(...values.map((entry): PatchEntry => [segment.id, ...entry]));

  let items: Map<ItemName, Uint8Array>;
  let reads: {
    readonly names?: readonly ItemName[];
    readonly column?: ItemName;
    readonly isConsistent: boolean;
  }[];

  /** Items that replicas do not have yet. */
  let recent: Set<ItemName>;
  let memory: LogMemory;

  beforeEach(() => {
    const { chunks, fence } = encodeIdChunks(ids);
    items = new Map<ItemName, Uint8Array>([
      ['1-aaaaaa.0/1-aaaaaa/name', encodeColumn(buildColumn(['a', 'b', 'c']))],
      ['1-aaaaaa.0/3-cccccc/status', encodeColumn(buildColumn(['open', 'open', 'done']))],
      ['1-aaaaaa.0/fence', fence],
      ['1-aaaaaa.0/ids0', chunks[0] as Buffer],
    ]);
    reads = [];
    recent = new Set();
    memory = new ProcessMemory().of('acme', 'task');
  });

  const reader = {
    requireTime: () => undefined,
    readItems: async (names, isConsistent) => {
      reads.push({ names, isConsistent });
      const found = names.filter((name) => items.has(name) && (isConsistent || !recent.has(name)));
      return new Map(found.map((name) => [name, items.get(name) as Uint8Array]));
    },
    readBuckets: async (column, isConsistent) => {
      reads.push({ column, isConsistent });
      const found = [...items].filter(([name]) => name.startsWith(bucketPrefix(column)));
      return new Map(found.filter(([name]) => isConsistent || !recent.has(name)));
    },
  } as Pick<LogReader, 'readItems' | 'readBuckets' | 'requireTime'> as LogReader;

  /** Adds the item of a small patch. */
  function addPatch(step: string, values: FieldValues): Patch {
    items.set(smallPatchName(step), encodePatch(valuesOf(values)));
    return { step, values: values.length, bytes: 30 };
  }

  const readerOf = (...patches: Patch[]): ColumnReader =>
    new ColumnReader(makeManifest({ segments: [segment], patches }), reader, memory);

  async function valuesIn(columnReader: ColumnReader, field: string): Promise<ColumnValue[]> {
    await columnReader.loadColumns([field]);
    return columnValues(columnReader.column(segment, field));
  }

  describe('a column', () => {
    test('without patches has the values of its item', async () => {
      expect(await valuesIn(readerOf(), 'name')).toEqual(['a', 'b', 'c']);
      expect(reads).toEqual([{ names: ['1-aaaaaa.0/1-aaaaaa/name'], isConsistent: false }]);
    });

    test('has the values of the newest patch', async () => {
      const older = addPatch('2-aaaaaa', [
        ['name', 0, 'd'],
        ['name', 1, 'e'],
      ]);
      const newer = addPatch('3-aaaaaa', [
        ['name', 1, null],
        ['status', 1, 'done'],
      ]);
      expect(await valuesIn(readerOf(older, newer), 'name')).toEqual(['d', null, 'c']);
    });

    test('hides the values of patches that it contains already', async () => {
      const older = addPatch('2-aaaaaa', [['status', 0, 'late']]);
      const same = addPatch('3-aaaaaa', [['status', 1, 'late']]);
      const newer = addPatch('4-aaaaaa', [['status', 2, 'new']]);
      expect(await valuesIn(readerOf(older, same, newer), 'status')).toEqual(['open', 'open', 'new']);
    });

    test('of a field that is newer than the segment has the values of patches, and is absent elsewhere', async () => {
      expect(await valuesIn(readerOf(), 'color')).toEqual([undefined, undefined, undefined]);
      const patch = addPatch('2-aaaaaa', [['color', 1, 'red']]);
      expect(await valuesIn(readerOf(patch), 'color')).toEqual([undefined, 'red', undefined]);
    });

    test('has the values of a large patch, of which only the items of the field are read', async () => {
      const all: FieldValues = [
        ['name', 0, 'd'],
        ['name', 2, 'e'],
        ['status', 0, 'done'],
      ];
      for (const [number, values] of all.slice(0, 2).entries()) {
        items.set(patchName('2-aaaaaa', 'name', number), encodePatch(valuesOf([values])));
      }
      items.set(patchName('2-aaaaaa', 'status', 0), encodePatch(valuesOf(all.slice(2))));
      const patch: Patch = { step: '2-aaaaaa', values: 3, bytes: 90, items: { name: 2, status: 1 } };
      const columnReader = readerOf(patch);
      expect(await valuesIn(columnReader, 'name')).toEqual(['d', 'b', 'e']);
      expect(reads.flatMap(({ names }) => names)).toEqual([
        '1-aaaaaa.0/1-aaaaaa/name',
        'patch:2-aaaaaa/name.0',
        'patch:2-aaaaaa/name.1',
      ]);
      await columnReader.loadPatches([patch]);
      expect(columnReader.patchValues(patch)).toEqual(valuesOf(all));
    });
  });

  describe('a column in buckets', () => {
    const [first = '', ...others] = ids;
    const second = others.find((id) => bucketOf(id, 2) !== bucketOf(first, 2)) ?? '';
    const bucketed: Segment = { ...segment, columns: { projectId: '1-aaaaaa' }, buckets: { projectId: 2 } };
    const names = ['1-aaaaaa.0/1-aaaaaa/projectId.0', '1-aaaaaa.0/1-aaaaaa/projectId.1'] as const;
    const isProject = (...texts: string[]): RowFilter => ({
      field: 'projectId',
      condition: { by: 'texts', texts },
    });
    const snapshotWith = (...patches: Patch[]): ColumnReader =>
      new ColumnReader(makeManifest({ segments: [bucketed], patches }), reader, memory);

    beforeEach(() => {
      const encoded = encodeBuckets(buildColumn([first, second, null]), 2);
      for (const [position, name] of names.entries()) items.set(name, encoded[position] as Buffer);
    });

    test('has the values of all buckets', async () => {
      const columnReader = snapshotWith(addPatch('2-aaaaaa', [['projectId', 0, second]]));
      await columnReader.loadColumns(['projectId']);
      expect(columnValues(columnReader.column(bucketed, 'projectId'))).toEqual([second, second, null]);
      expect(reads).toEqual([
        { names: [smallPatchName('2-aaaaaa')], isConsistent: false },
        { column: '1-aaaaaa.0/1-aaaaaa/projectId', isConsistent: false },
      ]);
    });

    test('is read without the buckets that are in memory', async () => {
      await snapshotWith().loadFilters([{ segment: bucketed, filters: [isProject(first)] }], []);
      await snapshotWith().loadColumns(['projectId']);
      expect(reads.map((read) => read.names)).toEqual([
        [names[bucketOf(first, 2)]],
        [names[bucketOf(second, 2)]],
      ]);
    });

    test('is read again if a replica does not have all buckets', async () => {
      recent.add(names[0]);
      const columnReader = snapshotWith();
      await columnReader.loadColumns(['projectId']);
      expect(columnValues(columnReader.column(bucketed, 'projectId'))).toEqual([first, second, null]);
      expect(reads).toEqual([
        { column: '1-aaaaaa.0/1-aaaaaa/projectId', isConsistent: false },
        { names: [names[0]], isConsistent: true },
      ]);
    });

    test('throws when a bucket is gone', async () => {
      items.delete(names[1]);
      await expect(snapshotWith().loadColumns(['projectId'])).rejects.toThrow(StaleRead);
    });

    test('has the rows with one id, of which one bucket and the patches are read', async () => {
      const patch = addPatch('2-aaaaaa', [['projectId', 2, second]]);
      const columnReader = snapshotWith(patch);
      await columnReader.loadFilters([{ segment: bucketed, filters: [isProject(second)] }], []);
      const column = columnReader.filterColumn(bucketed, isProject(second));
      expect(columnValues(column)).toEqual([undefined, second, second]);
      const read = [names[bucketOf(second, 2)], smallPatchName('2-aaaaaa')];
      expect(reads).toEqual([{ names: read, isConsistent: false }]);
    });

    test('has all values for a filter that needs all buckets', async () => {
      const filters: RowFilter[] = [
        isProject(first, second),
        { ...isProject(first), isNegated: true, acceptsNull: true },
      ];
      const columnReader = snapshotWith();
      await columnReader.loadFilters([{ segment: bucketed, filters }], []);
      for (const filter of filters)
        expect(columnValues(columnReader.filterColumn(bucketed, filter))).toEqual([first, second, null]);
      expect(reads).toEqual([{ column: '1-aaaaaa.0/1-aaaaaa/projectId', isConsistent: false }]);
    });

    test('is read with the columns of the order at once', async () => {
      items.set('1-aaaaaa.0/1-aaaaaa/name', encodeColumn(buildColumn(['a', 'b', 'c'])));
      const named = { ...bucketed, columns: { ...bucketed.columns, name: '1-aaaaaa' } };
      await snapshotWith().loadFilters([{ segment: named, filters: [isProject(first)] }], ['name']);
      const read = [names[bucketOf(first, 2)], '1-aaaaaa.0/1-aaaaaa/name'];
      expect(reads).toEqual([{ names: read, isConsistent: false }]);
    });
  });

  describe('the ids of a segment', () => {
    test('are read by chunk', async () => {
      const columnReader = readerOf();
      await columnReader.loadAllIds([segment]);
      const chunk = columnReader.ids(segment, 0);
      expect([0, 1, 2].map((position) => idAt(chunk, position))).toEqual(ids);
    });

    test('have a fence with the first id of each chunk', async () => {
      const columnReader = readerOf();
      await columnReader.loadFences([segment]);
      expect(idAt(columnReader.fence(segment), 0)).toBe(ids[0]);
    });
  });

  describe('an item', () => {
    test('is read once by processes that share a memory', async () => {
      await valuesIn(readerOf(), 'name');
      await valuesIn(readerOf(), 'name');
      expect(reads).toHaveLength(1);
    });

    test('is kept by a list when the memory has no room for it', async () => {
      memory = new ProcessMemory(1).of('acme', 'task');
      const columnReader = readerOf();
      await valuesIn(columnReader, 'name');
      await valuesIn(columnReader, 'name');
      expect(reads).toHaveLength(1);
    });

    test('that a replica does not have yet is read consistently', async () => {
      recent.add('1-aaaaaa.0/1-aaaaaa/name');
      const columnReader = readerOf();
      await columnReader.loadColumns(['name', 'status']);
      expect(columnValues(columnReader.column(segment, 'name'))).toEqual(['a', 'b', 'c']);
      expect(reads).toEqual([
        { names: ['1-aaaaaa.0/1-aaaaaa/name', '1-aaaaaa.0/3-cccccc/status'], isConsistent: false },
        { names: ['1-aaaaaa.0/1-aaaaaa/name'], isConsistent: true },
      ]);
    });

    test('that was deleted throws StaleRead', async () => {
      items.delete('1-aaaaaa.0/1-aaaaaa/name');
      await expect(readerOf().loadColumns(['name'])).rejects.toThrow(StaleRead);
      await expect(readerOf().loadColumns(['name'])).rejects.toThrow(
        'A list was read while it changed: the item 1-aaaaaa.0/1-aaaaaa/name is gone.',
      );
    });

    test('that was not loaded is a programming error', () => {
      expect(() => readerOf().ids(segment, 0)).toThrow('The item 1-aaaaaa.0/ids0 was not loaded.');
    });
  });
});

describe('count-values', () => {
  describe('ValueCounter', () => {
    test('counts the values of rows of several columns, and changes', () => {
      const counter = new ValueCounter({ field: 'status' });
      counter.addRows(buildColumn(['open', 'done', 'open', null]), Uint32Array.of(0, 2, 3));
      counter.addRows(buildColumn(['done', 'open']), Uint32Array.of(0, 1));
      counter.add('open', -1);
      counter.add('done', -1);
      counter.add('late', 1);
      expect(counter.values()).toEqual([
        { value: 'open', count: 2 },
        { value: null, count: 1 },
        { value: 'late', count: 1 },
      ]);
    });

    test('has equal counts in the order of the field: by rank, or by code point, and null first', () => {
      const byRank = new ValueCounter({ field: 'priority', ranks: ['low', 'high'] });
      for (const value of ['high', null, 'low']) byRank.add(value, 1);
      expect(byRank.values().map(({ value }) => value)).toEqual([null, 'low', 'high']);
      const byText = new ValueCounter({ field: 'name' });
      for (const value of ['\u{1F600}', '\uFFFD', 'b', null, 'a']) byText.add(value, 1);
      expect(byText.values().map(({ value }) => value)).toEqual([null, 'a', 'b', '\uFFFD', '\u{1F600}']);
    });

    test('counts rows that are older than the field as its default', () => {
      const counter = new ValueCounter({ field: 'priority', defaultValue: 'low' });
      counter.addRows(buildColumn(['low', undefined, null]), Uint32Array.of(0, 1, 2));
      expect(counter.values()).toEqual([
        { value: 'low', count: 2 },
        { value: null, count: 1 },
      ]);
    });

    test('counts each id of an array, and an empty array for nothing', () => {
      const counter = new ValueCounter({ field: 'tagIds', isArray: true, defaultValue: '' });
      counter.addRows(buildColumn(['a,b', '', 'b', undefined]), Uint32Array.of(0, 1, 2, 3));
      counter.add('a,c', -1);
      counter.add('c', 1);
      expect(counter.values()).toEqual([{ value: 'b', count: 2 }]);
    });

    test('has the 100 most frequent values', () => {
      const counter = new ValueCounter({ field: 'userId' });
      for (let number = 0; number < 150; number += 1) counter.add(`u${number}`, number + 1);
      const values = counter.values();
      expect([values.length, values[0], values.at(-1)]).toEqual([
        100,
        { value: 'u149', count: 150 },
        { value: 'u50', count: 51 },
      ]);
    });
  });

  test('countFields and countRows return the counts by field', () => {
    const fields = [{ field: 'status' }, { field: 'userId' }];
    expect(countRows(fields, [{ status: 'open', userId: null }])).toEqual({
      status: [{ value: 'open', count: 1 }],
      userId: [{ value: null, count: 1 }],
    });
    expect(countRows(fields, [])).toEqual({ status: [], userId: [] });
    expect(countFields([{ field: 'status' }], (counter, field) => counter.add(field, 2))).toEqual({
      status: [{ value: 'status', count: 2 }],
    });
    expect(countFields([], () => undefined)).toEqual({});
  });
});

describe('id-ranges', () => {
  const range = (from: string, to: string) => ({ from, to });

  describe('unionRanges', () => {
    test('sorts ranges, and merges those that overlap or touch', () => {
      expect(unionRanges([range('5', '6'), range('1', '2'), range('2', '3'), range('51', '7')])).toEqual([
        range('1', '3'),
        range('5', '7'),
      ]);
      expect(unionRanges([range('1', '5'), range('2', '3')])).toEqual([range('1', '5')]);
    });

    test('leaves out empty ranges, and what is outside of all ids', () => {
      expect(unionRanges([range('2', '2'), range('3', '2'), range('', ''), range('zz', 'zzz')])).toEqual([]);
      expect(unionRanges([range('', '2'), range('f', 'zz')])).toEqual([
        range(allIds.from, '2'),
        range('f', allIds.to),
      ]);
    });
  });

  test('complementRanges returns the gaps', () => {
    expect(complementRanges([])).toEqual([allIds]);
    expect(complementRanges([allIds])).toEqual([]);
    expect(complementRanges([range('1', '2'), range('5', '6')])).toEqual([
      range(allIds.from, '1'),
      range('2', '5'),
      range('6', allIds.to),
    ]);
    expect(complementRanges([range(allIds.from, '1')])).toEqual([range('1', allIds.to)]);
  });

  test('intersectRanges returns what both sets have', () => {
    const set = [range('1', '4'), range('6', '8')];
    expect(intersectRanges(set, [range('2', '7')])).toEqual([range('2', '4'), range('6', '7')]);
    expect(intersectRanges(set, [range('4', '6')])).toEqual([]);
    expect(intersectRanges(set, [])).toEqual([]);
    expect(intersectRanges([allIds], set)).toEqual(set);
  });

  test('rangesBetween returns the part of a set between two ids', () => {
    expect(rangesBetween([range('1', '4'), range('6', '8')], '3', '7')).toEqual([
      range('3', '4'),
      range('6', '7'),
    ]);
    expect(rangesBetween([allIds], '7', '3')).toEqual([]);
  });

  test('rangeOfId contains only the id', () => {
    const set = [rangeOfId('5a')];
    expect(['5a', '5', '5a0', '59', '5b'].map((id) => isInRanges(set, id))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test('without a set, every id is in it', () => {
    expect(isInRanges(undefined, '5')).toBe(true);
    expect(isInRanges([], '5')).toBe(false);
  });

  const texts = Array.from({ length: 16 }, (_, number) => number.toString(16));
  const anyRange = fc.tuple(fc.constantFrom(...texts), fc.constantFrom(...texts, 'g'));
  const ranges = fc.array(
    anyRange.map(([from, to]) => range(from, to)),
    { maxLength: 5 },
  );

  test('sets have the ids that their ranges have, in ascending ranges that do not touch', () => {
    fc.assert(
      fc.property(ranges, ranges, (one, other) => {
        const [first, second] = [unionRanges(one), unionRanges(other)];
        const isIn = (all: typeof one, id: string) => all.some(({ from, to }) => id >= from && id < to);
        for (const id of texts) {
          expect(isInRanges(first, id)).toBe(isIn(one, id));
          expect(isInRanges(complementRanges(first), id)).toBe(!isIn(one, id));
          expect(isInRanges(intersectRanges(first, second), id)).toBe(isIn(one, id) && isIn(other, id));
        }
        for (const set of [first, complementRanges(first), intersectRanges(first, second)]) {
          const ends = set.flatMap(({ from, to }) => [from, to]);
          expect(ends).toEqual([...new Set(ends)].sort());
        }
      }),
    );
  });
});

describe('list-rows', () => {
  const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];

  const listed = (id: string, version: number): ListedRow => ({ id, version });

  let log: LogBuilder;

  beforeEach(() => {
    log = new LogBuilder();
  });

  test('an empty log has no rows', async () => {
    expect(await log.list()).toEqual({ rows: [], total: 0, skipped: 0, counts: {} });
  });

  describe('a log that nobody has compacted', () => {
    beforeEach(() => {
      log.commit(startMs, { [b]: { name: 'b' }, [a]: { name: 'x' } });
      log.commit(startMs + 1, { [a]: { name: 'a' }, [c]: { name: 'c' } });
      log.commit(startMs + 2, { [c]: undefined, [d]: { name: 'a' } });
    });

    test('has the rows of its records, in the order of creation', async () => {
      expect(await log.list()).toMatchObject({
        rows: [listed(a, 2), listed(b, 1), listed(d, 1)],
        total: 3,
      });
    });

    test('is sorted by a field, then by id, each in both directions', async () => {
      const order = { field: 'name', isDescending: false };
      expect(await log.ids({ orders: [order] })).toEqual([a, d, b]);
      expect(await log.ids({ orders: [order], isDescending: true })).toEqual([d, a, b]);
      expect(await log.ids({ orders: [{ ...order, isDescending: true }] })).toEqual([b, a, d]);
      expect(await log.ids({ orders: [{ ...order, isDescending: true }], isDescending: true })).toEqual([
        b,
        d,
        a,
      ]);
    });

    test('is filtered', async () => {
      expect(await log.ids({ filters: [isText('name', 'a')] })).toEqual([a, d]);
    });
  });

  describe('a compacted log', () => {
    beforeEach(async () => {
      log.commit(startMs, { [a]: { name: 'b', status: 'open' }, [b]: { name: 'a', status: 'done' } });
      log.commit(startMs + 1, { [c]: { name: 'c', status: 'open' } });
      await log.compact(startMs + 2);
    });

    test('has the rows of its columns', async () => {
      expect(await log.list()).toMatchObject({ rows: [listed(a, 1), listed(b, 1), listed(c, 1)], total: 3 });
    });

    test('has rows that were added since', async () => {
      log.commit(startMs + 10, { [d]: { name: 'd', status: 'open' } });
      expect(await log.list()).toMatchObject({
        rows: [listed(a, 1), listed(b, 1), listed(c, 1), listed(d, 1)],
        total: 4,
      });
    });

    test('has rows that were added since among the ids of older ones', async () => {
      const between = idOf(1).replace(/0$/, '1');
      log.commit(startMs + 10, { [between]: { name: 'd', status: 'open' } });
      expect(await log.ids()).toEqual([a, between, b, c]);
      expect(await log.ids({ skip: 1, limit: 1 })).toEqual([between]);
    });

    test('does not have rows that were deleted since', async () => {
      log.commit(startMs + 10, { [b]: undefined });
      expect(await log.list()).toMatchObject({ rows: [listed(a, 1), listed(c, 1)], total: 2 });
    });

    test('has a changed row with its new version and in its new place', async () => {
      log.commit(startMs + 10, { [a]: { name: 'z', status: 'open' } });
      const rows = [listed(b, 1), listed(c, 1), listed(a, 2)];
      expect(await log.list({ orders: [{ field: 'name', isDescending: false }] })).toMatchObject({
        rows,
        total: 3,
      });
    });

    test('marks a row as recent although its place has not changed', async () => {
      log.commit(startMs + 10, { [a]: { name: 'z', status: 'open' } });
      expect(await log.list({ limit: 1 })).toMatchObject({ rows: [listed(a, 2)], total: 3 });
    });

    test('counts a changed row only where it matches', async () => {
      log.commit(startMs + 10, { [a]: { name: 'b', status: 'done' }, [b]: { name: 'a', status: 'open' } });
      expect(await log.list({ filters: [isText('status', 'open')] })).toMatchObject({
        rows: [listed(b, 2), listed(c, 1)],
        total: 2,
      });
    });

    test('has a row that was created and deleted since neither on a page nor in the total', async () => {
      log.commit(startMs + 10, { [d]: { name: 'd', status: 'open' } });
      log.commit(startMs + 11, { [d]: undefined });
      expect(await log.list()).toMatchObject({ total: 3 });
    });

    test('has pages from both ends', async () => {
      expect(await log.list({ skip: 1, limit: 1 })).toMatchObject({ rows: [listed(b, 1)], total: 3 });
      expect(await log.list({ skip: 0, limit: 2, isDescending: true })).toMatchObject({
        rows: [{ id: c }, { id: b }],
      });
      expect(await log.list({ skip: 2, limit: 2, isDescending: true })).toMatchObject({ rows: [{ id: a }] });
      expect(await log.list({ skip: 3, limit: 2 })).toMatchObject({ rows: [], total: 3 });
    });

    test('does not have the row at the end of a range of ids', async () => {
      expect(await log.list({ ids: [{ from: a, to: c }] })).toMatchObject({
        rows: [listed(a, 1), listed(b, 1)],
        total: 2,
      });
    });

    test('has the rows of a range of ids', async () => {
      log.commit(startMs + 10, { [d]: { name: 'd', status: 'open' }, [c]: { name: 'e', status: 'open' } });
      expect(await log.ids({ ids: [{ from: b, to: d }] })).toEqual([b, c]);
      expect(await log.ids({ ids: [] })).toEqual([]);
      expect(
        await log.ids({
          ids: [
            { from: a, to: b },
            { from: c, to: 'g' },
          ],
        }),
      ).toEqual([a, c, d]);
    });
  });

  describe('a list that is read while the log changes', () => {
    let deletions: number;

    beforeEach(async () => {
      log.commit(startMs, { [a]: { name: 'a' } });
      await log.compact(startMs + 1, { maxSmallBytes: 0 });
      log.commit(startMs + 10, { [a]: { name: 'a2' }, [b]: { name: 'b' } });
    });

    /** Reads a list. After its first reads, compaction replaces the items that it needs and deletes them. */
    function listWhileCompacting(times: number) {
      deletions = 0;
      const reader = log.log.open();
      const readHead: LogReader['readHead'] = async (above) => {
        const head = await reader.readHead(above);
        if (deletions < times) {
          deletions += 1;
          log.commit(startMs + 100 * deletions, { [b]: { name: `b${deletions}` } });
          await log.compactAll(startMs + 100 * deletions + 1, { maxRows: 1, maxSmallBytes: 0 });
          const live = new Set(manifestNames(log.log.manifest as Manifest));
          for (const name of log.log.items.keys()) if (!live.has(name)) log.log.items.delete(name);
        }
        return head;
      };
      const memory = new ProcessMemory().of('acme', 'task');
      return readRows({ reader: { ...reader, readHead }, memory, nowMs: startMs }, allRows);
    }

    test('starts again when an item that it needs was deleted', async () => {
      expect(await listWhileCompacting(1)).toMatchObject({
        total: 2,
        rows: [{ id: a }, { id: b, version: 2 }],
      });
    });

    test('throws StaleRead when it was deleted during each attempt', async () => {
      await expect(listWhileCompacting(10)).rejects.toThrow(StaleRead);
      expect(deletions).toBe(5);
    });
  });

  test('a list ends between two segments, and between two columns that it decodes, when no time is left', async () => {
    const rows = Array.from({ length: 3 }, (_, number) => [idOf(number), { name: `${number}` }] as const);
    log.commit(startMs, Object.fromEntries(rows));
    await log.compact(startMs + 1, { maxRows: 1 });
    const reader = log.log.open();
    const memory = new ProcessMemory().of('acme', 'task');
    let calls = 0;
    const listWithin = (maxCalls: number): Promise<unknown> => {
      calls = 0;
      const requireTime = (): void => {
        calls += 1;
        if (calls > maxCalls) throw new StoreUnavailable('the list takes too long');
      };
      const query = { ...allRows, filters: [isText('name', '1')], limit: 0 };
      return readRows({ reader: { ...reader, requireTime }, memory, nowMs: startMs }, query);
    };
    // Three columns and three segments.
    await expect(listWithin(5)).rejects.toThrow(StoreUnavailable);
    await expect(listWithin(2)).rejects.toThrow(StoreUnavailable);
    await expect(listWithin(3)).resolves.toMatchObject({ total: 1 });
  });
});

describe('ordered-column', () => {
  test('OrderedColumn has the distinct values in the order of their sort keys', () => {
    fc.assert(
      fc.property(order, fc.array(value, { maxLength: 25 }), (by, values) => {
        const column = new OrderedColumn(buildColumn(values), by);
        const keys = Array.from({ length: column.size }, (_, position) => column.keyAt(position));
        expect(keys).toEqual(keys.toSorted(compareSortKeys));
        for (const [row, one] of values.entries())
          expect(compareSortKeys(column.keyAt(column.positionOf(row)), toSortKey(by, one))).toBe(0);
      }),
    );
  });

  test('countsOf counts some rows, and all rows once', () => {
    const column = new OrderedColumn(buildColumn(['b', 'a', 'b']), { field: 'name' });
    const all = column.countsOf(Uint32Array.of(0, 1, 2));
    expect(all).toEqual(new PositionCounts(column, Uint32Array.of(0, 1, 2)));
    expect(column.countsOf(Uint32Array.of(0, 1, 2))).toBe(all);
    expect(column.countsOf(Uint32Array.of(0, 2)).before(1)).toBe(0);
    expect(column.countsOf(Uint32Array.of(0, 2)).before(2)).toBe(2);
  });

  test('rowsBetween returns the rows of some positions in their order', () => {
    const bounds = fc.tuple(fc.nat(26), fc.nat(26));
    fc.assert(
      fc.property(order, fc.array(value, { maxLength: 25 }), bounds, (by, values, [one, other]) => {
        const column = new OrderedColumn(buildColumn(values), by);
        const from = Math.min(one, other, column.size);
        const to = Math.min(Math.max(one, other), column.size);
        const rows = [...values.keys()].filter((row) => {
          const position = column.positionOf(row);
          return position >= from && position < to;
        });
        expect([...column.rowsBetween({ from, to })]).toEqual(rows);
      }),
    );
  });
});

describe('out-of-order-segment', () => {
  test('returns out-of-order rows in the order of their ids, with their versions', () => {
    const rowOf = (number: number, to: number, name: string) =>
      [
        idOf(number),
        { id: idOf(number), from: 0, to, previousStamp: 0, before: undefined, after: { name } },
      ] as const;
    const { ids, columns } = toSmallSegment(new Map([rowOf(9, 3, 'Late'), rowOf(4, 1, 'Early')]));
    expect([idAt(ids, 0), idAt(ids, 1)]).toEqual([idOf(4), idOf(9)]);
    expect(
      [...columns].map(([field, { dictionary, ordinals }]) => [field, dictionary.at(ordinals[0] ?? 0)]),
    ).toEqual([
      ['name', 'Early'],
      ['$version', '1'],
    ]);
    expect(describeSegment('waiting', { ids, columns })).toMatchObject({
      first: idOf(4),
      last: idOf(9),
      rows: 2,
    });
  });

  test('describes no segment when all rows are gone', () => {
    expect(describeSegment('waiting', toSmallSegment(new Map()))).toBeUndefined();
  });

  describe('the positions of the segments among whose ids out-of-order rows are', () => {
    const segments = [
      makeSegment({ first: idOf(20), last: idOf(38) }),
      makeSegment({ first: idOf(40), last: idOf(58) }),
    ];
    const ids = encodeIds([10, 30, 39, 50, 70, 72].map(idOf));

    test('before the first one, between two, and behind the last one', () => {
      expect([...divideAmongSegments(segments, ids, Uint32Array.of(0, 1, 2, 3, 4, 5))]).toEqual([
        [0, Uint32Array.of(0, 1, 2)],
        [1, Uint32Array.of(3)],
        [2, Uint32Array.of(4, 5)],
      ]);
    });

    test('of some of the rows', () => {
      expect([...divideAmongSegments(segments, ids, Uint32Array.of(3, 5))]).toEqual([
        [1, Uint32Array.of(3)],
        [2, Uint32Array.of(5)],
      ]);
    });

    test('without segments', () => {
      expect([...divideAmongSegments([], ids, Uint32Array.of(1))]).toEqual([[0, Uint32Array.of(1)]]);
    });
  });
});

describe('read-state', () => {
  const [a, b] = [1, 2].map(idOf) as [string, string];
  const nowMs = startMs + 1_000_000;

  let log: LogBuilder;
  let memory: LogMemory;
  let calls: unknown[];

  beforeEach(() => {
    log = new LogBuilder();
    memory = new ProcessMemory().of('acme', 'task');
    calls = [];
  });

  /** Returns a reader that notes its calls. @param lost keys of records that it does not return. */
  function readerOf(lost: readonly string[] = []): LogReader {
    const reader = log.log.open();
    return {
      ...reader,
      readHead: async (above) => {
        calls.push(['head', above - startMs]);
        const { records, ...head } = await reader.readHead(above);
        return { ...head, records: records.filter(({ key }) => !lost.includes(key)) };
      },
      readRecords: (above, upTo) => {
        calls.push(['records', above - startMs, upTo - startMs]);
        return reader.readRecords(above, upTo);
      },
    };
  }

  const namesAfter = async (reader: LogReader, atMs = nowMs): Promise<Record<string, unknown>> => {
    const { pendingChanges } = await readState({ reader, memory, nowMs: atMs });
    return Object.fromEntries([...pendingChanges].map(([id, { after }]) => [id, after?.['name']]));
  };

  test('a process forgets the records of a log that it no longer reads', async () => {
    jest.useFakeTimers();
    try {
      const shared = new ProcessMemory();
      memory = shared.of('acme', 'task');
      log.commit(startMs, { [a]: { name: '1' } });
      await readState({ reader: readerOf(), memory, nowMs });
      expect(shared.bytes).toBeGreaterThan(2_500);
      jest.advanceTimersByTime(61_000);
      expect(shared.bytes).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  describe('the state of a log', () => {
    test('that nobody has compacted is all of its records', async () => {
      log.commit(startMs, { [a]: { name: '1' } });
      log.commit(nowMs, { [a]: { name: '2' }, [b]: { name: '3' } });
      const { manifest, pendingChanges } = await readState({ reader: readerOf(), memory, nowMs });
      expect(manifest).toEqual(emptyManifest);
      expect([...pendingChanges.values()]).toEqual([
        { id: a, from: 0, to: 2, previousStamp: 0, before: undefined, after: { name: '2' } },
        { id: b, from: 0, to: 1, previousStamp: 0, before: undefined, after: { name: '3' } },
      ]);
    });

    test('is the manifest, and the records above its watermark', async () => {
      log.commit(startMs + 10, { [a]: { name: '1' } });
      log.commit(startMs + 11, { [b]: { name: '2' } });
      log.log.manifest = makeManifest({ watermark: startMs + 10 });
      const { manifest, pendingChanges } = await readState({ reader: readerOf(), memory, nowMs });
      expect(manifest).toBe(log.log.manifest);
      expect([...pendingChanges.keys()]).toEqual([b]);
    });

    test('is remembered with bytes for each entry of its records, not for each record', async () => {
      const shared = new ProcessMemory();
      memory = shared.of('acme', 'task');
      const entities = Object.fromEntries(
        Array.from({ length: 40 }, (_, number) => [idOf(number + 1), { name: 'x' }]),
      );
      for (let record = 0; record < 10; record += 1) log.commit(startMs + record, entities);
      await readState({ reader: readerOf(), memory, nowMs });
      expect(shared.bytes).toBeGreaterThan(10 * 40 * 2_000);
    });

    test('is not remembered when its records are too many for the memory', async () => {
      const shared = new ProcessMemory();
      memory = shared.of('acme', 'task');
      const entities = Object.fromEntries(
        Array.from({ length: 600 }, (_, number) => [idOf(number + 1), { name: 'x' }]),
      );
      for (let record = 0; record < 10; record += 1) log.commit(startMs + record, entities);
      expect((await readState({ reader: readerOf(), memory, nowMs })).pendingChanges.size).toBe(600);
      expect(shared.bytes).toBeLessThan(2_000);
    });

    test('does not contain records that a newer manifest has absorbed than the process knew', async () => {
      log.log.manifest = makeManifest({ watermark: startMs });
      await readState({ reader: readerOf(), memory, nowMs });
      log.commit(nowMs + 10, { [a]: { name: '1' } });
      log.commit(nowMs + 20, { [b]: { name: '2' } });
      log.log.manifest = makeManifest({ watermark: nowMs + 10 });
      expect(await namesAfter(readerOf())).toEqual({ [b]: '2' });
    });
  });

  describe('a process', () => {
    test('that knows no watermark reads from a little before the usual one, and then down to the real one', async () => {
      log.log.manifest = makeManifest({ watermark: startMs + 5 });
      await readState({ reader: readerOf(), memory, nowMs });
      const guess = 1_000_000 - marginMs - 10_000;
      expect(calls).toEqual([
        ['head', guess],
        ['records', 5, guess],
      ]);
    });

    test('that has read the log reads only what was not settled then, in one query', async () => {
      const settled = nowMs - marginMs;
      log.commit(settled - 1, { [a]: { name: 'settled' } });
      log.commit(settled + 1, { [b]: { name: 'not settled' } });
      log.log.manifest = makeManifest({ watermark: startMs + 5 });
      expect(await namesAfter(readerOf())).toEqual({ [a]: 'settled', [b]: 'not settled' });
      calls = [];
      log.commit(nowMs, { [b]: { name: 'new' } });
      expect(await namesAfter(readerOf(), nowMs + 1_000)).toEqual({ [a]: 'settled', [b]: 'new' });
      expect(await namesAfter(readerOf(), nowMs + 59_999)).toEqual({ [a]: 'settled', [b]: 'new' });
      expect(calls).toEqual([
        ['head', settled - startMs],
        ['head', settled - startMs + 1_000],
      ]);
    });

    test('that has read the log reads from the watermark if that is later', async () => {
      log.log.manifest = makeManifest({ watermark: nowMs - 5 });
      await readState({ reader: readerOf(), memory, nowMs });
      calls = [];
      await readState({ reader: readerOf(), memory, nowMs: nowMs + 1 });
      expect(calls).toEqual([['head', nowMs - 5 - startMs]]);
    });

    test('reads everything again a minute after it has read everything, and then sees records that became visible late', async () => {
      log.log.manifest = makeManifest({ watermark: startMs });
      await readState({ reader: readerOf(), memory, nowMs });
      const late = log.build(nowMs - marginMs - 1, { [a]: { name: 'late' } });
      log.log.records.push(late);
      expect(await namesAfter(readerOf(), nowMs + 59_999)).toEqual({});
      calls = [];
      expect(await namesAfter(readerOf(), nowMs + 60_000)).toEqual({ [a]: 'late' });
      const guess = 1_060_000 - marginMs - 10_000;
      expect(calls).toEqual([
        ['head', guess],
        ['records', 0, guess],
      ]);
    });

    test.each([
      [5_000, 'only the last moments', ['head', nowMs - marginMs - startMs]],
      [5_001, 'everything again', ['head', nowMs - marginMs - 10_000 - startMs]],
    ])('that has read %i settled records reads %s', async (count, _, call) => {
      for (let number = 0; number < count; number += 1)
        log.commit(startMs, { [idOf(number)]: { name: 'a' } });
      await readState({ reader: readerOf(), memory, nowMs });
      calls = [];
      expect((await readState({ reader: readerOf(), memory, nowMs })).pendingChanges.size).toBe(count);
      expect(calls[0]).toEqual(call);
    });

    test('reads everything again after a gap', async () => {
      log.log.manifest = makeManifest({ watermark: startMs });
      await readState({ reader: readerOf(), memory, nowMs });
      log.log.records.push(log.build(nowMs - marginMs - 1, { [a]: { name: 'late' } }));
      log.commit(nowMs, { [a]: { name: 'next' } });
      await expect(readState({ reader: readerOf(), memory, nowMs })).rejects.toThrow(StaleRead);
      expect(await namesAfter(readerOf())).toEqual({ [a]: 'next' });
    });

    test('reads everything again when the watermark is earlier than it knew', async () => {
      log.log.manifest = makeManifest({ watermark: nowMs - marginMs - 5 });
      await readState({ reader: readerOf(), memory, nowMs });
      log.commit(nowMs - marginMs - 10, { [a]: { name: 'a' } });
      log.log.manifest = makeManifest({ watermark: startMs });
      expect(await namesAfter(readerOf())).toEqual({ [a]: 'a' });
    });

    test('reads the whole log shortly after 1970', async () => {
      await readState({ reader: readerOf(), memory, nowMs: 1_000 });
      expect(calls).toEqual([['head', -startMs]]);
    });
  });

  describe('a missing record', () => {
    test('of an earlier change above the watermark throws StaleRead', async () => {
      log.commit(nowMs - 3, { [a]: { name: '1' } });
      log.commit(nowMs - 2, { [a]: { name: '2' } });
      log.commit(nowMs - 1, { [a]: { name: '3' } });
      const [first, second] = log.log.records.map(({ key }) => key) as [string, string];
      await readState({ reader: readerOf(), memory, nowMs });
      await expect(readState({ reader: readerOf([first]), memory, nowMs })).rejects.toThrow(StaleRead);
      await expect(readState({ reader: readerOf([first, second]), memory, nowMs })).rejects.toThrow(
        `A list was read while it changed: an earlier record of ${a} is missing.`,
      );
    });

    test('of a change that the manifest has absorbed is no gap', async () => {
      log.commit(startMs + 1, { [a]: { name: '1' } });
      log.commit(startMs + 2, { [a]: { name: '2' } });
      log.log.manifest = makeManifest({ watermark: startMs + 1 });
      const { pendingChanges } = await readState({ reader: readerOf(), memory, nowMs });
      expect(pendingChanges.get(a)).toMatchObject({ from: 1, previousStamp: startMs + 1 });
    });
  });
});

describe('row-filter', () => {
  const texts = ['', 'a', 'B', 'a,b', 'b', '\uFFFD', '\u{1F600}'];
  const anyText = fc.constantFrom(...texts, 'none');
  const cell: fc.Arbitrary<ColumnValue> = fc.constantFrom(...texts, null, undefined);

  const condition: fc.Arbitrary<TextCondition> = fc.oneof(
    fc.subarray([...texts, 'none']).map((all): TextCondition => ({ by: 'texts', texts: all })),
    fc
      .tuple(anyText, fc.option(anyText, { nil: undefined }))
      .map(([from, to]): TextCondition => ({ by: 'range', from, to })),
    fc
      .tuple(fc.constantFrom('beginning' as const, 'part' as const), fc.constantFrom('', 'a', 'b', ','))
      .map(([by, text]): TextCondition => ({ by, text })),
    fc
      .tuple(fc.constantFrom('anyId' as const, 'allIds' as const), fc.subarray(['a', 'b', 'c']))
      .map(([by, ids]): TextCondition => ({ by, ids })),
  );

  const filterOf = (field: string): fc.Arbitrary<RowFilter> =>
    fc.record({
      field: fc.constant(field),
      condition,
      isNegated: fc.boolean(),
      acceptsNull: fc.boolean(),
      defaultValue: fc.constantFrom('a', null),
    });

  const table = fc.nat({ max: 30 }).chain((rows) => {
    const column = fc.array(cell, { minLength: rows, maxLength: rows });
    const range = fc.record({ from: fc.nat({ max: rows }), to: fc.nat({ max: rows }) });
    return fc.record({ one: column, other: column, range });
  });

  /** Returns a column as filters need it. */
  function filtered(filter: RowFilter, values: readonly ColumnValue[]): FilteredColumn {
    const column = buildColumn(values);
    const searchTexts = isSearch(filter)
      ? new SearchTexts(filter.field, column.dictionary, () => {})
      : undefined;
    return { filter, column, searchTexts };
  }

  describe('matchingRows', () => {
    test('returns the rows of a range that all filters accept', () => {
      fc.assert(
        fc.property(table, filterOf('one'), filterOf('other'), ({ one, other, range }, first, second) => {
          const [accepts, alsoAccepts] = [valuePredicate(first), valuePredicate(second)];
          const expected = one.flatMap((value, row) =>
            row >= range.from && row < range.to && accepts(value) && alsoAccepts(other[row]) ? [row] : [],
          );
          expect([...matchingRows([filtered(first, one), filtered(second, other)], [range])]).toEqual(
            expected,
          );
        }),
      );
    });

    test('returns all rows of several ranges without filters', () => {
      const ranges = [
        { from: 2, to: 5 },
        { from: 7, to: 7 },
        { from: 8, to: 9 },
      ];
      expect([...matchingRows([], ranges)]).toEqual([2, 3, 4, 8]);
      expect([...matchingRows([], [])]).toEqual([]);
    });
  });

  describe('valuePredicate', () => {
    const values = ['', 'a', 'ab', 'B', null, undefined];
    const accepted = (filter: Omit<RowFilter, 'field'>): ColumnValue[] =>
      values.filter(valuePredicate({ field: 'name', ...filter }));

    test.each<[string, Omit<RowFilter, 'field'>, ColumnValue[]]>([
      ['one of some texts', { condition: { by: 'texts', texts: ['a', 'B'] } }, ['a', 'B']],
      ['no other text', { condition: { by: 'texts', texts: ['A'] } }, []],
      ['texts of a range', { condition: { by: 'range', from: 'a', to: 'ab' } }, ['a']],
      ['texts from one on', { condition: { by: 'range', from: 'a', to: undefined } }, ['a', 'ab']],
      ['texts up to one', { condition: { by: 'range', from: '', to: textAfter('B') } }, ['', 'B']],
      ['texts that begin with one', { condition: { by: 'beginning', text: 'a' } }, ['a', 'ab']],
      ['texts that contain one', { condition: { by: 'part', text: 'b' } }, ['ab', 'B']],
      ['other texts', { condition: { by: 'texts', texts: ['a'] }, isNegated: true }, ['', 'ab', 'B']],
      ['null', { condition: { by: 'texts', texts: [] }, acceptsNull: true }, [null, undefined]],
      [
        'the default of rows that are older than the field',
        { condition: { by: 'texts', texts: ['a'] }, defaultValue: 'a' },
        ['a', undefined],
      ],
      [
        'null, but not the default of rows that are older than the field',
        { condition: { by: 'texts', texts: ['a'] }, isNegated: true, acceptsNull: true, defaultValue: 'a' },
        ['', 'ab', 'B', null],
      ],
    ])('accepts %s', (_, filter, expected) => {
      expect(accepted(filter)).toEqual(expected);
    });

    test('compares by code point, not by unit of UTF-16', () => {
      const accepts = valuePredicate({
        field: 'name',
        condition: { by: 'range', from: '\uFFFE', to: undefined },
      });
      expect(['\u{1F600}', '\uFFFD', '\uFFFE'].map(accepts)).toEqual([true, false, true]);
    });

    test('accepts arrays that have any or all of some ids', () => {
      const arrays = ['', 'a', 'a,b', 'b,c', 'ab'];
      const accepts = (by: 'anyId' | 'allIds', ...ids: string[]) =>
        arrays.filter(valuePredicate({ field: 'tagIds', condition: { by, ids } }));
      expect(accepts('anyId', 'a', 'c')).toEqual(['a', 'a,b', 'b,c']);
      expect(accepts('allIds', 'a', 'b')).toEqual(['a,b']);
      expect(accepts('allIds')).toEqual(arrays);
      expect(accepts('anyId')).toEqual([]);
    });
  });

  describe('rowPredicate', () => {
    const matches = rowPredicate([isText('name', 'a'), isText('status', 'open')]);

    test.each([
      [true, { name: 'a', status: 'open' }],
      [false, { name: 'a', status: 'done' }],
      [false, { name: 'b', status: 'open' }],
      [false, { status: 'open' }],
    ])('returns %j for the row %j', (isMatch, row) => {
      expect(matches(row)).toBe(isMatch);
    });

    test('returns true without filters', () => {
      expect(rowPredicate([])({ name: 'a' })).toBe(true);
    });
  });

  describe('onlyTexts', () => {
    test.each([[['open']], [['open', 'done']], [[]]])(
      'returns the only texts that a filter accepts: %j',
      (all) => {
        const filter: RowFilter = { field: 'status', condition: { by: 'texts', texts: all } };
        expect(onlyTexts(filter)).toEqual(all);
        expect(onlyTexts({ ...filter, defaultValue: 'active' })).toEqual(all);
      },
    );

    test.each<[string, RowFilter]>([
      ['other texts', { ...isText('status', 'a'), isNegated: true }],
      ['null', { ...isText('status', 'a'), acceptsNull: true }],
      ['rows without the field', { ...isText('status', 'a'), defaultValue: 'a' }],
      ['arrays with an id', { field: 'tagIds', condition: { by: 'anyId', ids: ['a'] } }],
    ])('returns undefined for a filter that accepts %s', (_, filter) => {
      expect(onlyTexts(filter)).toBeUndefined();
    });
  });

  test('isNotDeleted accepts all versions but those of deletions', () => {
    expect(isNotDeleted.field).toBe('$version');
    expect(['-2', '-10', '1', '10'].map(valuePredicate(isNotDeleted))).toEqual([false, false, true, true]);
  });
});

describe('search-texts', () => {
  test.each([
    ['Plan B', 'plan b'],
    ['ΟΔΟΣ ΟΔΟΣ', 'οδοσ οδοσ'],
    ['οδος', 'οδοσ'],
    ['İ', 'i\u0307'],
    ['\u212A', 'k'],
  ])('toSearchText of %j is %j', (text, expected) => {
    expect(toSearchText(text)).toBe(expected);
  });

  /** Letters whose lower case has another length, or depends on its neighbours. */
  const letters = fc.constantFrom(
    'a',
    'A',
    'Σ',
    'ς',
    'σ',
    'İ',
    'i',
    '\u0307',
    'Ⱥ',
    'ⱥ',
    '😀',
    ' ',
    '\u0000',
    'ß',
    'ẞ',
  );
  const text = fc.array(letters, { maxLength: 6 }).map((all) => all.join(''));

  test('the lower case of the beginning of a text is the beginning of its lower case', () => {
    fc.assert(
      fc.property(text, text, (beginning, rest) => {
        expect(toSearchText(beginning + rest)).toBe(toSearchText(beginning) + toSearchText(rest));
      }),
    );
  });

  /** Returns the values that a search finds. */
  function search(values: readonly ColumnValue[], wanted: string, isBeginning: boolean, field = 'name') {
    const dictionary = buildDictionary(values);
    const accepted = new Uint8Array(dictionary.size);
    new SearchTexts(field, dictionary, () => {}).mark(accepted, wanted, isBeginning);
    return [...accepted.keys()]
      .filter((ordinal) => accepted[ordinal] === 1)
      .map((ordinal) => dictionary.at(ordinal));
  }

  test('finds what contains a text, or begins with it, and neither null nor absent values', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(text, fc.constantFrom(null, undefined))), text, (values, wanted) => {
        const lower = toSearchText(wanted);
        const texts = [...new Set(values)].filter((value) => typeof value === 'string');
        const matching = (accepts: (value: string) => boolean) =>
          texts
            .filter((value) => accepts(toSearchText(value)))
            .sort((one, other) => Buffer.from(one).compare(Buffer.from(other)));
        expect(search(values, lower, false)).toEqual(matching((value) => value.includes(lower)));
        expect(search(values, lower, true)).toEqual(matching((value) => value.startsWith(lower)));
      }),
    );
  });

  test('finds texts that are far from each other, and several in a row', () => {
    const values = Array.from({ length: 3_000 }, (_, number) => String(number).padStart(4, '0'));
    expect(search(values, '999', false)).toEqual(['0999', '1999', '2999']);
    expect(search(values, '12', true)).toEqual(values.slice(1_200, 1_300));
    expect(search(values, '', false)).toEqual(values);
  });

  test('does not search the hash of a long text', () => {
    const digest = rowText('description', 'X'.repeat(101));
    const [, hash = ''] = digest.split('\u0000');
    expect(search([digest], 'x'.repeat(100), true, 'description')).toEqual([digest]);
    expect(search([digest], toSearchText(hash), false, 'description')).toEqual([]);
  });

  test('knows its size in memory', () => {
    const { bytes } = new SearchTexts('name', buildDictionary(['a'.repeat(1_000), 'b']), () => {});
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(1_500);
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

describe('sort-key-counts', () => {
  const sortKeys = (by: ValueOrder, values: readonly ColumnValue[]): SortKey[] =>
    values.map((one) => toSortKey(by, one)).sort(compareSortKeys);

  const count = (keys: readonly SortKey[], accepts: (key: SortKey) => boolean): number =>
    keys.filter(accepts).length;

  /** Compares counts with the sorted keys of the rows that they count. */
  function requireCounts(counts: SortKeyCounts, keys: readonly SortKey[], wanted: readonly SortKey[]): void {
    for (const key of [...keys, ...wanted]) {
      const below = count(keys, (one) => compareSortKeys(one, key) < 0);
      const upTo = count(keys, (one) => compareSortKeys(one, key) <= 0);
      expect([counts.before(lowerBound(counts, key)), counts.before(upperBound(counts, key))]).toEqual([
        below,
        upTo,
      ]);
    }
    const listed = Array.from({ length: counts.size }, (_, position) => counts.keyAt(position));
    expect(listed).toEqual(listed.toSorted(compareSortKeys));
    expect(counts.before(counts.size)).toBe(keys.length);
  }

  describe('PositionCounts', () => {
    test('count the chosen rows by sort key', () => {
      const rows = fc.array(fc.tuple(value, fc.boolean()), { maxLength: 25 });
      fc.assert(
        fc.property(order, rows, value, (by, all, other) => {
          const chosen = [...all.keys()].filter((row) => all[row]?.[1]);
          const column = new OrderedColumn(buildColumn(all.map(([one]) => one)), by);
          const counts = new PositionCounts(column, Uint32Array.from(chosen));
          const keys = sortKeys(
            by,
            chosen.map((row) => all[row]?.[0]),
          );
          requireCounts(counts, keys, [toSortKey(by, other)]);
        }),
      );
    });

    test('of a few rows have only the positions of these', () => {
      const values = Array.from({ length: 100 }, (_, number) => String(number % 50).padStart(2, '0'));
      const column = new OrderedColumn(buildColumn(values), { field: 'name' });
      const counts = new PositionCounts(column, Uint32Array.of(70, 7, 20));
      expect(counts.size).toBe(2);
      expect([0, 1].map((position) => counts.columnPositionAt(position))).toEqual([7, 20]);
      expect([0, 1, 2].map((position) => counts.before(position))).toEqual([0, 1, 3]);
      expect(counts.keyAt(1)).toEqual(Buffer.from('20'));
      const all = new PositionCounts(column, Uint32Array.from(values.keys()));
      expect([all.size, all.columnPositionAt(7), all.before(8)]).toEqual([50, 7, 16]);
    });
  });

  describe('ListedKeys', () => {
    test('count added rows as 1 and removed rows as -1', () => {
      const [a, b, c] = ['a', 'b', 'c'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
      const counts = new ListedKeys([
        { key: c, count: 1 },
        { key: a, count: -1 },
        { key: b, count: 1 },
        { key: b, count: 1 },
        { key: null, count: -1 },
      ]);
      expect(Array.from({ length: counts.size }, (_, position) => counts.keyAt(position))).toEqual([
        null,
        a,
        b,
        c,
      ]);
      expect([0, 1, 2, 3, 4].map((position) => counts.before(position))).toEqual([0, -1, -2, 0, 1]);
    });

    test('of added rows count them by sort key', () => {
      fc.assert(
        fc.property(order, fc.array(value, { maxLength: 20 }), value, (by, values, other) => {
          const keys = sortKeys(by, values);
          const counts = new ListedKeys(values.map((one) => ({ key: toSortKey(by, one), count: 1 })));
          requireCounts(counts, keys, [toSortKey(by, other)]);
        }),
      );
    });

    test('of no rows are empty', () => {
      const counts = new ListedKeys([]);
      expect(counts.size).toBe(0);
      expect(counts.before(0)).toBe(0);
    });
  });

  describe('several segments and changes', () => {
    const row = fc.record({ value, isRemoved: fc.boolean() });
    const segments = fc.array(fc.array(row, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
    const added = fc.array(value, { maxLength: 6 });

    test('have at each position the key that a sort of all rows has there', () => {
      fc.assert(
        fc.property(order, segments, added, (by, all, more) => {
          const columns = all.map((rows) => {
            const column = buildColumn(rows.map((one) => one.value));
            return new PositionCounts(new OrderedColumn(column, by), Uint32Array.from(rows.keys()));
          });
          const removed = all.flat().filter(({ isRemoved }) => isRemoved);
          const changes = new ListedKeys([
            ...removed.map((one) => ({ key: toSortKey(by, one.value), count: -1 })),
            ...more.map((one) => ({ key: toSortKey(by, one), count: 1 })),
          ]);
          const counts = [...columns, changes];
          const kept = all.flat().filter(({ isRemoved }) => !isRemoved);
          const keys = sortKeys(by, [...kept.map((one) => one.value), ...more]);
          expect(keys.map((_, position) => rowKeyAt(counts, position))).toEqual(keys);
          for (const key of keys) {
            expect(countBelow(counts, key)).toBe(count(keys, (one) => compareSortKeys(one, key) < 0));
          }
        }),
        { numRuns: 300 },
      );
    });
  });
});

describe('sort-key', () => {
  describe('toSortKey', () => {
    test.each<[ValueOrder, ColumnValue, SortKey]>([
      [{ field: 'name' }, 'é', Buffer.from('é')],
      [{ field: 'name' }, '', Buffer.alloc(0)],
      [{ field: 'name' }, null, null],
      [{ field: 'name' }, undefined, null],
      [{ field: 'name', defaultValue: 'a' }, undefined, Buffer.from('a')],
      [{ field: 'name', defaultValue: 'a' }, null, null],
      [{ field: 'priority', ranks: ['low', 'high'] }, 'high', 1],
      [{ field: 'priority', ranks: ['low', 'high'], defaultValue: 'low' }, undefined, 0],
      [{ field: 'priority', ranks: ['low', 'high'] }, null, null],
      [{ field: 'description' }, rowText('description', `${long}1`), Buffer.from(long)],
    ])('returns for the order %j and the value %j the key %j', (by, one, key) => {
      expect(toSortKey(by, one)).toEqual(key);
    });
  });

  test('compareSortKeys has null first, then texts by code point, or ranks', () => {
    const texts: SortKey[] = ['\u{1F600}', 'b', '\uFFFD', '', 'ab'].map((text) => Buffer.from(text));
    expect([...texts, null].sort(compareSortKeys)).toEqual([
      null,
      ...['', 'ab', 'b', '\uFFFD', '\u{1F600}'].map((text) => Buffer.from(text)),
    ]);
    expect([10, null, -1, 9].sort(compareSortKeys)).toEqual([null, -1, 9, 10]);
    expect(compareSortKeys(null, null)).toBe(0);
    expect(compareSortKeys(Buffer.from('a'), Buffer.from('a'))).toBe(0);
  });
});
