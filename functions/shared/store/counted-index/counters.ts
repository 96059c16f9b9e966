/**
 * The items of the counted index: what is counted, and where.
 *
 * A listing (all of a kind, or a parent's children) is the partition of an index. It is cut into blocks of
 * consecutive ids, and blocks are bundled into groups. Each has a counter: how many entities it holds, in all and
 * of each status. Boundaries are times, the first characters of an id; they never move.
 */
import type { Addition, Item, Key } from '../writes.ts';

/** How listings are cut; tests make it smaller, to see more of it with fewer entities. */
export const cut = {
  /** Entities after which a block counts as full. */
  fullBlock: 96,
  /** Blocks in a group. */
  fullGroup: 160,
  /**
   * Milliseconds between the writing of a boundary and its time. Whoever makes an entity stamps it first and reads
   * the boundaries then: with clocks that agree within this time, less what writing the boundary may take, each
   * entity is counted in the block that its id is in.
   */
  ahead: 3_000,
  /** Boundaries are multiples of this many milliseconds: nearer ones would be more to read with every create. */
  grid: 250,
  /** Milliseconds for which blocks are begun at once when many entities come to be. */
  planned: 1_000,
};

/** The boundary that is before any id. */
export const firstBoundary = '00000000-0000';

/** The first characters of an id, which hold the millisecond that it was made in. */
export const boundaryLength = firstBoundary.length;

/** The part of an id that decides to which block it belongs. */
export const timeOf = (id: string): string => id.slice(0, boundaryLength);

/** The boundary at a time. @param milliseconds since 1970. */
export function boundaryAt(milliseconds: number): string {
  const digits = milliseconds.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** When a boundary is. @returns milliseconds since 1970. */
export const millisecondsAt = (boundary: string): number => Number.parseInt(boundary.replace('-', ''), 16);

/** The levels of counters; the sort keys of their items begin with these. */
export const levels = { block: 'block#', group: 'group#' } as const;

export type Level = keyof typeof levels;

/** Status counts are attributes of the item, marked so that no status can name another attribute. */
const statusMark = '=';

/**
 * How often an item was added to. Whoever writes it anew relies on it not having been added to since it was read, and
 * no set of numbers can tell: a status that nothing had may have come to be, and another gone.
 */
export const changes = 'changes';

const oneChange = { [changes]: 1 };

/** How many entities come to be, or go: in all, and of each status. */
export class Count {
  total = 0;
  readonly statuses = new Map<string, number>();

  add(status: string, number: number): void {
    this.total += number;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + number);
  }

  addAll(other: Count): void {
    this.total += other.total;
    for (const [status, number] of other.statuses) {
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + number);
    }
  }

  /** How many there are with a status, or in all. */
  of(status: string | undefined): number {
    return status === undefined ? this.total : (this.statuses.get(status) ?? 0);
  }

  get isZero(): boolean {
    return this.total === 0 && [...this.statuses.values()].every((number) => number === 0);
  }

  /** As attributes of an item; what is zero does not change anything. The total is their sum. */
  numbers(): Record<string, number> {
    const all = [...this.statuses].map(([status, number]): [string, number] => [statusMark + status, number]);
    return Object.fromEntries(all.filter(([, number]) => number !== 0));
  }
}

/** A block or a group, the parts of its counter taken together. */
export interface Counter {
  /** Its first boundary. */
  readonly start: string;
  readonly count: Count;
  /** Of a block: the start of its group, and its place in it. */
  readonly group: string;
  readonly ordinal: number;
  /** The items that it is spread over. */
  readonly parts: readonly Item[];
}

/** The key of a counter; its parts' sort keys go on with a number. */
export const counterKey = (partition: string, level: Level, start: string): Key => ({
  pk: partition,
  sk: levels[level] + start,
});

/** The addition to a block's counter, which also says where the block belongs. */
export const blockAddition = (
  partition: string,
  { start, group, ordinal }: Pick<Counter, 'start' | 'group' | 'ordinal'>,
  numbers: Record<string, number>,
): Addition => ({
  addTo: counterKey(partition, 'block', start),
  numbers: { ...numbers, ...oneChange },
  constants: { group, ordinal },
});

/** The addition to a group's counter. */
export const groupAddition = (
  partition: string,
  start: string,
  numbers: Record<string, number>,
): Addition => ({
  addTo: counterKey(partition, 'group', start),
  numbers: { ...numbers, ...oneChange },
});

/** What an item counts, by status; zeros included. */
export const numbersOf = (item: Item): [status: string, number: number][] =>
  Object.entries(item)
    .filter(([attribute]) => attribute.startsWith(statusMark))
    .map(([attribute, number]) => [attribute.slice(statusMark.length), Number(number)]);

/** Reads counters off their items: one for each start, in the items' order. */
export function toCounters(items: readonly Item[]): Counter[] {
  const byStart = new Map<string, { count: Count; parts: Item[] }>();
  for (const item of items) {
    const start = item.sk.split('#')[1] ?? '';
    const counter = byStart.get(start) ?? { count: new Count(), parts: [] };
    byStart.set(start, counter);
    counter.parts.push(item);
    for (const [status, number] of numbersOf(item)) counter.count.add(status, number);
  }
  return [...byStart].map(([start, { count, parts }]) => ({
    start,
    count,
    parts,
    group: String(parts[0]?.['group'] ?? start),
    ordinal: Number(parts[0]?.['ordinal'] ?? 0),
  }));
}
