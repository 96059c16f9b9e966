/** The first rows of an order: a filtered scan reads one page of them. */
import { PageTooDeep } from '../model/errors.ts';
import type { ListQuery, SortValue } from '../model/list-query.ts';

/** Compares by Unicode code point. `<` compares UTF-16 units, where surrogates sort before U+E000 to U+FFFF. */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let position = 0; position < length; position += 1) {
    const left = one.charCodeAt(position);
    const right = other.charCodeAt(position);
    if (left !== right) {
      const leftIsSurrogate = left >= 0xd800 && left <= 0xdfff;
      const rightIsSurrogate = right >= 0xd800 && right <= 0xdfff;
      return leftIsSurrogate === rightIsSurrogate ? left - right : leftIsSurrogate ? 1 : -1;
    }
  }
  return one.length - other.length;
}

/** What decides the place of an entity in the order. */
export interface Row {
  readonly id: string;
  readonly sort: SortValue;
}

/** Compares two values of one field; a missing value is lowest. */
function compareSortValues(one: SortValue, other: SortValue): number {
  if (one === undefined || other === undefined)
    return Number(one !== undefined) - Number(other !== undefined);
  return typeof one === 'string' && typeof other === 'string'
    ? compareText(one, other)
    : Number(one) - Number(other);
}

/** Compares by the sort value, then by id, which is the order of creation. */
const compareRows = (one: Row, other: Row): number =>
  compareSortValues(one.sort, other.sort) || (one.id < other.id ? -1 : 1);

/** Bytes of memory for the rows: a function has 256 MB in all. */
const defaultMaxBytes = 48 * 1024 * 1024;

/** Returns the approximate bytes of a row in V8: the object, the id and the header of the text; two for each character of it. */
const bytesOf = ({ sort }: Row): number => 160 + (typeof sort === 'string' ? 2 * sort.length : 0);

/**
 * Keeps the rows up to the requested page and drops the rows after it. Its memory is bounded: of a page beyond the bound, it knows
 * only the total.
 */
export class FirstRows {
  #rows: Row[] = [];
  #bytes = 0;
  /** Number of first rows that are certain: rows after them were dropped to free memory. */
  #reach = Number.POSITIVE_INFINITY;
  readonly #query: Pick<ListQuery, 'page' | 'limit' | 'sortBy' | 'sortOrder'>;
  readonly #wanted: number;
  readonly #maxBytes: number;
  total = 0;

  /** @param maxBytes approximate bytes of memory for the rows. */
  constructor(query: Pick<ListQuery, 'page' | 'limit' | 'sortBy' | 'sortOrder'>, maxBytes = defaultMaxBytes) {
    this.#query = query;
    this.#wanted = query.page * query.limit;
    this.#maxBytes = maxBytes;
  }

  /** Approximate bytes of the rows. */
  get bytes(): number {
    return this.#bytes;
  }

  add(rows: Iterable<Row>): void {
    for (const row of rows) {
      this.total += 1;
      this.#rows.push(row);
      this.#bytes += bytesOf(row);
      if (this.#bytes > this.#maxBytes || this.#rows.length > 2 * this.#wanted + 10_000) this.#cut();
    }
  }

  #sort(): void {
    const direction = this.#query.sortOrder === 'asc' ? 1 : -1;
    this.#rows.sort((one, other) => direction * compareRows(one, other));
  }

  /** Drops the rows after the page. When memory is short, drops more rows, until half of it is free. */
  #cut(): void {
    this.#sort();
    const isTooLarge = this.#bytes > this.#maxBytes;
    this.#bytes = 0;
    let kept = 0;
    for (const row of this.#rows) {
      if (kept >= this.#wanted) break;
      const bytes = this.#bytes + bytesOf(row);
      if (isTooLarge && bytes > this.#maxBytes / 2) {
        this.#reach = Math.min(this.#reach, kept);
        break;
      }
      this.#bytes = bytes;
      kept += 1;
    }
    this.#rows.length = kept;
  }

  /**
   * Returns the ids of the page, in order.
   * @throws PageTooDeep when rows of the page were dropped.
   */
  pageIds(): string[] {
    const start = (this.#query.page - 1) * this.#query.limit;
    if (start >= this.total) return [];
    if (Math.min(this.#wanted, this.total) > this.#reach)
      throw new PageTooDeep(this.#query.sortBy, this.#reach);
    this.#sort();
    return this.#rows.slice(start, this.#wanted).map(({ id }) => id);
  }
}
