/** Counts of values: how often each value of a field occurs in the rows that match. */
import type { ValueCount } from '../../model/list-query.ts';
import { splitIds, type Value } from '../../model/row.ts';
import type { Column } from '../format/column.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import { compareSortKeys, toSortKey, type ValueOrder } from './sort-key.ts';

export interface CountedField extends ValueOrder {
  /** Whether it is an array of ids, of which each one is counted. */
  readonly isArray?: boolean;
}

/** By field: its values, the most frequent first. */
export type Counts = Readonly<Record<string, readonly ValueCount[]>>;

/** Values of a field in a result, at most. */
export const maxCountedValues = 100;

class ValueCounter {
  readonly #field: CountedField;
  readonly #counts = new Map<Value, number>();

  constructor(field: CountedField) {
    this.#field = field;
  }

  /** Adds a number of rows with a value; `undefined` is that of rows that are older than the field. */
  add(value: ColumnValue, count: number): void {
    const { isArray, defaultValue = null } = this.#field;
    const known = value === undefined ? defaultValue : value;
    for (const one of isArray ? splitIds(known ?? '') : [known])
      this.#counts.set(one, (this.#counts.get(one) ?? 0) + count);
  }

  addRows({ dictionary, ordinals }: Column, rows: Uint32Array): void {
    const counts = new Uint32Array(dictionary.size);
    for (const row of rows) {
      const ordinal = ordinals[row] as number;
      counts[ordinal] = (counts[ordinal] as number) + 1;
    }
    for (const [ordinal, count] of counts.entries()) if (count > 0) this.add(dictionary.at(ordinal), count);
  }

  /** Returns the most frequent values, then in the order of the field. */
  values(): ValueCount[] {
    return [...this.#counts]
      .filter(([, count]) => count !== 0)
      .map(([value, count]) => ({ value, count, key: toSortKey(this.#field, value) }))
      .sort((one, other) => other.count - one.count || compareSortKeys(one.key, other.key))
      .slice(0, maxCountedValues)
      .map(({ value, count }) => ({ value, count }));
  }
}

/** @param count adds the values of one field. */
export const countFields = (
  fields: readonly CountedField[],
  count: (counter: ValueCounter, field: string) => void,
): Counts =>
  Object.fromEntries(
    fields.map((field) => {
      const counter = new ValueCounter(field);
      count(counter, field.field);
      return [field.field, counter.values()];
    }),
  );
