/** The history of an entity as responses show it. Only the bundles of these handlers have it. */
import type { history } from '../contract/contract.ts';
import type { Resource } from '../contract/resource.ts';
import { describeChange } from '../engine/feed/describe-change.ts';
import {
  decodeHistoryCursor,
  encodeHistoryCursor,
  type HistoryEntry,
  listHistory,
} from '../engine/feed/list-history.ts';
import { readOnlyFields } from '../engine/model/entity.ts';
import { type Row, toValue } from '../engine/model/row.ts';
import { endpoint } from './endpoint.ts';
import { readPageQuery } from './parse-list-query.ts';

const unchanging: ReadonlySet<string> = new Set(readOnlyFields);

/** Returns the fields of a row that changes show. In a row that is older than a field, the field has its default. */
function withDefaults({ fieldNames, defaults }: Resource, row: Row): Row {
  return Object.fromEntries(
    fieldNames
      .filter((field) => !unchanging.has(field))
      .map((field) => {
        const value = row[field];
        return [field, value === undefined ? toValue(field, defaults[field] ?? null) : value];
      }),
  );
}

function showEntry(resource: Resource, { time: changedAt, actor, entry }: HistoryEntry) {
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

export const historyEndpoint = (contract: ReturnType<typeof history>) =>
  endpoint(
    contract,
    async ({ session, id, place }) => {
      const { resource } = contract;
      const name = { kind: resource.kind, id };
      const { entries, next, isComplete } = await listHistory(session, name, place);
      return {
        data: entries.map((entry) => showEntry(resource, entry)),
        cursor: next === undefined ? null : encodeHistoryCursor(name, next),
        isComplete,
      };
    },
    {
      readQuery: ({ resource }, rawQueryString, id) => {
        const decode = (cursor: string) => decodeHistoryCursor({ kind: resource?.kind ?? '', id }, cursor);
        return { place: readPageQuery(rawQueryString, decode), view: { expansions: [] } };
      },
    },
  );
