/** What all benchmarks report with: medians, tables in Markdown, and where they are published. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The median; of an even number of values, the higher of the two in the middle. */
export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN;

type Cell = string | number;

const line = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`;

/** A table; all columns but the first hold numbers. */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows].map(line).join('\n');

/** Writes a file of `docs/performance`, which `docs/performance.md` refers to. */
export function publish(file: string, text: string): void {
  const folder = fileURLToPath(new URL('../docs/performance/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(folder + file, text);
}

/** In any order: whoever always ran behind the largest would always find the processor's caches full of it. */
export const shuffled = <Value>(values: readonly Value[]): Value[] =>
  values
    .map((value) => ({ value, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
