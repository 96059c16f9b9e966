import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutations } from '../../mutations/mutations.ts';

const page = readFileSync(join(__dirname, '../../../docs/list-engine.md'), 'utf8');
const [, section = ''] = /^## Rules\n(.*?)^## /ms.exec(page) ?? [];
const rules = section.split('\n\n').filter((paragraph) => paragraph.trim().startsWith('**'));

test('finds the rules of the list engine', () => {
  expect(rules.length).toBeGreaterThan(15);
});

test.each(rules)('names a mutation that exists: %s', (rule) => {
  const named = [...rule.matchAll(/\(`([\w-]+)`\)/g)].map(([, name]) => name);
  const known: readonly string[] = mutations.map(({ name }) => name);
  expect(named).not.toEqual([]);
  expect(known).toEqual(expect.arrayContaining(named));
});
