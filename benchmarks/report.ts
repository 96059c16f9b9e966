/** Medians, numbers and Markdown tables for the reports of the benchmarks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Returns the median. For an even number of values, it is the higher of the two in the middle. */
export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN;

/** Returns the value below which a share of the values lies. @param share from 0 to 1. */
export const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(share * (numbers.length - 1))] ?? Number.NaN;

type Cell = string | number;

const line = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`;

/** Returns milliseconds as tables show them, with a decimal below 10. Nothing was measured when they are absent. */
export const milliseconds = (value: number | undefined): string =>
  value === undefined ? '' : value.toFixed(value < 10 ? 1 : 0);

/** Returns a Markdown table. All columns except the first are numbers. */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows].map(line).join('\n');

/** Writes a file in `docs/performance/`, which `docs/performance.md` links. */
export function publish(file: string, text: string): void {
  const folder = fileURLToPath(new URL('../docs/performance/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(folder + file, text);
}

/** Returns the values in random order. In a fixed order, the same contestant would always find the CPU caches cold. */
export const shuffled = <Value>(values: readonly Value[]): Value[] =>
  values
    .map((value) => ({ value, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
