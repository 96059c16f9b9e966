import fc from 'fast-check';
import { Checksum, Checksums, KeyFilter, maxExactKeys, type StoredCopy } from '#lib/audit/checksums.ts';
import { copyOfRow } from '#lib/audit/snapshot.ts';

/** Copies of 10,000 values, with one value that differs, is missing, or is there twice. */
const copies = (sign: 1 | -1, other?: Partial<StoredCopy>): StoredCopy[] =>
  Array.from({ length: 10_000 }, (_, number) => ({
    key: `key ${number}`,
    value: `value ${number}`,
    sign,
    ...(number === 5_000 && other),
  }));

function sumsOf(added: readonly StoredCopy[], subtracted: readonly StoredCopy[]) {
  const one = new Checksum();
  const all = new Checksums();
  for (const copy of [...added, ...subtracted]) {
    one.change(copy);
    all.change(copy);
  }
  return { one, all };
}

test('are zero when each copy was added and subtracted, in any order', () => {
  const { one, all } = sumsOf(copies(1), copies(-1).reverse());
  expect(one.isZero).toBe(true);
  expect(copies(1).filter(({ key }) => all.differs(key))).toEqual([]);
});

test.each([
  ['has another value', copies(-1, { value: 'another' })],
  ['has another key', copies(-1, { key: 'another' })],
  ['is missing', copies(-1).toSpliced(5_000, 1)],
  ['is there twice', [...copies(-1), ...copies(-1).slice(5_000, 5_001)]],
])('differ for few keys when one copy %s', (_, subtracted) => {
  const { one, all } = sumsOf(copies(1), subtracted);
  expect(one.isZero).toBe(false);
  const differing = copies(1).filter(({ key }) => all.differs(key));
  expect(differing.map(({ key }) => key)).toContain('key 5000');
  expect(differing.length).toBeLessThan(10);
});

test('of different texts differ', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const sum = new Checksum();
      sum.change({ key: 'key', value: one, sign: 1 });
      sum.change({ key: 'key', value: other, sign: -1 });
      expect(sum.isZero).toBe(one === other);
    }),
  );
});

test('the copy of a row has its version, every field and every value, in any order', () => {
  const row = { name: 'a', status: 'b', projectId: null, tagIds: 'x,y' };
  const same = copyOfRow('log', 'id', { version: 1, row }, 1).value;
  const reversed = Object.fromEntries(Object.entries(row).reverse());
  expect(copyOfRow('log', 'id', { version: 1, row: reversed }, 1).value).toBe(same);
  const others = [
    { version: 2, row },
    { version: 1, row: { ...row, name: 'b' } },
    { version: 1, row: { ...row, projectId: '' } },
    { version: 1, row: { ...row, more: null } },
    { version: 1, row: { name: 'a', status: 'b', projectId: null } },
  ].map((known) => copyOfRow('log', 'id', known, 1).value);
  expect(new Set([same, ...others]).size).toBe(others.length + 1);
});

test.each([maxExactKeys, maxExactKeys + 1])(
  'a filter of %i keys knows each, and hardly any other',
  (count) => {
    const filter = new KeyFilter();
    const numbers = Array.from({ length: count }, (_, number) => number);
    for (const number of numbers) filter.add(`key ${number}`);
    expect(numbers.filter((number) => !filter.has(`key ${number}`))).toEqual([]);
    expect(numbers.filter((number) => filter.has(`other ${number}`))).toEqual([]);
  },
);

/** Returns the mebibytes of typed arrays in which checksums and a filter have some keys. */
function mebibytesOf(keys: number): number {
  const before = process.memoryUsage().arrayBuffers;
  const sums = new Checksums();
  const filter = new KeyFilter();
  for (let number = 0; number < keys; number += 1) {
    sums.change({ key: `key ${number}`, value: '', sign: 1 });
    filter.add(`key ${number}`);
  }
  const bytes = process.memoryUsage().arrayBuffers - before;
  // Both are in use until here, so the garbage collector has not freed them.
  expect([sums.differs('key 0'), filter.has('key 0')]).toEqual([keys > 0, keys > 0]);
  return bytes / 2 ** 20;
}

test('need memory for the keys that there are, 72 MiB at most', () => {
  expect(mebibytesOf(0)).toBeLessThan(0.1);
  expect(mebibytesOf(100)).toBeLessThan(0.25);
  expect(mebibytesOf(1_000)).toBeLessThan(2.5);
  expect(mebibytesOf(maxExactKeys + 1)).toBeLessThanOrEqual(72);
});
