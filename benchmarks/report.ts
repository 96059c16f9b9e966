/** Medians, numbers and Markdown tables for the reports of the benchmarks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isSmallest } from './form.ts';
import { source, sourceLine } from './source.ts';

/** Returns the values in ascending order. @throws Error when there is none, or one is not a number. */
function sortedValues(numbers: readonly number[]): number[] {
  if (numbers.length === 0) throw new Error('No value was measured.');
  if (!numbers.every(Number.isFinite)) throw new Error(`A value is not a number: ${numbers.join(', ')}.`);
  return numbers.toSorted((one, other) => one - other);
}

/** Returns the median. For an even number of values, it is the higher of the two in the middle. @throws Error when there is no value. */
export const median = (numbers: readonly number[]): number =>
  sortedValues(numbers)[numbers.length >> 1] as number;

type Cell = string | number;

const line = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`;

/** Returns milliseconds as tables show them, with a decimal below 10. Nothing was measured when they are absent. */
export const milliseconds = (value: number | undefined): string =>
  value === undefined ? '' : value.toFixed(value < 10 ? 1 : 0);

/** Returns a Markdown table. All columns except the first are numbers. */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows].map(line).join('\n');

/** Returns whether a text has a figure, and no value that could not be calculated. */
const hasFigures = (text: string): boolean => /\d/.test(text) && !/NaN|Infinity|undefined/.test(text);

/** A table that has a head, but no rows. */
const emptyTable = /^\| -{3}[-:| ]*\n(?!\|)/m;

/** @throws Error when a report has no figures, or one that could not be calculated. */
export function requireFigures(file: string, text: string): void {
  if (hasFigures(text) && !emptyTable.test(`${text}\n`)) return;
  throw new Error(`${file} would have no figures, or figures that are not numbers:\n${text}`);
}

/**
 * Writes a drawing or data into `benchmarks/results/`. The smallest form writes nothing.
 * @throws Error when the figures are not complete.
 */
export function publish(file: string, text: string): void {
  requireFigures(file, text);
  if (isSmallest) return;
  const folder = fileURLToPath(new URL('./results/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(folder + file, text);
}

/**
 * Prints a page, and writes it below a line that names its command and its commit. `docs/performance.md` links it.
 * @throws Error when the figures are not complete.
 */
export function publishPage(file: string, text: string): void {
  console.log(text);
  if (isSmallest) requireFigures(file, text);
  else if (source) publish(file, `${sourceLine(source)}\n\n${text}`);
  else throw new Error(`${file} cannot name the commit of its figures: this is not a git checkout.`);
}

/** Returns the values in random order. In a fixed order, the same contestant would always find the CPU caches cold. */
export const shuffled = <Value>(values: readonly Value[]): Value[] =>
  values
    .map((value) => ({ value, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
