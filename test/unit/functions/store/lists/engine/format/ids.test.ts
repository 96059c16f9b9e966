import fc from 'fast-check';
import {
  chunkOf,
  chunkRows,
  countIds,
  encodeIdChunks,
  encodeIds,
  idAt,
  positionOfId,
} from '#functions/store/lists/engine/format/ids.ts';

const id = fc.uuid();

const sortedIds = (options: { minLength?: number; maxLength: number }) =>
  fc.uniqueArray(id, options).map((ids) => ids.toSorted());

test('ids take 16 bytes each and are read by their positions', () => {
  fc.assert(
    fc.property(sortedIds({ maxLength: 20 }), (ids) => {
      const encoded = encodeIds(ids);
      expect(encoded.length).toBe(16 * ids.length);
      expect(countIds(encoded)).toBe(ids.length);
      expect(ids.map((_, position) => idAt(encoded, position))).toEqual(ids);
    }),
  );
});

test('positionOfId returns the number of ids that are less than another one', () => {
  fc.assert(
    fc.property(sortedIds({ maxLength: 20 }), id, (ids, other) => {
      for (const wanted of [...ids, other]) {
        expect(positionOfId(encodeIds(ids), wanted)).toBe(ids.filter((one) => one < wanted).length);
      }
    }),
  );
});

describe('chunkOf', () => {
  test('returns the last chunk whose first id is not greater than an id', () => {
    fc.assert(
      fc.property(sortedIds({ minLength: 1, maxLength: 20 }), id, (firstIds, other) => {
        const fence = encodeIds(firstIds);
        for (const wanted of [...firstIds, other]) {
          expect(chunkOf(fence, wanted)).toBe(
            Math.max(
              0,
              firstIds.findLastIndex((first) => first <= wanted),
            ),
          );
        }
      }),
    );
  });

  test('returns the first chunk for an id that is less than all', () => {
    const fence = encodeIds(['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002']);
    expect(chunkOf(fence, '01890000-0000-7000-8000-000000000000')).toBe(0);
  });
});

describe('encodeIdChunks', () => {
  const ids = (count: number): string[] =>
    Array.from({ length: count }, (_, row) => `01890000-0000-7000-8000-${String(row).padStart(12, '0')}`);

  test('returns no chunks for no ids', () => {
    expect(encodeIdChunks([])).toEqual({ chunks: [], fence: Buffer.alloc(0) });
  });

  test.each([
    [1, [1]],
    [chunkRows, [240]],
    [chunkRows + 1, [240, 1]],
    [3 * chunkRows - 1, [240, 240, 239]],
  ])('divides %i ids into chunks of %j', (count, lengths) => {
    const { chunks, fence } = encodeIdChunks(ids(count));
    expect(chunks.map(countIds)).toEqual(lengths);
    expect(Buffer.concat(chunks)).toEqual(encodeIds(ids(count)));
    expect(fence).toEqual(encodeIds(ids(count).filter((_, row) => row % chunkRows === 0)));
  });

  test('leaves a chunk and its key below half a read unit', () => {
    const [chunk] = encodeIdChunks(ids(chunkRows)).chunks;
    expect(chunk?.length).toBeLessThan(4_096 - 200);
  });

  test('has each id in the chunk that chunkOf returns', () => {
    const all = ids(1_000);
    const { chunks, fence } = encodeIdChunks(all);
    for (const [row, one] of all.entries()) {
      const chunk = chunkOf(fence, one);
      expect(chunk * chunkRows + positionOfId(chunks[chunk] as Buffer, one)).toBe(row);
    }
  });
});
