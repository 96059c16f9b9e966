import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutations } from '../../mutations/mutations.ts';

const page = readFileSync(join(__dirname, '../../../docs/list-engine.md'), 'utf8');
const known: readonly string[] = mutations.map(({ name }) => name);

/** Returns the names of mutations in a text: they have hyphens, and no dot as names of files have. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name = '']) => name);

const [, section = ''] = /^## Rules\n(.*?)^## /ms.exec(page) ?? [];
const rules = section.split('\n\n').filter((paragraph) => paragraph.trim().startsWith('**'));

test('finds the rules of the list engine, and the mutations of the whole page', () => {
  expect(rules.length).toBeGreaterThan(10);
  expect(namesIn(page).length).toBeGreaterThan(40);
});

test.each(rules)('names a mutation: %s', (rule) => {
  expect(namesIn(rule)).not.toEqual([]);
});

test.each(namesIn(page))('names a mutation that exists: %s', (name) => {
  expect(known).toContain(name);
});
