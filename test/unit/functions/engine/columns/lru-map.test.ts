import fc from 'fast-check';
import { LruMap } from '#functions/engine/columns/lru-map.ts';

interface Entry {
  readonly name: string;
  readonly size: number;
}

const maxSize = 6;
const sizeOf = (entries: readonly Entry[]): number => entries.reduce((sum, { size }) => sum + size, 0);

/** Returns the entries after one was used or set, the least recently used first. */
function afterUse(entries: readonly Entry[], name: string, added: Entry | undefined): readonly Entry[] {
  const others = entries.filter((one) => one.name !== name);
  const kept = added && added.size <= maxSize ? [...others, added] : others;
  return kept.slice(kept.findIndex((_, first) => sizeOf(kept.slice(first)) <= maxSize));
}

test('a map keeps what was used last, as a plain list does', () => {
  const operation = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    size: fc.option(fc.integer({ min: 1, max: maxSize + 1 })),
  });
  fc.assert(
    fc.property(fc.array(operation), (operations) => {
      const map = new LruMap<number>(maxSize);
      let entries: readonly Entry[] = [];
      for (const { name, size } of operations) {
        const known = entries.find((one) => one.name === name);
        if (size === null) expect(map.get(name)).toBe(known?.size);
        else map.set(name, size, size);
        entries = afterUse(entries, name, size === null ? known : { name, size });
        expect(map.size).toBe(sizeOf(entries));
      }
      expect(entries.map(() => map.pop())).toEqual(entries.map(({ size }) => size));
    }),
  );
});

test('an entry does not displace those that its reader has got or set', () => {
  const map = new LruMap<number>(3);
  const names = ['a', 'b', 'c', 'd', 'e'];
  const read = (reader: number): string => {
    const missing = names.filter((name) => map.get(name, reader) === undefined);
    for (const name of missing) map.set(name, 1, 1, reader);
    return missing.join('');
  };
  expect([read(1), read(2)]).toEqual(['abcde', 'de']);
  // Another one displaces what was used least recently.
  map.set('x', 1, 1, 3);
  expect([read(4), map.size]).toEqual(['ade', 3]);
});
