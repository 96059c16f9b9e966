/** Entries of the change log: what a transaction changed of one entity. */
import type { Row, Value } from './row.ts';

export interface LogEntry {
  readonly id: string;
  /** The version that the change made. A deletion counts as one more. */
  readonly version: number;
  /** The position of the entity's change before this one; 0 for a creation. */
  readonly previousPosition: number;
  /** Absent for a creation, and for the erasure of a deleted entity. */
  readonly before?: Row | undefined;
  /** Absent when nothing but the version is left. */
  readonly after?: Row | undefined;
}

export function changedFields(before: Row | undefined, after: Row): Row {
  if (!before) return after;
  const changed: Record<string, Value> = {};
  for (const field of Object.keys(after)) {
    const value = after[field];
    if (value !== undefined && value !== before[field]) changed[field] = value;
  }
  return changed;
}
