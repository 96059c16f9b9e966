import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A part of a page: a new file, a change of one, or commands. */
export type Part =
  | { readonly type: 'file'; readonly file: string; readonly text: string }
  | { readonly type: 'change'; readonly file: string; readonly lines: readonly string[] }
  | { readonly type: 'commands'; readonly text: string };

const blocks = /^```(\w+)\n(.*?)^```$/gms;

/** Returns the last name of a file before a block: `In \`functions/routes.ts\`:`. */
const fileBefore = (text: string): string => [...text.matchAll(/`([\w./-]+\.\w+)`/g)].at(-1)?.[1] ?? '';

/** Returns what a reader does with a chapter of a page, in its order. */
export function partsOf(chapter: string): Part[] {
  let file = '';
  let end = 0;
  return [...chapter.matchAll(blocks)].map(({ 0: block, 1: language, 2: text = '', index }) => {
    file = fileBefore(chapter.slice(end, index)) || file;
    end = index + block.length;
    if (language === 'sh') return { type: 'commands', text };
    if (language === 'diff') return { type: 'change', file, lines: text.trimEnd().split('\n') };
    return { type: 'file', file, text };
  });
}

const textOf = (lines: readonly string[], sign: '+' | '-'): string =>
  lines
    .filter((line) => line.startsWith(' ') || line.startsWith(sign))
    .map((line) => `${line.slice(1)}\n`)
    .join('');

/**
 * Does to a copy of the project what a reader does to a file.
 * @throws Error when the file does not have the unchanged and the removed lines of a change together, once.
 */
export function apply(root: string, part: Exclude<Part, { readonly type: 'commands' }>): void {
  const path = join(root, part.file);
  if (part.type === 'file') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, part.text);
    return;
  }
  const [before, ...more] = readFileSync(path, 'utf8').split(textOf(part.lines, '-'));
  if (more.length !== 1) {
    throw new Error(`${part.file} has these lines ${more.length} times:\n${textOf(part.lines, '-')}`);
  }
  writeFileSync(path, `${before}${textOf(part.lines, '+')}${more[0]}`);
}
