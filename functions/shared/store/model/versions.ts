/** The conditions under which versioned items are written. */
import type { Condition } from './writes.ts';

/** There is no item with this key. */
export const isNew: Condition = { expression: 'attribute_not_exists(pk)' };

/** The item is as it was read. */
export const isVersion = (version: number): Condition => ({
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': version },
});
