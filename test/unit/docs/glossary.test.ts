import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(__dirname, '../../../docs/glossary.md'), 'utf8');
const words = [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)]
  .slice(2)
  .map(([, word = '', meaning = '']) => ({ word, meaning }));

test('has fewer than 50 words, in alphabetical order and each once', () => {
  const names = words.map(({ word }) => word);
  expect(names.length).toBeGreaterThan(20);
  expect(names.length).toBeLessThan(50);
  expect(names).toEqual([...new Set(names)].sort());
});

test.each(words)('explains "$word" in one sentence', ({ meaning }) => {
  expect(meaning).toMatch(/^[A-Z][^.]*\.$/);
});
