import fc from 'fast-check';
import { findJsonMistake } from '../../../../../functions/shared/http/json-syntax-error.ts';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const characters = [...'{}[]",:.-+eE01u\\/ \n\ttrufalsn', '\u0001', '\ufeff', '\u00a0', 'é'];

test('finds an error in exactly the texts that JSON.parse rejects', () => {
  const corrupted = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ...characters), fc.nat(3))
    .map(([json, place, character, removed]) => {
      const position = place % (json.length + 1);
      return json.slice(0, position) + character + json.slice(position + removed);
    });
  const any = fc.string({ unit: fc.constantFrom(...characters), maxLength: 12 });
  fc.assert(
    fc.property(fc.oneof(corrupted, any, fc.json()), (text) => {
      expect(findJsonMistake(text) === undefined).toBe(parses(text));
    }),
    { numRuns: 5_000 },
  );
});

test('the position of the error is inside the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...characters), maxLength: 30 }), (text) => {
      const { position = 0 } = findJsonMistake(text) ?? {};
      expect(position).toBeGreaterThanOrEqual(0);
      expect(position).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 2_000 },
  );
});
