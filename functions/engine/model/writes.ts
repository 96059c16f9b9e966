/** Writes of items, as values: `table/` sends them. */

export const notExists: Condition = { expression: 'attribute_not_exists(pk)' };

export const exists: Condition = { expression: 'attribute_exists(pk)' };

/** Returns the condition that the item has the version that was read. */
export const hasVersion = (version: number): Condition => ({
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': version },
});

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

export type Write = (
  | { readonly put: Item }
  | { readonly remove: Key }
  /** Sets when DynamoDB deletes an item, in seconds since 1970; `undefined` keeps it for ever. */
  | { readonly setExpiry: Key; readonly expiresAt: number | undefined }
) & {
  /** Absent when the condition of another write of the transaction holds for both. */
  readonly condition?: Condition;
  /** The entity's item that the write replaces or removes: what it costs in the table and in each index depends on both. */
  readonly replaced?: Item;
  /** Bytes of the item of a long text that the write replaces, removes or keeps. */
  readonly replacedBytes?: number;
};

/** Writes of one transaction: DynamoDB's limit. */
export const maxTransactionWrites = 100;
