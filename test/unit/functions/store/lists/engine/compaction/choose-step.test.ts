import fc from 'fast-check';
import {
  chooseColumns,
  chooseMerge,
  isFull,
  liveRows,
} from '#functions/store/lists/engine/compaction/choose-step.ts';
import { defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import type { Segment } from '#functions/store/lists/engine/format/manifest.ts';
import { idOf, startMs } from '#test/support/log-builder.ts';
import { makeManifest, makeSegment } from '#test/support/segments.ts';

const sizes = { ...defaultSizes, maxRows: 100, maxMergedRows: 200, maxOpenSegments: 4 };

/** Each of them settled before the watermark. */
const watermark = startMs + 1_000_000;

/** Rows of a segment, and deleted ones among them. */
type Count = number | readonly [rows: number, deleted: number];

/** Returns neighbouring segments with numbers of rows, and of deleted ones. */
const segmentsOf = (...counts: readonly Count[]): Segment[] =>
  counts.map((count, position) => {
    const [rows, deleted] = typeof count === 'number' ? [count, 0] : count;
    const [first, last] = [idOf(100 * position), idOf(100 * position + 99)];
    return makeSegment({ id: `1-aaaaaa.${position}`, first, last, rows, deleted, bytes: 100 * rows });
  });

const merge = (segments: readonly Segment[], more: Partial<typeof sizes> = {}) =>
  chooseMerge(makeManifest({ segments, watermark }), { ...sizes, ...more });

const ofCounts = (...counts: readonly Count[]) => merge(segmentsOf(...counts));

describe('neighbouring segments', () => {
  test('are merged when none has more rows than the others together', () => {
    expect(ofCounts()).toBeUndefined();
    expect(ofCounts(10)).toBeUndefined();
    expect(ofCounts(20, 10)).toBeUndefined();
    expect(ofCounts(10, 10)).toEqual({ from: 0, to: 2, isUrgent: false });
    expect(ofCounts(64, 20, 10, 10)).toEqual({ from: 1, to: 4, isUrgent: false });
  });

  test('are merged until they fill a segment', () => {
    expect(ofCounts(40, 40, 40, 40)).toEqual({ from: 0, to: 3, isUrgent: false });
    expect(ofCounts(95, 60, 60)).toEqual({ from: 1, to: 3, isUrgent: false });
  });

  test('are not merged across full ones, or with young ones', () => {
    expect(ofCounts(10, 90, 10)).toBeUndefined();
    const segments = segmentsOf(10, 10);
    expect(chooseMerge(makeManifest({ segments, watermark: startMs + 5_150 }), sizes)).toBeUndefined();
    expect(chooseMerge(makeManifest({ segments, watermark: startMs + 5_200 }), sizes)).toMatchObject({
      to: 2,
    });
  });

  test('are not merged when a column would outgrow its item', () => {
    const [one, other] = segmentsOf(10, 10) as [Segment, Segment];
    const bytes = (share: number): number => share * sizes.maxColumnBytes;
    expect(
      merge([
        { ...one, bytes: bytes(0.5) },
        { ...other, bytes: bytes(0.39) },
      ]),
    ).toMatchObject({ to: 2 });
    expect(
      merge([
        { ...one, bytes: bytes(0.5) },
        { ...other, bytes: bytes(0.41) },
      ]),
    ).toBeUndefined();
    expect(
      merge([
        { ...one, bytes: bytes(0.76) },
        { ...other, bytes: bytes(0.1) },
      ]),
    ).toBeUndefined();
  });

  test('are not merged when the step has too little time for them', () => {
    expect(merge(segmentsOf(40, 40), { maxMergedRows: 79 })).toBeUndefined();
    expect(merge(segmentsOf(40, 40, 10, 10), { maxMergedRows: 60 })).toMatchObject({ from: 2, to: 4 });
  });

  test('are merged before more records are absorbed when there are many', () => {
    expect(ofCounts(40, 40, 40, 40)).toMatchObject({ isUrgent: false });
    expect(ofCounts(40, 40, 40, 40, 40)).toMatchObject({ isUrgent: true });
    expect(ofCounts(100, 100, 40, 40, 40, 40)).toMatchObject({ isUrgent: false });
  });
});

describe('a segment of which more than a quarter of the rows are deleted', () => {
  test('is written again', () => {
    expect(ofCounts([40, 10])).toBeUndefined();
    expect(ofCounts([40, 11])).toEqual({ from: 0, to: 1, isUrgent: false });
  });

  test('takes its neighbours while the sum fits', () => {
    const shrunk = [100, 80] as const;
    expect(ofCounts(90, shrunk, shrunk, shrunk, shrunk, shrunk, shrunk)).toMatchObject({ from: 1, to: 5 });
    expect(ofCounts(90, [100, 90], [100, 90], 90)).toMatchObject({ from: 1, to: 3 });
    expect(ofCounts(90, 80, [100, 80], 90)).toMatchObject({ from: 1, to: 3 });
  });

  test('does not take a larger neighbour, or one that the step has no time for', () => {
    expect(ofCounts(60, [8, 4])).toMatchObject({ from: 1, to: 2 });
    const segments = segmentsOf([100, 80], [100, 80]);
    expect(merge(segments, { maxMergedRows: 100 })).toMatchObject({ from: 0, to: 2 });
    expect(merge(segments, { maxMergedRows: 99 })).toMatchObject({ from: 0, to: 1 });
    expect(merge(segments, { maxMergedRows: 49 })).toBeUndefined();
  });
});

test('merges end, and leave few segments', () => {
  const count = fc
    .tuple(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([rows, share]): readonly [number, number] => [rows, Math.floor(rows * share)]);
  fc.assert(
    fc.property(fc.array(count, { maxLength: 40 }), (counts) => {
      let segments = segmentsOf(...counts);
      const rows = segments.reduce((sum, segment) => sum + liveRows(segment), 0);
      for (let steps = 0; ; steps += 1) {
        expect(steps).toBeLessThanOrEqual(2 * counts.length);
        const chosen = merge(segments);
        if (!chosen) break;
        const { from, to } = chosen;
        let left = segments.slice(from, to).reduce((sum, segment) => sum + liveRows(segment), 0);
        const written: Segment[] = [];
        for (; left > 0; left -= 100) {
          const own = Math.min(left, 100);
          written.push({ ...(segments[from] as Segment), rows: own, deleted: 0, bytes: 100 * own });
        }
        segments = [...segments.slice(0, from), ...written, ...segments.slice(to)];
      }
      expect(segments.reduce((sum, segment) => sum + liveRows(segment), 0)).toBe(rows);
      // Between two full segments, the others have rows that grow by powers of two.
      const full = segments.filter((segment) => isFull(segment, sizes)).length;
      expect(segments.length).toBeLessThanOrEqual((full + 1) * 14);
    }),
    { numRuns: 300 },
  );
});

describe('columns', () => {
  const patched = (id: string, more: Partial<Segment>): Segment =>
    makeSegment({ id: `1-aaaaaa.${id}`, rows: 100, ...more });

  test('are written again when more than a tenth of their values are in patches, the largest shares first', () => {
    const segments = [
      patched('0', { patched: { name: 10, color: 11, status: 50 } }),
      patched('1', { patched: { name: 40 } }),
    ];
    const manifest = makeManifest({ segments });
    expect([...chooseColumns(manifest, sizes)]).toEqual([
      ['1-aaaaaa.0', ['status', 'color']],
      ['1-aaaaaa.1', ['name']],
    ]);
    expect([...chooseColumns(manifest, { ...sizes, maxRewrittenColumns: 2 })]).toEqual([
      ['1-aaaaaa.0', ['status']],
      ['1-aaaaaa.1', ['name']],
    ]);
  });

  test('of small segments are not', () => {
    const segments = [patched('0', { patched: { name: 100 }, isSmall: true })];
    expect(chooseColumns(makeManifest({ segments }), sizes).size).toBe(0);
  });
});
