import fc from 'fast-check';
import { LruMap } from '#functions/engine/columns/lru-map.ts';

test('a map keeps what was used last, as a plain list does', () => {
  const operation = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    size: fc.option(fc.integer({ min: 1, max: 7 })),
  });
  fc.assert(
    fc.property(fc.array(operation), (operations) => {
      const map = new LruMap<number>(6);
      // The least recently used first.
      let list: { readonly name: string; readonly size: number }[] = [];
      for (const { name, size } of operations) {
        const known = list.find((one) => one.name === name);
        list = list.filter((one) => one !== known);
        if (size === null) {
          expect(map.get(name)).toBe(known?.size);
          if (known) list.push(known);
        } else {
          map.set(name, size, size);
          if (size <= 6) list.push({ name, size });
          while (list.reduce((sum, one) => sum + one.size, 0) > 6) list.shift();
        }
        expect(map.size).toBe(list.reduce((sum, one) => sum + one.size, 0));
      }
      expect(list.map(() => map.pop())).toEqual(list.map((one) => one.size));
    }),
  );
});
