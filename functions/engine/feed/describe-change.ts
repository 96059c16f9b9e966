/** Describes what a record of the change log says about one entity: for its history, and for the events of other systems. */

import { beginningOf, isLongTextField } from '../model/long-text.ts';
import type { LogEntry } from '../model/record-codec.ts';
import { isArray, isStoreField } from '../model/relations.ts';
import { type FieldValue, fromValue, type Row, type Value } from '../model/row.ts';
import type { Kind } from '../model/schema.ts';

export type ChangeOperation = 'create' | 'update' | 'delete' | 'restore';

export interface FieldChange {
  /** Absent if the entity did not exist before. */
  readonly from?: FieldValue;
  /** Absent if the entity does not exist any more. */
  readonly to?: FieldValue;
  /** Whether one of the texts is longer than what a row has of it: its first 100 characters. */
  readonly isCut?: true;
}

/** `updatedAt` changes with every write. */
const isHidden = (field: string): boolean => field === 'updatedAt' || isStoreField(field);

function operationOf({ version, before, after }: LogEntry): ChangeOperation {
  if (!after) return 'delete';
  if (before) return 'update';
  // The first version of an entity is 1. A restored one continues the versions of the deleted one.
  return version === 1 ? 'create' : 'restore';
}

const shown = (kind: Kind, field: string, value: Value): FieldValue =>
  value !== null && isLongTextField(field) ? beginningOf(value) : fromValue(value, isArray(kind, field));

const isDigest = (field: string, value: Value | undefined): boolean =>
  isLongTextField(field) && typeof value === 'string' && beginningOf(value) !== value;

function fieldChange(
  kind: Kind,
  field: string,
  { before, after }: Pick<LogEntry, 'before' | 'after'>,
): FieldChange {
  const [from, to] = [before?.[field], after?.[field]];
  return {
    ...(from !== undefined && { from: shown(kind, field, from) }),
    ...(to !== undefined && { to: shown(kind, field, to) }),
    ...((isDigest(field, from) || isDigest(field, to)) && { isCut: true }),
  };
}

const fieldsOf = (...rows: readonly (Row | undefined)[]): string[] => [
  ...new Set(rows.flatMap((row) => Object.keys(row ?? {}))),
];

/** Returns whether the entity existed before or after the change. Otherwise a deleted one went to a later deletion, or was erased. */
export const isVisible = ({ before, after }: LogEntry): boolean =>
  before !== undefined || after !== undefined;

/** Returns what an entry says about its entity: the operation, and the fields that differ, with their values before and after. */
export function describeChange(kind: Kind, entry: LogEntry) {
  const { before, after } = entry;
  const changed = fieldsOf(before, after).filter(
    (field) => !isHidden(field) && before?.[field] !== after?.[field],
  );
  return {
    operation: operationOf(entry),
    changes: Object.fromEntries(changed.map((field) => [field, fieldChange(kind, field, entry)])),
  };
}
