import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { isSafe } from 'redos-detector';
import * as v from 'valibot';
import { documentedEmail, email } from '#functions/contract/fields.ts';
import { fc } from '../support/fast-check.ts';
import { runs, someOf } from '../support/runs.ts';

/**
 * No request can make a regular expression slow. An analysis proves that every regular expression that reads input has a
 * small, fixed number of backtracks.
 */

const root = join(__dirname, '../..');

/** The folders with code that reads requests. */
const folders = ['functions', 'lib/local'];

/** The maximum score of redos-detector: the number of ways in which an input can partly match. */
const maxScore = 4;

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name))
    .map((name) => join(folder, name)),
);

interface SyntaxNode {
  readonly type?: string;
  readonly pattern?: string;
  readonly flags?: string;
  readonly callee?: { readonly value?: string };
}

const found: { readonly file: string; readonly expression: RegExp }[] = [];
/** Files that build an expression from text, which cannot be analysed. */
const building: string[] = [];

/** Finds the regular expressions in a part of a syntax tree. */
function find(file: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { type, pattern = '', flags, callee } = value as SyntaxNode;
  if (type === 'RegExpLiteral') found.push({ file, expression: new RegExp(pattern, flags) });
  if (callee?.value === 'RegExp') building.push(file);
  for (const child of Object.values(value)) find(file, child);
}

for (const file of files)
  find(file, parseSync(readFileSync(join(root, file), 'utf8'), { syntax: 'typescript' }));

test('there are regular expressions, and none is built from text', () => {
  expect([found.length > 15, building]).toEqual([true, []]);
});

test('no regular expression uses lookbehind, which the analysis does not count', () => {
  expect(found.filter(({ expression }) => /\(\?<[=!]/.test(expression.source))).toEqual([]);
});

test.each(someOf(found, 4))('$expression in $file cannot be made slow', ({ expression }) => {
  const { safe, score } = isSafe(expression, { maxScore, timeout: 10_000 });
  expect({ safe, score }).toMatchObject({ safe: true });
});

test.each([/^(a+)+$/, /\s+$/, /^a*a*$/])('the analysis detects %s', (expression) => {
  expect(isSafe(expression, { maxScore, timeout: 10_000 }).safe).toBe(false);
});

test('the accepted e-mail addresses match the pattern in the document', async () => {
  const part = fc.string({
    unit: fc.constantFrom('a', 'B', '7', '.', '-', '@', '+', '_', ' '),
    maxLength: 12,
  });
  const near = fc.tuple(part, part).map(([local, domain]) => `x${local}@y${domain}.com`);
  const documented = new RegExp(documentedEmail);
  await fc.assert(
    fc.property(fc.oneof(part, near), (text) => {
      expect(v.safeParse(email(), text).success).toBe(documented.test(text));
    }),
    { numRuns: runs(300, 2_000) },
  );
});
