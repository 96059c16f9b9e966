/** Lists of entities: the list engine selects the rows of every list. */

import type { RowQuery } from '../columns/read/row-query.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { toRowQuery } from './filters.ts';
import { type PageLog, readPage } from './read-page.ts';
import { pageIndexOf } from './read-page-from-index.ts';
import { readReferenced } from './read-referenced.ts';

/**
 * Returns one page of the entities that match, in a total order, the exact total, and the counts of values.
 * @param options.mayBeNewer whether an entity that changes meanwhile may come in its later version, also if this matches no more. Otherwise
 * the page is read again.
 * @throws StoreUnavailable when the time of the request does not suffice.
 */
export async function listEntities(
  session: Session,
  kind: Kind,
  query: ListQuery,
  options: { readonly mayBeNewer?: boolean; readonly maxKeyReads?: number } = {},
): Promise<Page & { readonly log: PageLog }> {
  const { withTexts, fields } = query;
  const pageIndex = pageIndexOf(session.tenant, kind, query);
  const rowQuery: RowQuery = { ...toRowQuery(kind, query), shows: fields ?? 'all' };
  const { stored, ...page } = await readPage(session, kind, rowQuery, { ...options, pageIndex, withTexts });
  return {
    ...page,
    entities: stored.map(({ entity }) => entity),
    versions: stored.map(({ version }) => version),
    readReferenced: (references) => readReferenced(session, references),
  };
}
