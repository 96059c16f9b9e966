import { bucketOf, encodeBuckets } from '#functions/store/lists/engine/format/buckets.ts';
import { buildColumn, columnValues, encodeColumn } from '#functions/store/lists/engine/format/column.ts';
import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import { encodeIdChunks, idAt } from '#functions/store/lists/engine/format/ids.ts';
import {
  bucketPrefix,
  type ItemName,
  type Patch,
  patchName,
  type Segment,
  smallPatchName,
} from '#functions/store/lists/engine/format/manifest.ts';
import { encodePatch, type PatchValues } from '#functions/store/lists/engine/format/patch.ts';
import { type LogMemory, ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { ColumnReader } from '#functions/store/lists/engine/read/column-reader.ts';
import type { RowFilter } from '#functions/store/lists/engine/read/row-filter.ts';
import { StaleRead } from '#functions/store/lists/engine/read/stale-read.ts';
import type { LogReader } from '#functions/store/lists/engine/storage.ts';
import { idOf } from '#test/support/log-builder.ts';
import { makeManifest, makePatchValues, makeSegment, type PatchEntry } from '#test/support/segments.ts';

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
