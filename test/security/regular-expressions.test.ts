import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import * as fc from 'fast-check';
import { isSafe } from 'redos-detector';
import * as v from 'valibot';
import { documentedEmail, email } from '../../functions/shared/contract/fields.ts';

/**
 * No request can keep a regular expression busy: each of those that requests meet is proved to go back in its input a few
 * times at most, however long that is.
 */

const root = join(__dirname, '../..');

/** What requests pass through. */
const folders = ['functions', 'lib/local'];

/** Ways in which an input can match in part; each but the first is one more time that an engine may go back. */
const mostBacktracks = 4;

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

/** All that is below a node of the syntax tree, and the node. */
function* nodesOf(value: unknown): Generator<SyntaxNode> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) yield value as SyntaxNode;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

const nodes = files.flatMap((file) =>
  [...nodesOf(parseSync(readFileSync(join(root, file), 'utf8'), { syntax: 'typescript' }))].map(
    (node) => [file, node] as const,
  ),
);

const expressions = nodes.flatMap(([file, { type, pattern = '', flags }]) =>
  type === 'RegExpLiteral' ? [{ file, expression: new RegExp(pattern, flags) }] : [],
);

test('regular expressions are found', () => {
  expect(expressions.length).toBeGreaterThan(15);
});

test('none is made of text, which nothing could prove safe', () => {
  const made = nodes.filter(([, { callee }]) => callee?.value === 'RegExp').map(([file]) => file);
  expect(made).toEqual([]);
});

test('none looks behind: the proof below does not count what that reads', () => {
  expect(expressions.filter(({ expression }) => /\(\?<[=!]/.test(expression.source))).toEqual([]);
});

test.each(expressions)('$expression in $file cannot be made slow', ({ expression }) => {
  const { safe, score } = isSafe(expression, { maxScore: mostBacktracks, timeout: 10_000 });
  expect({ safe, score }).toMatchObject({ safe: true });
});

test.each([/^(a+)+$/, /\s+$/, /^a*a*$/])('%s would be noticed', (expression) => {
  expect(isSafe(expression, { maxScore: mostBacktracks, timeout: 10_000 }).safe).toBe(false);
});

test('the e-mail addresses that are taken are those that the document describes', async () => {
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
    { numRuns: 2_000 },
  );
});
