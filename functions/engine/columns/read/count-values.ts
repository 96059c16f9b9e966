/** Counts of values, and sums of numbers: how often each value of a field occurs in the rows that match, and what their numbers add up to. */
import type { Page, SummedField, Sums, ValueCount } from '../../model/list-query.ts';
import { fromValue, type Row, type Value } from '../../model/row.ts';
import type { Column } from '../format/column.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import type { RowGroups } from '../format/lists.ts';
import type { Segment } from '../format/manifest.ts';
import type { ColumnReader } from './column-reader.ts';
import { compareSortKeys, toSortKey, type ValueOrder } from './sort-key.ts';

export interface CountedField extends ValueOrder {
  /** Whether it is an array of ids, of which each one is counted. */
  readonly isArray?: boolean;
}

export interface RowSum extends SummedField {
  /** The value of rows that are older than the field. */
  readonly defaultValue?: Value | undefined;
}

/** Values of a field in a result, at most. */
export const maxCountedValues = 100;

/**
 * Numbers are added in units of their last decimal. A number of units is below 2^53, and the sum of many is not: it is kept in two parts, to which
 * a hundred million numbers can be added without rounding.
 */
const lowUnits = 2 ** 26;

/** Returns a number in units of its last decimal. `toFixed` rounds the exact value, where a multiplication would round twice. */
const unitsOf = ({ decimals, defaultValue = null }: RowSum, value: ColumnValue): number => {
  const number = fromValue(value === undefined ? defaultValue : value);
  return typeof number === 'number' ? Number(number.toFixed(decimals).replace('.', '')) : 0;
};

function fromUnits(units: bigint, decimals: number): number {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const end = digits.length - decimals;
  return Number(`${units < 0n ? '-' : ''}${digits.slice(0, end)}.${digits.slice(end)}`);
}

interface Total {
  count: number;
  readonly units: bigint[];
}

interface Parts {
  readonly ordinals: Column['ordinals'];
  readonly high: Float64Array;
  readonly low: Float64Array;
}

function toParts(sum: RowSum, { dictionary, ordinals }: Column): Parts {
  const [high, low] = [new Float64Array(dictionary.size), new Float64Array(dictionary.size)];
  for (let ordinal = 0; ordinal < dictionary.size; ordinal += 1) {
    const units = unitsOf(sum, dictionary.at(ordinal));
    high[ordinal] = Math.floor(units / lowUnits);
    low[ordinal] = units - Math.floor(units / lowUnits) * lowUnits;
  }
  return { ordinals, high, low };
}

/** Returns what the numbers of rows add up to in each of their groups. */
function addParts({ ordinals, high, low }: Parts, { rows, groups, values }: RowGroups): bigint[] {
  const [highSums, lowSums] = [new Float64Array(values.size), new Float64Array(values.size)];
  for (let at = 0; at < groups.length; at += 1) {
    const group = groups[at] as number;
    const ordinal = ordinals[rows[at] as number] as number;
    highSums[group] = (highSums[group] as number) + (high[ordinal] as number);
    lowSums[group] = (lowSums[group] as number) + (low[ordinal] as number);
  }
  return Array.from(
    highSums,
    (sum, group) => BigInt(sum) * BigInt(lowUnits) + BigInt(lowSums[group] as number),
  );
}

const oneGroup = (rows: Uint32Array): RowGroups => ({
  rows,
  groups: new Uint8Array(rows.length),
  values: { size: 1, at: () => undefined },
});

class Totals {
  readonly #field: CountedField | undefined;
  readonly #sums: readonly RowSum[];
  readonly #totals = new Map<Value, Total>();

  constructor(field: CountedField | undefined, sums: readonly RowSum[]) {
    this.#field = field;
    this.#sums = sums;
  }

  /** Adds rows with a value; `undefined` is that of rows that are older than the field. */
  #add(value: ColumnValue, { count, units }: Total): void {
    const { isArray = false, defaultValue = null } = this.#field ?? {};
    const known = value === undefined ? defaultValue : value;
    for (const one of isArray ? (fromValue(known ?? '', isArray) as string[]) : [known]) {
      const total = this.#totals.get(one) ?? { count: 0, units: this.#sums.map(() => 0n) };
      total.count += count;
      for (const [position, own] of units.entries())
        total.units[position] = (total.units[position] ?? 0n) + own;
      this.#totals.set(one, total);
    }
  }

  addRows(columnReader: ColumnReader, segment: Segment, rows: Uint32Array): void {
    const { field, isArray = false } = this.#field ?? {};
    const all =
      field === undefined ? [oneGroup(rows)] : columnReader.groupRows(segment, field, rows, isArray);
    const parts = this.#sums.map((sum) => toParts(sum, columnReader.column(segment, sum.field)));
    for (const one of all) {
      const counts = new Uint32Array(one.values.size);
      for (const group of one.groups) counts[group] = (counts[group] as number) + 1;
      const sums = parts.map((part) => addParts(part, one));
      for (const [group, count] of counts.entries()) {
        if (count > 0)
          this.#add(one.values.at(group), { count, units: sums.map((sum) => sum[group] as bigint) });
      }
    }
  }

  addRow(row: Row, count: 1 | -1): void {
    const units = this.#sums.map((sum) => BigInt(count * unitsOf(sum, row[sum.field])));
    this.#add(this.#field && row[this.#field.field], { count, units });
  }

  #sumsOf({ units }: Pick<Total, 'units'>): Sums {
    return Object.fromEntries(
      this.#sums.map(({ field, decimals }, position) => [field, fromUnits(units[position] ?? 0n, decimals)]),
    );
  }

  sums(): Sums {
    return this.#sumsOf(this.#totals.get(null) ?? { units: [] });
  }

  /** Returns the most frequent values, then in the order of the field. */
  values(field: CountedField): ValueCount[] {
    return [...this.#totals]
      .filter(([, { count }]) => count !== 0)
      .map(([value, total]) => ({ value, total, key: toSortKey(field, value) }))
      .sort((one, other) => other.total.count - one.total.count || compareSortKeys(one.key, other.key))
      .slice(0, maxCountedValues)
      .map(({ value, total }) => ({
        value: fromValue(value),
        count: total.count,
        ...(this.#sums.length > 0 && { sums: this.#sumsOf(total) }),
      }));
  }
}

export type Totaled = Pick<Page, 'counts' | 'sums'>;

export function totalRows(
  { countBy, sumBy }: { readonly countBy: readonly CountedField[]; readonly sumBy: readonly RowSum[] },
  addTo: (totals: Totals) => void,
): Totaled {
  const total = (field?: CountedField): Totals => {
    const totals = new Totals(field, sumBy);
    addTo(totals);
    return totals;
  };
  const counts = countBy.map((field) => [field.field, total(field).values(field)] as const);
  return { counts: Object.fromEntries(counts), sums: sumBy.length > 0 ? total().sums() : {} };
}
