import {
  columnValues,
  decodeColumn,
} from '../../../../../../../../functions/shared/store/lists/engine/column.ts';
import {
  type SegmentRow,
  SegmentWriter,
} from '../../../../../../../../functions/shared/store/lists/engine/compaction/segment-writer.ts';
import {
  chunkRows,
  countIds,
  encodeIds,
} from '../../../../../../../../functions/shared/store/lists/engine/ids.ts';
import {
  type ItemName,
  isBucketName,
  maxItemBytes,
  type Segment,
  segmentNames,
} from '../../../../../../../../functions/shared/store/lists/engine/manifest.ts';
import { Random } from '../../../../../../../simulation/random.ts';
import { idOf } from '../../../../../../../support/log-builder.ts';

const rowsOf = (count: number, nameOf = (row: number): string => `name ${row}`): SegmentRow[] =>
  Array.from({ length: count }, (_, row) => ({
    id: idOf(row),
    version: row + 1,
    values: { name: nameOf(row) },
  }));

const valuesIn = (writer: SegmentWriter, name: ItemName) =>
  columnValues(decodeColumn(writer.items.get(name) as Uint8Array));

describe('SegmentWriter', () => {
  test('writes no segment without rows', () => {
    const writer = new SegmentWriter('1-aaaaaa', { maxRows: 10, bucketBytes: 3_000 }, []);
    expect(writer.write([])).toEqual([]);
    expect(writer.items.size).toBe(0);
  });

  test('writes the columns of all fields, the versions, the ids and the fence', () => {
    const writer = new SegmentWriter('1-aaaaaa', { maxRows: 10, bucketBytes: 3_000 }, []);
    const rows: SegmentRow[] = [
      { id: idOf(1), version: 3, values: { name: 'a', color: null } },
      { id: idOf(2), version: 1, values: { name: 'b' } },
    ];
    expect(writer.write(rows)).toEqual([
      {
        id: '1-aaaaaa.0',
        first: idOf(1),
        last: idOf(2),
        rows: 2,
        deleted: 0,
        columns: { name: '1-aaaaaa', color: '1-aaaaaa', $version: '1-aaaaaa' },
        buckets: {},
        patched: {},
      },
    ]);
    expect(valuesIn(writer, '1-aaaaaa.0/1-aaaaaa/name')).toEqual(['a', 'b']);
    expect(valuesIn(writer, '1-aaaaaa.0/1-aaaaaa/color')).toEqual([null, undefined]);
    expect(valuesIn(writer, '1-aaaaaa.0/1-aaaaaa/$version')).toEqual(['3', '1']);
    expect(writer.items.get('1-aaaaaa.0/ids0')).toEqual(encodeIds([idOf(1), idOf(2)]));
    expect(writer.items.get('1-aaaaaa.0/fence')).toEqual(encodeIds([idOf(1)]));
  });

  test.each([
    [10, [10]],
    [11, [6, 5]],
    [25, [9, 9, 7]],
  ])('divides %i rows evenly into segments of at most 10 rows', (count, sizes) => {
    const segments = new SegmentWriter('1-aaaaaa', { maxRows: 10, bucketBytes: 3_000 }, []).write(
      rowsOf(count),
    );
    expect(segments.map(({ rows }) => rows)).toEqual(sizes);
    expect(segments.map(({ id }) => id)).toEqual(sizes.map((_, part) => `1-aaaaaa.${part}`));
  });

  test.each([
    [10, [10]],
    [11, [10, 1]],
    [25, [10, 10, 5]],
  ])('fills segments with %i rows when later rows can be merged with the last one', (count, sizes) => {
    const writer = new SegmentWriter('1-aaaaaa', { maxRows: 10, bucketBytes: 3_000 }, []);
    expect(writer.fill(rowsOf(count)).map(({ rows }) => rows)).toEqual(sizes);
  });

  test('numbers the segments of several calls on', () => {
    const writer = new SegmentWriter('1-aaaaaa', { maxRows: 10, bucketBytes: 3_000 }, []);
    const ids = [...writer.write(rowsOf(1)), ...writer.write(rowsOf(1))].map(({ id }) => id);
    expect(ids).toEqual(['1-aaaaaa.0', '1-aaaaaa.1']);
  });

  test('writes exactly the items that the manifest refers to', () => {
    const writer = new SegmentWriter('1-aaaaaa', { maxRows: 1_000, bucketBytes: 3_000 }, []);
    const segments = writer.write(rowsOf(chunkRows + 1));
    expect([...writer.items.keys()].toSorted()).toEqual(segments.flatMap(segmentNames).toSorted());
    expect(countIds(writer.items.get('1-aaaaaa.0/ids1') as Buffer)).toBe(1);
  });

  test('writes a large column of ids as buckets', () => {
    const random = new Random(1);
    const rows = rowsOf(600).map((row) => ({ ...row, values: { projectId: idOf(random.below(50)) } }));
    const writer = new SegmentWriter('1-aaaaaa', { maxRows: 600, bucketBytes: 200 }, []);
    const [segment] = writer.write(rows);
    const { projectId: count = 0, ...others } = segment?.buckets ?? {};
    expect(count).toBeGreaterThan(1);
    expect(others).toEqual({});
    expect([...writer.items.keys()].filter(isBucketName)).toHaveLength(count);
    expect([...writer.items.keys()].toSorted()).toEqual(segmentNames(segment as Segment).toSorted());
  });

  test('divides a segment whose columns are larger than an item may be', () => {
    // Texts that deflate cannot shorten much.
    const random = (row: number): string =>
      Array.from({ length: 200 }, (_, position) =>
        String.fromCharCode(33 + ((Math.abs(Math.sin(row * 1_000 + position)) * 1e6) % 90)),
      ).join('');
    const writer = new SegmentWriter('1-aaaaaa', { maxRows: 16_384, bucketBytes: 3_000 }, []);
    const segments = writer.write(rowsOf(3_000, random));
    expect(segments.length).toBeGreaterThan(1);
    expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(3_000);
    expect(Math.max(...[...writer.items.values()].map(({ length }) => length))).toBeLessThanOrEqual(
      maxItemBytes,
    );
  });
});
