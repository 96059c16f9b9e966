import fc from 'fast-check';
import {
  beginningOf,
  Digest,
  digestText,
  fromInlineText,
  isDigestOf,
  isLong,
  maxInlineBytes,
  toInlineText,
} from '#functions/store/model/long-text.ts';

describe('digestText', () => {
  test.each([
    ['an empty text', ''],
    ['a text of 100 characters', 'x'.repeat(100)],
    ['a text of 100 characters of two units each', '\u{1F600}'.repeat(100)],
  ])('returns %s as it is', (_, text) => {
    expect(digestText(text)).toBe(text);
  });

  test.each([
    ['101 characters', 'x'.repeat(101), 'x'.repeat(100)],
    ['101 characters of two units each', '\u{1F600}'.repeat(101), '\u{1F600}'.repeat(100)],
    [
      '300 characters, the 101st of two units',
      `${'x'.repeat(100)}\u{1F600}${'x'.repeat(199)}`,
      'x'.repeat(100),
    ],
  ])('returns the first 100 characters and a hash of a text of %s', (_, text, beginning) => {
    const [first, hash, ...more] = digestText(text).split('\u0000');
    expect(first).toBe(beginning);
    expect(hash).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(more).toEqual([]);
    expect(beginningOf(digestText(text))).toBe(beginning);
  });

  test('returns different digests of texts with the same beginning', () => {
    const beginning = 'x'.repeat(150);
    expect(digestText(`${beginning}1`)).not.toBe(digestText(`${beginning}2`));
    expect(digestText(`${beginning}1`)).toBe(digestText(`${beginning}1`));
  });
});

describe('isLong', () => {
  test.each([
    ['undefined', undefined, false],
    ['399 bytes', 'x'.repeat(399), false],
    ['400 bytes', 'x'.repeat(400), false],
    ['401 bytes', 'x'.repeat(401), true],
    ['200 characters of two bytes', 'é'.repeat(200), false],
    ['201 characters of two bytes', 'é'.repeat(201), true],
    ['133 characters of three bytes', '€'.repeat(133), false],
    ['134 characters of three bytes', '€'.repeat(134), true],
    ['100 characters of four bytes', '\u{1F600}'.repeat(100), false],
    ['101 characters of four bytes', '\u{1F600}'.repeat(101), true],
    ['a digest', new Digest(digestText('x'.repeat(500))), true],
  ])('of %s', (_, text, expected) => {
    expect(isLong(text)).toBe(expected);
  });
});

const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '€', '\u{1F600}'), maxLength: 600 });

test('a text stays inline up to the limit, and otherwise its digest, which matches this text only, takes its place', () => {
  fc.assert(
    fc.property(anyText, anyText, (text, other) => {
      const inline = toInlineText(text);
      const read = fromInlineText(inline);
      expect(read instanceof Digest).toBe(Buffer.byteLength(text) > maxInlineBytes);
      expect(toInlineText(read)).toBe(inline);
      if (!(read instanceof Digest)) expect(read).toBe(text);
      else expect([isDigestOf(read, text), isDigestOf(read, other)]).toEqual([true, text === other]);
    }),
  );
});

test('a digest cannot become a part of a response', () => {
  expect(() => JSON.stringify({ description: new Digest('x') })).toThrow(
    new TypeError('A long text was not read.'),
  );
});
