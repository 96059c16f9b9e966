/** Actions on an entity and its children: in one transaction when they fit, and otherwise with a job for the children. */
import type { Change } from '../model/changes.ts';
import type { Write } from '../model/writes.ts';
import type { UnitOfWork } from '../unit-of-work/commit.ts';

interface ChildChanges {
  readonly changes: readonly Change[];
  /** The id after which the next page begins, if there is one. */
  readonly next: string | undefined;
}

/**
 * Returns the unit of work with the changes of an entity and of its children. When the children exceed one page or one transaction, it has
 * the entity's own changes and begins the job.
 */
export function buildWithChildren<Result>(
  own: readonly Change[],
  { changes, next }: ChildChanges,
  job: Write,
  result: Result,
): UnitOfWork<Result> {
  const begun = { changes: own, writes: [job] };
  const whole = { changes: [...own, ...changes] };
  return { ...(next === undefined ? whole : begun), orElse: begun, result };
}
