/** Lists of deleted entities that can be restored: any filters, any order and any page, as other lists. */

import { now } from '../../runtime/time-and-chance.ts';
import { isOneOf, type RowFilter, textAfter } from '../columns/read/row-filter.ts';
import { allRows, type RowQuery } from '../columns/read/row-query.ts';
import { expiredAt, restoresField, rowOfDeletion, versionsBeforeDeletion } from '../model/deletion.ts';
import type { DeletedEntity, ItemFields } from '../model/entity.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import { cascadeKinds } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { toRowQuery } from './filters.ts';
import { readDeletedPage } from './read-page.ts';
import { readReferenced } from './read-referenced.ts';

const isRestorable = (): RowFilter => ({
  field: rowOfDeletion.deletedAt,
  condition: { by: 'range', from: textAfter(new Date(expiredAt(now())).toISOString()), to: undefined },
});

/** Returns how many entities each of some roots brings back. */
async function countMembers(
  session: Session,
  kind: Kind,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { deletedWith: field, rootKind } = rowOfDeletion;
  const query: RowQuery = {
    ...allRows,
    filters: [isRestorable(), isOneOf(field, ids), isOneOf(rootKind, [kind])],
    limit: 0,
    countBy: [{ field }],
  };
  const found = new Map<string, number>();
  const pages = ids.length === 0 ? [] : cascadeKinds(kind).map((of) => readDeletedPage(session, of, query));
  for (const { counts } of await Promise.all(pages))
    for (const { value, count } of counts[field] ?? [])
      found.set(String(value), (found.get(String(value)) ?? 0) + count);
  return found;
}

const fieldsOf = (
  { entity, deletion: { deletedAt, deletedBy, root } }: DeletedEntity,
  restores: number,
): ItemFields => ({
  ...entity,
  deletedAt: new Date(deletedAt).toISOString(),
  deletedBy: deletedBy ?? null,
  ...(root.id !== entity.id && { deletedWith: root.id }),
  [restoresField]: restores,
});

/**
 * Returns one page of the deleted entities that match and can be restored, in a total order, the exact total, and the counts of values. Their versions are
 * those before their deletions.
 * @throws StoreUnavailable when the time of the request does not suffice; ReadBudgetExceeded.
 */
export async function listDeleted(session: Session, kind: Kind, query: ListQuery): Promise<Page> {
  const { fields, withTexts } = query;
  const rowQuery = toRowQuery(kind, query);
  const { stored, ...page } = await readDeletedPage(
    session,
    kind,
    {
      ...rowQuery,
      filters: [...rowQuery.filters, isRestorable()],
      // A row without the fields of its deletion would be taken for that of an entity that exists.
      shows: fields ? new Set([...fields, ...Object.values(rowOfDeletion)]) : 'all',
    },
    { withTexts },
  );
  const roots = stored.filter((one) => one.deletion.root.id === one.entity.id);
  const restores =
    fields?.has(restoresField) === false
      ? new Map<string, number>()
      : await countMembers(
          session,
          kind,
          roots.map(({ entity }) => entity.id),
        );
  return {
    ...page,
    entities: stored.map((one) => fieldsOf(one, restores.get(one.entity.id) ?? 0)),
    versions: stored.map((one) => versionsBeforeDeletion(one)[0] as number),
    readReferenced: (references) => readReferenced(session, references),
  };
}
