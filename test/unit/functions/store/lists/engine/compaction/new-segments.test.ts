import { isFull } from '#functions/store/lists/engine/compaction/choose-step.ts';
import {
  buildSegments,
  counter,
  fillSegments,
  type NewSegments,
  type SegmentOptions,
} from '#functions/store/lists/engine/compaction/new-segments.ts';
import {
  blockOf,
  type RowBlock,
  type SegmentRow,
} from '#functions/store/lists/engine/compaction/row-block.ts';
import { defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import { columnValues, decodeColumn } from '#functions/store/lists/engine/format/column.ts';
import { chunkRows, countIds, encodeIds } from '#functions/store/lists/engine/format/ids.ts';
import {
  type ItemName,
  isBucketName,
  maxItemBytes,
  type Segment,
  segmentNames,
} from '#functions/store/lists/engine/format/manifest.ts';
import { decodeSmallSegment } from '#functions/store/lists/engine/format/small-segment.ts';
import { Random } from '#test/simulation/random.ts';
import { idOf } from '#test/support/log-builder.ts';

const rowsOf = (
  count: number,
  valuesOf = (row: number): SegmentRow['values'] => ({ name: `name ${row}` }),
): RowBlock =>
  blockOf(
    Array.from({ length: count }, (_, row) => ({
      id: idOf(row),
      version: row + 1,
      values: valuesOf(row),
    })),
  );

const valuesIn = ({ items }: NewSegments, name: ItemName) =>
  columnValues(decodeColumn(items.get(name) as Uint8Array));

/** No segment is one item. */
const optionsOf = (maxRows: number, bucketBytes = 3_000, maxSmallBytes = 0): SegmentOptions => ({
  stepId: '1-aaaaaa',
  sizes: { ...defaultSizes, maxRows, bucketBytes, maxSmallBytes },
  nextNumber: counter(),
  requireTime: () => undefined,
});

const rowsIn = ({ segments }: NewSegments): number[] => segments.map(({ rows }) => rows);

describe('buildSegments', () => {
  test('returns no segment without rows', () => {
    expect(buildSegments(blockOf([]), optionsOf(10))).toEqual({ segments: [], items: new Map() });
  });

  test('returns the columns of all fields, the versions, the ids and the fence', () => {
    const rows: SegmentRow[] = [
      { id: idOf(1), version: 3, values: { name: 'a', color: null } },
      { id: idOf(2), version: 1, values: { name: 'b' } },
    ];
    const built = buildSegments(blockOf(rows), optionsOf(10));
    expect(built.segments).toEqual([
      {
        id: '1-aaaaaa.0',
        first: idOf(1),
        last: idOf(2),
        rows: 2,
        deleted: 0,
        columns: { name: '1-aaaaaa', color: '1-aaaaaa', $version: '1-aaaaaa' },
        buckets: {},
        patched: {},
        bytes: expect.any(Number),
      },
    ]);
    expect(valuesIn(built, '1-aaaaaa.0/1-aaaaaa/name')).toEqual(['a', 'b']);
    expect(valuesIn(built, '1-aaaaaa.0/1-aaaaaa/color')).toEqual([null, undefined]);
    expect(valuesIn(built, '1-aaaaaa.0/1-aaaaaa/$version')).toEqual(['3', '1']);
    expect(built.items.get('1-aaaaaa.0/ids0')).toEqual(encodeIds([idOf(1), idOf(2)]));
    expect(built.items.get('1-aaaaaa.0/fence')).toEqual(encodeIds([idOf(1)]));
  });

  test.each([
    [10, [10]],
    [11, [6, 5]],
    [25, [9, 9, 7]],
  ])('divides %i rows evenly into segments of at most 10 rows', (count, sizes) => {
    const built = buildSegments(rowsOf(count), optionsOf(10));
    expect(rowsIn(built)).toEqual(sizes);
    expect(built.segments.map(({ id }) => id)).toEqual(sizes.map((_, part) => `1-aaaaaa.${part}`));
  });

  test.each([
    [10, [10]],
    [11, [10, 1]],
    [25, [10, 10, 5]],
  ])('fills segments with %i rows when later rows can be merged with the last one', (count, sizes) => {
    expect(rowsIn(fillSegments(rowsOf(count), optionsOf(10)))).toEqual(sizes);
  });

  test('numbers the segments of several calls on', () => {
    const options = optionsOf(10);
    const built = [buildSegments(rowsOf(1), options), buildSegments(rowsOf(1), options)];
    const ids = built.flatMap(({ segments }) => segments.map(({ id }) => id));
    expect(ids).toEqual(['1-aaaaaa.0', '1-aaaaaa.1']);
  });

  test('writes exactly the items that the manifest refers to', () => {
    const { segments, items } = buildSegments(rowsOf(chunkRows + 1), optionsOf(1_000));
    expect([...items.keys()].toSorted()).toEqual(segments.flatMap(segmentNames).toSorted());
    expect(countIds(items.get('1-aaaaaa.0/ids1') as Buffer)).toBe(1);
  });

  test('writes a large column of ids as buckets', () => {
    const random = new Random(1);
    const rows = rowsOf(600, () => ({ projectId: idOf(random.below(50)) }));
    const { segments, items } = buildSegments(rows, optionsOf(600, 200));
    const [segment] = segments;
    const { projectId: count = 0, ...others } = segment?.buckets ?? {};
    expect(count).toBeGreaterThan(1);
    expect(others).toEqual({});
    expect([...items.keys()].filter(isBucketName)).toHaveLength(count);
    expect([...items.keys()].toSorted()).toEqual(segmentNames(segment as Segment).toSorted());
  });

  describe('whose columns are larger than an item may be', () => {
    const random = new Random(1);
    // Deflate cannot shorten them much.
    const texts = Array.from({ length: 6_000 }, () =>
      Array.from({ length: 200 }, () => String.fromCharCode(33 + random.below(90))).join(''),
    );
    const block = rowsOf(texts.length, (row) => ({ name: texts[row] as string, status: 'active' }));

    test('are divided: all but the last one are nearly full', () => {
      const { segments, items } = buildSegments(block, optionsOf(16_384));
      expect(segments.length).toBeGreaterThan(2);
      expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(texts.length);
      expect(Math.max(...[...items.values()].map(({ length }) => length))).toBeLessThanOrEqual(maxItemBytes);
      for (const segment of segments.slice(0, -1)) expect(isFull(segment, defaultSizes)).toBe(true);
      expect([...items.keys()].toSorted()).toEqual(segments.flatMap(segmentNames).toSorted());
    });

    test('are encoded at most twice', () => {
      let encoded = 0;
      const requireTime = (): void => {
        encoded += 1;
      };
      const { segments } = buildSegments(block, { ...optionsOf(16_384), requireTime });
      expect(encoded).toBe(3 + 3 * segments.length);
    });
  });

  test('of few bytes are one item each', () => {
    const rows: SegmentRow[] = [
      { id: idOf(1), version: 3, values: { name: 'a', color: null } },
      { id: idOf(2), version: 1, values: { name: 'b' } },
    ];
    const { segments, items } = buildSegments(blockOf(rows), optionsOf(10, 3_000, 400));
    const name = '1-aaaaaa.0/all';
    const bytes = items.get(name)?.length;
    expect(segments).toEqual([
      expect.objectContaining({ id: '1-aaaaaa.0', rows: 2, buckets: {}, bytes, isSmall: true }),
    ]);
    expect([...items.keys()]).toEqual([name]);
    const { ids, columns } = decodeSmallSegment(items.get(name) as Uint8Array);
    expect(ids).toEqual(encodeIds([idOf(1), idOf(2)]));
    expect([...columns].map(([field, column]) => [field, columnValues(column)])).toEqual([
      ['name', ['a', 'b']],
      ['color', [null, undefined]],
      ['$version', ['3', '1']],
    ]);
    expect(buildSegments(rowsOf(200), optionsOf(1_000, 3_000, 400)).segments[0]?.isSmall).toBeUndefined();
  });
});
