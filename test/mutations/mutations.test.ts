import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compileErrors } from './compile-errors.ts';
import { applyMutation, type Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';
import { readRecord } from './record.ts';

/** Checks that all mutations can be applied to the current code, and compile. `npm run test:mutations` applies them. */

const root = join(__dirname, '../..');

test.each(mutations)('$name can be applied', (mutation) => {
  expect(applyMutation(root, mutation)).toContain(mutation.replacement);
});

test('all mutations compile, and the compiler reports one that does not', async () => {
  const [first] = mutations as readonly [Mutation];
  const broken = { ...first, name: 'broken', replacement: `noSuchName; ${first.replacement}` };
  expect(await compileErrors(root, [...mutations, broken])).toEqual([
    expect.stringMatching(/\.broken\.ts\(.*Cannot find name 'noSuchName'/),
  ]);
});

test('no two mutations have the same name', () => {
  expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
});

test('the record has mutations that exist, in their order, with the test that detected each', () => {
  const record = readRecord();
  const recorded = mutations.map(({ name }) => name).filter((name) => name in record);
  expect(Object.keys(record)).toEqual(recorded.sort());
  for (const { file, test: name } of Object.values(record)) {
    expect(existsSync(join(root, file))).toBe(true);
    expect(name).not.toBe('');
  }
});

test('applyMutation throws with the name of a mutation whose text does not occur exactly once', () => {
  const mutation = { ...mutations[0], name: 'lost', search: 'no such text' } as Mutation;
  expect(() => applyMutation(root, mutation)).toThrow(/"lost" cannot be applied: .* does not occur/);
  expect(() => applyMutation(root, { ...mutation, search: '\n' })).toThrow(/"lost" .* occurs \d+ times/);
});
