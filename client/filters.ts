/** What a field can be compared with. `types.ts` says which operators each field has. */
export interface Operators<Value> {
  /** Another value. Matches `null`. */
  readonly ne?: Value | undefined;
  /** One of these values, at most 100. Nothing is one of no values. */
  readonly in?: readonly Value[] | undefined;
  /** None of these values, at most 100. Matches `null`. */
  readonly notIn?: readonly Value[] | undefined;
  /** Before this value: earlier, of a lower priority, or smaller as text. */
  readonly lt?: Value | undefined;
  /** This value, or before it. */
  readonly lte?: Value | undefined;
  /** After this value: later, of a higher priority, or greater as text. */
  readonly gt?: Value | undefined;
  /** This value, or after it. */
  readonly gte?: Value | undefined;
  /** Begins with this text. Upper and lower case are the same. */
  readonly startsWith?: string | undefined;
  /** Contains this text. Upper and lower case are the same. */
  readonly contains?: string | undefined;
  /** Is `null` (`true`), or is not (`false`). */
  readonly isNull?: boolean | undefined;
  /** Contains all of these values, at most 100. */
  readonly all?: readonly Value[] | undefined;
  /** Is empty (`true`), or is not (`false`). */
  readonly isEmpty?: boolean | undefined;
}

/**
 * A filter on a field: its exact value, or operators that must all match. Dates are `YYYY-MM-DD`, and times are as in
 * `2026-03-02T09:15:27Z`.
 * @example
 * { priority: 'high', dueDate: { gte: '2026-03-01', lt: '2026-04-01' }, status: { notIn: ['completed', 'archived'] } }
 */
export type Filter<Value, Operator extends keyof Operators<Value>> = Value | Pick<Operators<Value>, Operator>;
