import { deflateRawSync } from 'node:zlib';
import { decodeBucket } from '#functions/store/lists/engine/format/buckets.ts';
import { decodeColumn } from '#functions/store/lists/engine/format/column.ts';
import { decodeManifest, encodeManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { decodePatch } from '#functions/store/lists/engine/format/patch.ts';
import { ByteWriter } from '#functions/store/model/bytes.ts';
import { inflate } from '#functions/store/model/inflate.ts';
import { decodeContents, encodeContents } from '#functions/store/model/record-codec.ts';
import { makeManifest } from '#test/support/segments.ts';

/** 40 KB that inflate to 40 MB. */
const bomb = deflateRawSync(Buffer.alloc(40_000_000));

const message = /^A stored item cannot be inflated, or not to \d+ bytes at most\.$/;

test('inflates up to a size', () => {
  const deflated = deflateRawSync('abc');
  expect(inflate(deflated, 3).toString()).toBe('abc');
  expect(() => inflate(deflated, 2)).toThrow(message);
  expect(() => inflate(Buffer.from('not deflated'))).toThrow(message);
  expect(() => inflate(bomb)).toThrow(message);
});

function bucketOf(part: Buffer): Buffer {
  const lengths = new ByteWriter();
  lengths.number(part.length);
  lengths.number(0);
  return Buffer.concat([lengths.bytes(), part]);
}

/** What a record begins with whose entries are deflated and that has no actor. */
const head = encodeContents(
  {
    entries: Array.from({ length: 9 }, () => ({
      id: 'an id',
      version: 1,
      previousStamp: 0,
      before: undefined,
      after: {},
    })),
  },
  0,
).subarray(0, 2);

test.each<[string, () => unknown]>([
  ['a record', () => decodeContents(Buffer.concat([head, bomb]), 0)],
  ['a column', () => decodeColumn(bomb)],
  ['a bucket', () => decodeBucket(bucketOf(bomb))],
  ['a patch', () => decodePatch(bomb)],
  [
    'a manifest',
    () => decodeManifest({ pk: '', sk: '', ...encodeManifest(makeManifest({ watermark: 1 })), state: bomb }),
  ],
])('%s has a limit', (_, decode) => {
  expect(decode).toThrow(message);
});
