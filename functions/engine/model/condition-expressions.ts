import type { Condition } from './writes.ts';

/** No item has this key. */
export const notExists: Condition = { expression: 'attribute_not_exists(pk)' };

/** An item has this key. */
export const exists: Condition = { expression: 'attribute_exists(pk)' };

/** Returns the condition that the item has the version that was read. */
export const hasVersion = (version: number): Condition => ({
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': version },
});
