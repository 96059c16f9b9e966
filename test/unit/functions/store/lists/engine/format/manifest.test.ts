import fc from 'fast-check';
import {
  columnNames,
  decodeManifest,
  emptyManifest,
  encodeManifest,
  fenceName,
  idsName,
  isBucketName,
  isColumnName,
  isManifest,
  isPatchName,
  isSmallSegmentName,
  type Manifest,
  manifestNames,
  newStepId,
  type Patch,
  patchNames,
  type Segment,
  segmentNames,
  segmentOf,
  sequenceOf,
  wholeColumns,
} from '#functions/store/lists/engine/format/manifest.ts';
import { stampPrefix } from '#functions/store/model/change-log.ts';
import { UnknownFormat } from '#functions/store/model/errors.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { makeManifest, makeSegment } from '#test/support/segments.ts';

const segment = makeSegment({
  id: '7-aaaaaa.0',
  first: '01890000-0000-7000-8000-000000000001',
  last: '01890000-0000-7000-8000-000000000300',
  rows: 300,
  deleted: 2,
  columns: { $version: '7-aaaaaa', name: '8-bbbbbb' },
  patched: { $version: 5 },
});

const smallPatch: Patch = { step: '9-cccccc', values: 3, bytes: 80 };
const largePatch: Patch = { step: '8-bbbbbb', values: 900, bytes: 9_000, items: { $version: 1, name: 2 } };

const manifest: Manifest = {
  version: 9,
  watermark: 1_770_000_000_000,
  absorbed: ['r#1k1bfg2k0abc'],
  newestStamps: { 30: 1_769_999_000_000 },
  generation: 7,
  segments: [segment],
  patches: [largePatch, smallPatch],
  outOfOrder: [{ name: 'out-of-order:9-dddddd/0', rows: 2, bytes: 40 }],
};

describe('names of items', () => {
  test('of a segment are those of its columns, its fence and its chunks of ids', () => {
    expect(columnNames(segment, 'name')).toEqual(['7-aaaaaa.0/8-bbbbbb/name']);
    expect(columnNames(segment, 'color')).toEqual([]);
    expect(fenceName(segment)).toBe('7-aaaaaa.0/fence');
    expect(idsName(segment, 1)).toBe('7-aaaaaa.0/ids1');
    expect(segmentNames(segment)).toEqual([
      '7-aaaaaa.0/7-aaaaaa/$version',
      '7-aaaaaa.0/8-bbbbbb/name',
      '7-aaaaaa.0/fence',
      '7-aaaaaa.0/ids0',
      '7-aaaaaa.0/ids1',
    ]);
  });

  test('of a column in buckets are one for each bucket', () => {
    const bucketed = { ...segment, buckets: { name: 2 } };
    const names = ['7-aaaaaa.0/8-bbbbbb/name.0', '7-aaaaaa.0/8-bbbbbb/name.1'];
    expect(columnNames(bucketed, 'name')).toEqual(names);
    expect(segmentNames(bucketed).filter(isBucketName)).toEqual(names);
    expect(segmentNames(bucketed).filter(isColumnName)).toEqual(['7-aaaaaa.0/7-aaaaaa/$version', ...names]);
  });

  test('contain a column in buckets if they contain each bucket', () => {
    const bucketed = { ...segment, buckets: { name: 2 } };
    const buckets = columnNames(bucketed, 'name');
    const names = new Set([...buckets, ...columnNames(bucketed, '$version')]);
    expect(wholeColumns([bucketed], names)).toEqual([{ name: '7-aaaaaa.0/8-bbbbbb/name', buckets }]);
    expect(wholeColumns([bucketed], new Set(buckets.slice(1)))).toEqual([]);
    expect(wholeColumns([segment], names)).toEqual([]);
  });

  test('of a small segment are one for all fields, the ids and the fence', () => {
    const small = { ...segment, isSmall: true } as const;
    const name = '7-aaaaaa.0/all';
    expect(columnNames(small, 'name')).toEqual([name]);
    expect(columnNames(small, 'color')).toEqual([]);
    expect([fenceName(small), idsName(small, 1)]).toEqual([name, name]);
    expect(segmentNames(small)).toEqual([name]);
    expect(isSmallSegmentName(name)).toBe(true);
    expect([...segmentNames(segment), ...patchNames(smallPatch)].filter(isSmallSegmentName)).toEqual([]);
  });

  test('of a small patch are one for all fields', () => {
    expect(patchNames(smallPatch, ['name'])).toEqual(['patch:9-cccccc/all']);
    expect(patchNames(smallPatch)).toEqual(['patch:9-cccccc/all']);
  });

  test('of a large patch are those of the wanted fields that it has', () => {
    expect(patchNames(largePatch, ['name', 'color'])).toEqual([
      'patch:8-bbbbbb/name.0',
      'patch:8-bbbbbb/name.1',
    ]);
    expect(patchNames(largePatch, ['color'])).toEqual([]);
  });

  test('of a manifest are those of its segments, patches and out-of-order rows', () => {
    expect(manifestNames(manifest)).toEqual([
      ...segmentNames(segment),
      'patch:8-bbbbbb/$version.0',
      'patch:8-bbbbbb/name.0',
      'patch:8-bbbbbb/name.1',
      'patch:9-cccccc/all',
      'out-of-order:9-dddddd/0',
    ]);
    expect(manifestNames(emptyManifest)).toEqual([]);
  });

  test('tell items of patches from those of segments, whatever the number of the step', () => {
    expect(manifestNames(manifest).filter(isPatchName)).toHaveLength(4);
    const id = `${newStepId(Number.parseInt('patch', 36))}.0`;
    expect(segmentNames({ ...segment, id }).filter(isPatchName)).toEqual([]);
  });
});

describe('newStepId', () => {
  test('begins with the number of the step', () => {
    expect(newStepId(36)).toMatch(/^10-[0-9a-f]{6}$/);
  });

  test.each([[1], [35], [36], [123_456_789]])(
    'returns a name of which sequenceOf returns the number %i',
    (version) => {
      expect(sequenceOf(newStepId(version))).toBe(version);
    },
  );

  test('returns different names for two steps with the same number', () => {
    const names = new Set(Array.from({ length: 5 }, () => newStepId(1)));
    expect(names.size).toBe(5);
  });
});

describe('segmentOf', () => {
  const manifestWith = (firstIds: readonly string[]): Manifest =>
    makeManifest({ segments: firstIds.map((first) => ({ ...segment, first })) });

  test('returns the last segment whose first id is not greater than an id, and else the first one', () => {
    const firstIds = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 }).map((ids) => ids.toSorted());
    fc.assert(
      fc.property(firstIds, fc.uuid(), (ids, other) => {
        for (const id of [...ids, other]) {
          expect(segmentOf(manifestWith(ids), id)).toBe(
            Math.max(
              0,
              ids.findLastIndex((first) => first <= id),
            ),
          );
        }
      }),
    );
  });

  test('returns 0 without segments', () => {
    expect(segmentOf(emptyManifest, segment.first)).toBe(0);
  });
});

describe('the item of a manifest', () => {
  const item: Item = { pk: 'acme#task#log', sk: '~', ...encodeManifest(manifest) };

  test('has its format and its version, which conditions compare', () => {
    expect(item).toMatchObject({ format: 6, version: 9, state: expect.any(Buffer) });
  });

  test('is decoded to the same manifest', () => {
    expect(decodeManifest(item)).toEqual(manifest);
    expect(decodeManifest({ pk: '', sk: '', ...encodeManifest(emptyManifest) })).toEqual(emptyManifest);
  });

  test('of an unknown format throws UnknownFormat that names it and the runbook', () => {
    expect(() => decodeManifest({ ...item, format: 2 })).toThrow(
      new UnknownFormat('The format of a stored item (manifest) is 2, and this release reads 6.'),
    );
    expect(() => decodeManifest({ ...item, format: 2 })).toThrow(
      /See "A format is unknown" in docs\/operations\.md\.$/,
    );
  });

  test.each([
    ['the item', { ...item, shards: 2 }],
    ['the state', { ...item, ...encodeManifest({ ...manifest, shards: 2 } as Manifest) }],
    [
      'a segment',
      { ...item, ...encodeManifest({ ...manifest, segments: [{ ...segment, shards: 2 } as Segment] }) },
    ],
    [
      'a patch',
      {
        ...item,
        ...encodeManifest({
          ...manifest,
          patches: [{ step: '1-a', values: 1, bytes: 1, shards: 2 } as Patch],
        }),
      },
    ],
  ])('with an unknown field in %s throws UnknownFormat that names it', (_, other) => {
    expect(() => decodeManifest(other)).toThrow(
      new UnknownFormat('A stored item (manifest) has the field "shards", which this release does not know.'),
    );
  });

  test('is told from records by its sort key', () => {
    expect(isManifest(item)).toBe(true);
    expect(isManifest({ pk: item.pk, sk: stampPrefix(1) })).toBe(false);
  });
});
