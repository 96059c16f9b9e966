/** The history of an entity as responses show it. Handlers call it, so that only their bundles have it. */
import type { Resource } from '../contract/resource.ts';
import { type ChangeDescription, describeChange } from '../engine/feed/describe-change.ts';
import { encodeHistoryCursor } from '../engine/feed/history-cursor.ts';
import type { HistoryEntry, HistoryPage } from '../engine/feed/list-history.ts';
import { defaultOf } from '../engine/lists/filters.ts';
import type { Row } from '../engine/model/row.ts';

interface ShownHistoryEntry extends ChangeDescription {
  readonly version: number;
  /** RFC 3339. */
  readonly time: string;
  readonly actor?: string | undefined;
}

/** Returns the fields of a row that responses show. In a row that is older than a field, the field has its default. */
function withDefaults({ fields, defaults }: Resource, row: Row): Row {
  return Object.fromEntries(
    Object.keys(fields).map((field) => {
      const value = row[field];
      return [field, value === undefined ? defaultOf(field, defaults) : value];
    }),
  );
}

function showEntry(resource: Resource, { time: changedAt, actor, entry }: HistoryEntry): ShownHistoryEntry {
  const { version, before, after } = entry;
  const { operation, changes } = describeChange(resource.kind, {
    ...entry,
    before: before && withDefaults(resource, before),
    after: after && withDefaults(resource, after),
  });
  // The entity had this time as `updatedAt`. A deletion has none.
  const time = after?.['updatedAt'] ?? new Date(changedAt).toISOString();
  return { version, time, operation, actor, changes };
}

export interface ShownHistory {
  readonly data: readonly ShownHistoryEntry[];
  readonly cursor: string | null;
  readonly isComplete: boolean;
}

/** Returns what the response shows of a page of the history of an entity. */
export const showHistory = (
  resource: Resource,
  id: string,
  { entries, next, isComplete }: HistoryPage,
): ShownHistory => ({
  data: entries.map((entry) => showEntry(resource, entry)),
  cursor: next === undefined ? null : encodeHistoryCursor({ kind: resource.kind, id }, next),
  isComplete,
});
