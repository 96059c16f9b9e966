import {
  buildColumn,
  columnValues,
  encodeColumn,
} from '../../../../../../../functions/shared/store/lists/engine/column.ts';
import {
  type ColumnCache,
  SharedColumnCache,
} from '../../../../../../../functions/shared/store/lists/engine/column-cache.ts';
import type { ColumnValue } from '../../../../../../../functions/shared/store/lists/engine/dictionary.ts';
import { encodeIdChunks, idAt } from '../../../../../../../functions/shared/store/lists/engine/ids.ts';
import {
  emptyManifest,
  type ItemName,
  type Run,
  runName,
  type Segment,
  smallRunName,
} from '../../../../../../../functions/shared/store/lists/engine/manifest.ts';
import {
  encodeRun,
  type MutableRunValues,
  setValue,
} from '../../../../../../../functions/shared/store/lists/engine/run.ts';
import { Snapshot, StaleRead } from '../../../../../../../functions/shared/store/lists/engine/snapshot.ts';
import type { LogReader } from '../../../../../../../functions/shared/store/lists/engine/storage.ts';
import { idOf } from '../../../../../../support/log-builder.ts';

const ids = [1, 2, 3].map(idOf);

const segment: Segment = {
  id: '1-aaaaaa.0',
  first: ids[0] as string,
  last: ids[2] as string,
  rows: 3,
  deleted: 0,
  columns: { name: '1-aaaaaa', status: '3-cccccc' },
  patched: {},
};

type Patch = readonly (readonly [field: string, row: number, value: ColumnValue])[];

function valuesOf(patch: Patch): MutableRunValues {
  const values: MutableRunValues = new Map();
  for (const [field, row, value] of patch) setValue(values, segment.id, field, [row, value]);
  return values;
}

let items: Map<ItemName, Uint8Array>;
let reads: { readonly names: readonly ItemName[]; readonly isConsistent: boolean }[];
/** Items that replicas do not have yet. */
let recent: Set<ItemName>;
let cache: ColumnCache;

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
  cache = new SharedColumnCache().of('acme', 'task');
});

const reader = {
  requireTime: () => undefined,
  readItems: async (names, isConsistent) => {
    reads.push({ names, isConsistent });
    const found = names.filter((name) => items.has(name) && (isConsistent || !recent.has(name)));
    return new Map(found.map((name) => [name, items.get(name) as Uint8Array]));
  },
} as Pick<LogReader, 'readItems' | 'requireTime'> as LogReader;

/** Adds the item of a small run. */
function addRun(snapshot: string, patch: Patch): Run {
  items.set(smallRunName(snapshot), encodeRun(valuesOf(patch)));
  return { snapshot, level: 0, values: patch.length };
}

const snapshotOf = (...runs: Run[]): Snapshot =>
  new Snapshot({ ...emptyManifest, segments: [segment], runs }, reader, cache);

async function valuesIn(snapshot: Snapshot, field: string): Promise<ColumnValue[]> {
  await snapshot.loadColumns([field]);
  return columnValues(snapshot.column(segment, field));
}

describe('a column', () => {
  test('without runs has the values of its item', async () => {
    expect(await valuesIn(snapshotOf(), 'name')).toEqual(['a', 'b', 'c']);
    expect(reads).toEqual([{ names: ['1-aaaaaa.0/1-aaaaaa/name'], isConsistent: false }]);
  });

  test('has the values of the newest run', async () => {
    const older = addRun('2-aaaaaa', [
      ['name', 0, 'd'],
      ['name', 1, 'e'],
    ]);
    const newer = addRun('3-aaaaaa', [
      ['name', 1, null],
      ['status', 1, 'done'],
    ]);
    expect(await valuesIn(snapshotOf(older, newer), 'name')).toEqual(['d', null, 'c']);
  });

  test('hides the values of runs that it contains already', async () => {
    const older = addRun('2-aaaaaa', [['status', 0, 'late']]);
    const same = addRun('3-aaaaaa', [['status', 1, 'late']]);
    const newer = addRun('4-aaaaaa', [['status', 2, 'new']]);
    expect(await valuesIn(snapshotOf(older, same, newer), 'status')).toEqual(['open', 'open', 'new']);
  });

  test('of a field that is newer than the segment has the values of runs, and is absent elsewhere', async () => {
    expect(await valuesIn(snapshotOf(), 'color')).toEqual([undefined, undefined, undefined]);
    const run = addRun('2-aaaaaa', [['color', 1, 'red']]);
    expect(await valuesIn(snapshotOf(run), 'color')).toEqual([undefined, 'red', undefined]);
  });

  test('has the values of a large run, of which only the items of the field are read', async () => {
    const patch: Patch = [
      ['name', 0, 'd'],
      ['name', 2, 'e'],
      ['status', 0, 'done'],
    ];
    for (const [number, values] of patch.slice(0, 2).entries()) {
      items.set(runName('2-aaaaaa', 'name', number), encodeRun(valuesOf([values])));
    }
    items.set(runName('2-aaaaaa', 'status', 0), encodeRun(valuesOf(patch.slice(2))));
    const run: Run = { snapshot: '2-aaaaaa', level: 1, values: 3, items: { name: 2, status: 1 } };
    const snapshot = snapshotOf(run);
    expect(await valuesIn(snapshot, 'name')).toEqual(['d', 'b', 'e']);
    expect(reads.flatMap(({ names }) => names)).toEqual([
      '1-aaaaaa.0/1-aaaaaa/name',
      'run:2-aaaaaa/name.0',
      'run:2-aaaaaa/name.1',
    ]);
    await snapshot.loadRuns([run]);
    expect(snapshot.runValues(run)).toEqual(valuesOf(patch));
  });
});

describe('the ids of a segment', () => {
  test('are read by chunk', async () => {
    const snapshot = snapshotOf();
    await snapshot.loadAllIds([segment]);
    const chunk = snapshot.ids(segment, 0);
    expect([0, 1, 2].map((position) => idAt(chunk, position))).toEqual(ids);
  });

  test('have a fence with the first id of each chunk', async () => {
    const snapshot = snapshotOf();
    await snapshot.loadFences([segment]);
    expect(idAt(snapshot.fence(segment), 0)).toBe(ids[0]);
  });
});

describe('an item', () => {
  test('is read once by processes that share a cache', async () => {
    await valuesIn(snapshotOf(), 'name');
    await valuesIn(snapshotOf(), 'name');
    expect(reads).toHaveLength(1);
  });

  test('is kept by a list when the cache has no room for it', async () => {
    cache = new SharedColumnCache(1).of('acme', 'task');
    const snapshot = snapshotOf();
    await valuesIn(snapshot, 'name');
    await valuesIn(snapshot, 'name');
    expect(reads).toHaveLength(1);
  });

  test('that a replica does not have yet is read consistently', async () => {
    recent.add('1-aaaaaa.0/1-aaaaaa/name');
    const snapshot = snapshotOf();
    await snapshot.loadColumns(['name', 'status']);
    expect(columnValues(snapshot.column(segment, 'name'))).toEqual(['a', 'b', 'c']);
    expect(reads).toEqual([
      { names: ['1-aaaaaa.0/1-aaaaaa/name', '1-aaaaaa.0/3-cccccc/status'], isConsistent: false },
      { names: ['1-aaaaaa.0/1-aaaaaa/name'], isConsistent: true },
    ]);
  });

  test('that was deleted throws StaleRead', async () => {
    items.delete('1-aaaaaa.0/1-aaaaaa/name');
    await expect(snapshotOf().loadColumns(['name'])).rejects.toThrow(StaleRead);
    await expect(snapshotOf().loadColumns(['name'])).rejects.toThrow(
      'A list was read while it changed: the item 1-aaaaaa.0/1-aaaaaa/name is gone.',
    );
  });

  test('that was not loaded is a programming error', () => {
    expect(() => snapshotOf().ids(segment, 0)).toThrow('The item 1-aaaaaa.0/ids0 was not loaded.');
  });
});
