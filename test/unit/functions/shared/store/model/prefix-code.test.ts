import fc from 'fast-check';
import { packText, unpackText } from '../../../../../../functions/shared/store/model/prefix-code.ts';
import { anyCharacter } from '../../../../../support/any-character.ts';

const packed = (text: string): Buffer => packText(Buffer.from(text));

test('any text is unpacked as it was, whatever follows it', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.uint8Array(), (text, following) => {
      const code = packed(text);
      const { text: unpacked, end } = unpackText(
        Buffer.concat([code, following]),
        0,
        Buffer.byteLength(text),
      );
      expect([unpacked, end]).toEqual([text, code.length]);
    }),
  );
});

test('every byte has a code, and no code is the beginning of another one', () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const first of all) {
    // Of each pair, both are found again: Latin-1, because single bytes are not UTF-8.
    const pair = Buffer.of(first, 0xff - first);
    const { end } = unpackText(packText(pair), 0, 2);
    expect(end).toBe(packText(pair).length);
  }
});

test.each([
  // 3 bits for a space, 4 for "e": 0b000 and 0b0011, filled up with zeros.
  ['', []],
  [' ', [0b0000_0000]],
  ['ae', [0b0010_0011]],
  ['to', [0b0110_0101]],
])('packs %j as %j: stored records depend on the codes', (text, bytes) => {
  expect([...packed(text)]).toEqual(bytes);
});

test.each([
  ['English text', 'Prepare the release notes of the next version', 0.62],
  ['digits', '0123456789', 1],
  ['other letters', 'Обновить документацию', 1.5],
])('packs %s to %s of its bytes at most', (_, text, share) => {
  expect(packed(text).length / Buffer.byteLength(text)).toBeLessThanOrEqual(share);
});
