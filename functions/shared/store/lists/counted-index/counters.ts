/**
 * The items of the counted index: what is counted, and where.
 *
 * A listing (all of a kind, or a parent's children) is the partition of an index. It is cut into sections of consecutive
 * ids; sections are bundled into blocks, and blocks into groups. A block is one item that counts each of its sections; a
 * group is one item that counts all of it. Boundaries are times, the first characters of an id; they never move.
 */
import type { Addition, Item, Key } from '../../model/writes.ts';

/** How listings are cut; tests make it smaller, to see more of it with fewer entities. */
export const cut = {
  /** Entities after which a section counts as full. */
  fullSection: 32,
  /** Sections in a block: with the counts of three statuses its item stays below 1 KB, which is one write unit. */
  fullBlock: 20,
  /** Blocks in a group. */
  fullGroup: 24,
  /**
   * Milliseconds between the writing of a boundary and its time. Whoever makes an entity stamps it first and reads
   * the boundaries then: with clocks that agree within this time, less what writing the boundary may take, each
   * entity is counted in the section that its id is in.
   */
  ahead: 3_000,
  /** Boundaries are multiples of this many milliseconds: nearer ones would be more to read with every create. */
  grid: 250,
  /** Milliseconds for which sections are begun at once when many entities come to be. */
  planned: 1_000,
};

/** The boundary that is before any id. */
export const firstBoundary = '00000000-0000';

/** Behind every boundary and every id. */
export const end = '~';

/** The first characters of an id, which hold the millisecond that it was made in. */
export const boundaryLength = firstBoundary.length;

/** The part of an id that decides to which section it belongs. */
export const timeOf = (id: string): string => id.slice(0, boundaryLength);

/** The boundary at a time. @param milliseconds since 1970. */
export function boundaryAt(milliseconds: number): string {
  const digits = milliseconds.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** When a boundary is. @returns milliseconds since 1970. */
export const millisecondsAt = (boundary: string): number => Number.parseInt(boundary.replace('-', ''), 16);

/** The levels of counters; the sort keys of their items begin with these, and go on with a start and a part. */
export const levels = { block: 'block#', group: 'group#' } as const;

export type Level = keyof typeof levels;

/** How many entities there are, or come to be, or go: in all, and of each status. */
export class Count {
  total = 0;
  readonly statuses = new Map<string, number>();

  add(status: string, number: number): void {
    this.total += number;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + number);
  }

  /** How many there are with a status, or in all. */
  of(status: string | undefined): number {
    return status === undefined ? this.total : (this.statuses.get(status) ?? 0);
  }

  get isZero(): boolean {
    return [...this.statuses.values()].every((number) => number === 0);
  }
}

/** What an item counts, by attribute. */
export type Numbers = Readonly<Record<string, number>>;

/** Stands between the section that an attribute of a block is about, and the status; of a group's, before it. */
const mark = '=';

/** The attribute that counts a status: of a section of a block, or of a group. */
export const countAttribute = (section: number | undefined, status: string): string =>
  `${section ?? ''}${mark}${status}`;

/** What an item counts; zeros included. */
export const numbersOf = (item: Item): [attribute: string, number: number][] =>
  Object.entries(item)
    .filter(([attribute]) => attribute.includes(mark))
    .map(([attribute, number]) => [attribute, Number(number)]);

/** Adds numbers by attribute, and leaves out what is zero: it does not change anything. */
export function sumOf(numbers: Iterable<readonly [attribute: string, number: number]>): Numbers {
  const sums = new Map<string, number>();
  for (const [attribute, number] of numbers) sums.set(attribute, (sums.get(attribute) ?? 0) + number);
  return Object.fromEntries([...sums].filter(([, number]) => number !== 0));
}

/**
 * How often an item was added to. Whoever writes it anew relies on it not having been added to since it was read, and
 * no set of numbers can tell: a status that nothing had may have come to be, and another gone.
 */
export const changes = 'changes';

/** The key of a counter; its parts' sort keys go on with a number. */
export const counterKey = (partition: string, level: Level, start: string): Key => ({
  pk: partition,
  sk: levels[level] + start,
});

/** The addition to a counter. */
export const counterAddition = (
  partition: string,
  level: Level,
  start: string,
  numbers: Numbers,
): Addition => ({ addTo: counterKey(partition, level, start), numbers: { ...numbers, [changes]: 1 } });

/** The part of a block that holds no counts but the boundaries of its sections; who counts does not write it. */
const boundaries = 'boundaries';

/** The key of the item that holds the boundaries of a block's sections. */
export const boundariesKey = (partition: string, block: string): Key => ({
  pk: partition,
  sk: `${levels.block}${block}#${boundaries}`,
});

/** The start of the block or group that an item is of. */
export const startOf = ({ sk }: Item): string => sk.split('#')[1] ?? '';

/** Whether an item holds the boundaries of a block's sections; of a block's items it is the last. */
export const isBoundaries = ({ sk }: Item): boolean => sk.endsWith(boundaries);

/** A block or a group: the items that its counts are spread over, and their sum. */
export interface Counter {
  readonly start: string;
  readonly parts: readonly Item[];
  readonly numbers: Numbers;
}

function byStart(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(startOf(item), [...(groups.get(startOf(item)) ?? []), item]);
  return groups;
}

/** Reads counters off their items: one for each start, in the items' order. */
export const toCounters = (items: readonly Item[]): Counter[] =>
  [...byStart(items.filter((item) => !isBoundaries(item)))].map(([start, parts]) => ({
    start,
    parts,
    numbers: sumOf(parts.flatMap(numbersOf)),
  }));

/** Entities between two boundaries of a listing, and how many they are. */
export interface Counted {
  readonly start: string;
  readonly count: Count;
}

/** What a group counts. */
export function toGroup({ start, numbers }: Counter): Counted {
  const count = new Count();
  for (const [attribute, number] of Object.entries(numbers)) count.add(attribute.slice(mark.length), number);
  return { start, count };
}

export interface Section extends Counted {
  /** The start of its block, and its place in it. */
  readonly block: string;
  readonly ordinal: number;
  /** The start of its block's group, and the block's place in it. */
  readonly group: string;
  readonly blockOrdinal: number;
}

function sectionsOf(block: string, items: readonly Item[]): Section[] {
  const known = items.find(isBoundaries);
  const group = String(known?.['group'] ?? firstBoundary);
  const blockOrdinal = Number(known?.['ordinal'] ?? 0);
  const starts = [block];
  for (let ordinal = 1; known?.[ordinal] !== undefined; ordinal += 1) {
    starts.push(boundaryAt(Number(known[ordinal])));
  }
  const sections = starts.map((start, ordinal) => ({
    start,
    count: new Count(),
    block,
    ordinal,
    group,
    blockOrdinal,
  }));
  for (const [attribute, number] of items.flatMap(numbersOf)) {
    const [ordinal, status = ''] = attribute.split(mark);
    sections[Number(ordinal)]?.count.add(status, number);
  }
  return sections;
}

/** Reads sections off the items of their blocks, the first of the listing first. */
export const toSections = (items: readonly Item[]): Section[] =>
  [...byStart(items)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([block, own]) => sectionsOf(block, own));

/** The only section of a listing in which nothing has begun. */
export const firstSection: Section = sectionsOf(firstBoundary, [])[0] as Section;
