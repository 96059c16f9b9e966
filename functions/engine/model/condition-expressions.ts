import type { Condition } from './writes.ts';

/** No item has this key. */
export const notExists: Condition = { expression: 'attribute_not_exists(pk)' };

/** Returns the condition that the item has the version that was read. */
export const hasVersion = (version: number): Condition => ({
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': version },
});

/** Returns the condition that a deleted entity has the version that was read, and was not erased since: that does not change the version. */
export const hasVersionUnerased = (version: number): Condition => ({
  expression: '#version = :version AND attribute_not_exists(#erased)',
  names: { '#version': 'version', '#erased': 'erased' },
  values: { ':version': version },
});
