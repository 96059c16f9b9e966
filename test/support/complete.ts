/** Comparisons whose failure is read by somebody who has added something: it names what is missing, and says what to do. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(__dirname, '../..');

/** What to do, as a sentence that names the file. */
interface Advice {
  /** With what is needed and not listed. */
  readonly missing: string;
  /** With what is listed and not needed. Default: to remove it. */
  readonly unneeded?: string;
}

/** Ends the stack at the caller, so that jest shows the line of the test. */
function fail(message: string, caller: (...parameters: never[]) => void): never {
  const error = new Error(message);
  Error.captureStackTrace(error, caller);
  throw error;
}

/**
 * Compares what people list with what there is, in any order.
 * @throws Error that names what is missing or not needed, with the advice.
 */
export function expectComplete(
  listed: Iterable<string>,
  needed: Iterable<string>,
  { missing, unneeded = 'Remove it.' }: Advice,
): void {
  const [own, all] = [new Set(listed), new Set(needed)];
  const lines = [
    ...[...all].filter((name) => !own.has(name)).map((name) => `${name} is missing. ${missing}`),
    ...[...own].filter((name) => !all.has(name)).map((name) => `${name} is not needed. ${unneeded}`),
  ];
  if (lines.length > 0) fail(lines.join('\n'), expectComplete);
  // jest counts it: a test without an assertion fails.
  expect(lines).toEqual([]);
}

/** Compares a committed file with what `npx pm-api openapi` writes. @throws Error that names the command. */
export function expectCurrent(file: string, text: string): void {
  const isCurrent = readFileSync(file, 'utf8') === text;
  if (!isCurrent)
    fail(`${relative(root, file)} is not what the contracts say. Run: npx pm-api openapi`, expectCurrent);
  expect(isCurrent).toBe(true);
}
