import { deflateRawSync } from 'node:zlib';
import { decodeSmallSegment } from '#functions/store/lists/engine/format/small-segment.ts';
import { UnknownFormat } from '#functions/store/model/errors.ts';

const ids = ['01890000-0000-7000-8000-000000000001'];

test.each([
  [
    'an unknown field',
    { ids, columns: {}, texts: [] },
    'A stored item (small segment) has the field "texts", which this release does not know.',
  ],
  ['an unknown value', { ids, columns: { name: [true] } }, 'A column has the value true.'],
])('decodeSmallSegment throws UnknownFormat for %s', (_, stored, message) => {
  const encoded = deflateRawSync(JSON.stringify(stored));
  expect(() => decodeSmallSegment(encoded)).toThrow(new UnknownFormat(message));
});
