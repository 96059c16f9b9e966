import fc from 'fast-check';
import { ByteReader, ByteWriter, isUuid } from '#functions/store/model/bytes.ts';
import { anyCharacter } from '#test/support/any-character.ts';

function bytesOf(write: (writer: ByteWriter) => void): Buffer {
  const writer = new ByteWriter();
  write(writer);
  return writer.bytes();
}

test.each([
  [0, [0]],
  [127, [127]],
  [128, [0x80, 1]],
  [300, [0xac, 2]],
])('writes the number %i as %j', (number, bytes) => {
  expect([...bytesOf((writer) => writer.number(number))]).toEqual(bytes);
});

test.each([
  [0, [0]],
  [-1, [1]],
  [1, [2]],
  [-64, [127]],
])('writes the signed number %i as %j', (number, bytes) => {
  expect([...bytesOf((writer) => writer.signed(number))]).toEqual(bytes);
});

/** A value, how it is written, and how it is read. */
interface Written {
  readonly value: number | string;
  readonly write: (writer: ByteWriter) => void;
  readonly read: (reader: ByteReader) => number | string;
}

const written: fc.Arbitrary<Written> = fc.oneof(
  fc.maxSafeNat().map((value) => ({
    value,
    write: (writer: ByteWriter) => writer.number(value),
    read: (reader: ByteReader) => reader.number(),
  })),
  fc.integer({ min: -(2 ** 51), max: 2 ** 51 }).map((value) => ({
    value,
    write: (writer: ByteWriter) => writer.signed(value),
    read: (reader: ByteReader) => reader.signed(),
  })),
  fc.string({ unit: anyCharacter, maxLength: 700 }).map((value) => ({
    value,
    write: (writer: ByteWriter) => writer.text(value),
    read: (reader: ByteReader) => reader.text(),
  })),
  fc.uuid().map((value) => ({
    value,
    write: (writer: ByteWriter) => writer.id(value),
    read: (reader: ByteReader) => reader.id(),
  })),
);

test('reads everything as it was written', () => {
  fc.assert(
    fc.property(fc.array(written), (all) => {
      const bytes = bytesOf((writer) => {
        for (const { write } of all) write(writer);
      });
      const reader = new ByteReader(bytes);
      expect(all.map(({ read }) => read(reader))).toEqual(all.map(({ value }) => value));
      expect(reader.hasMore).toBe(false);
    }),
  );
});

test('writes a text as its length and its bytes in UTF-8', () => {
  expect([...bytesOf((writer) => writer.text('aß'))]).toEqual([3, 0x61, 0xc3, 0x9f]);
});

test.each([
  ['01890000-0000-7000-8000-000000000001', true],
  ['00000000-0000-0000-0000-000000000000', true],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', true],
  ['01890000-0000-7000-8000-00000000000A', false],
  ['0189000-00000-7000-8000-000000000001', false],
  ['01890000-0000-7000-8000-000000000001\n', false],
  ['', false],
])('isUuid(%j) is %j', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});
