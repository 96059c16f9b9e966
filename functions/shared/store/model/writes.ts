/** Writes of items, as values: `dynamodb/` sends them. */

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export type Item = Key & { readonly [attribute: string]: unknown };

/** What must hold of an item for it to be written. */
export interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Adds to the numbers of a sharded counter. The first addition creates the item. Under contention a counter has several shards,
 * `<sk>#0`, `<sk>#1` …, and its value is their sum.
 */
export interface Addition {
  readonly addTo: Key;
  readonly numbers: Readonly<Record<string, number>>;
}

/** One write of a transaction. */
export type Write =
  | ((
      | { readonly put: Item }
      | { readonly remove: Key }
      | { readonly set: Key; readonly attributes: Readonly<Record<string, unknown>> }
    ) & {
      /** Absent when the condition of another write of the transaction holds for both. */
      readonly condition?: Condition;
    })
  | Addition;

/** Writes of one transaction: DynamoDB's limit. */
export const maxTransactionWrites = 100;
