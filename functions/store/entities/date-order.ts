import type { WholeChange } from '../model/changes.ts';
import { ContradictingField } from '../model/errors.ts';

/**
 * Returns the error of a change of dates after which an entity ends before it starts. Other changes of an entity that has such dates already
 * are allowed. Dates are YYYY-MM-DD, so their order is that of their texts.
 */
export function findContradictingDate({ before, after }: WholeChange): ContradictingField | undefined {
  const { startDate, dueDate } = after.entity;
  if (typeof startDate !== 'string' || typeof dueDate !== 'string' || startDate <= dueDate) return undefined;
  if (before?.entity['dueDate'] !== dueDate) {
    return new ContradictingField(
      'dueDate',
      `"dueDate" must not be before "startDate", which is ${startDate}.`,
    );
  }
  if (before.entity['startDate'] !== startDate) {
    return new ContradictingField(
      'startDate',
      `"startDate" must not be after "dueDate", which is ${dueDate}.`,
    );
  }
  return undefined;
}

/** @throws ContradictingField when an entity ends before it starts after a change of its dates. */
export function requireDateOrder(change: WholeChange): void {
  const error = findContradictingDate(change);
  if (error) throw error;
}
