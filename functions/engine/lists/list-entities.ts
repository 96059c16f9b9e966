/** Lists of entities, by the query plan. */

import { countRows } from '../columns/read/count-values.ts';
import { isInRanges } from '../columns/read/id-ranges.ts';
import { rowPredicate } from '../columns/read/row-filter.ts';
import type { RowQuery } from '../columns/read/row-query.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import { toRow } from '../model/row.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { findEntity } from '../table/whole-entities.ts';
import { planQuery } from './query-plan.ts';
import { type EntityPage, type PageLog, readPage } from './read-page.ts';
import { readReferenced } from './read-referenced.ts';
import { toRowQuery } from './to-row-query.ts';

interface ListedPage extends Page {
  /** Absent when the page does not come from the list engine. */
  readonly log?: PageLog | undefined;
}

const toPage = ({ stored, total, skipped, end, counts, log }: EntityPage): ListedPage => ({
  entities: stored.map(({ entity }) => entity),
  versions: stored.map(({ version }) => version),
  total,
  skipped,
  end,
  counts,
  log,
});

async function listById(session: Session, kind: Kind, id: string, query: RowQuery): Promise<ListedPage> {
  const { filters, ids, after, countBy } = query;
  const skip = after ? Number(after.id === id) : query.skip;
  const stored = isInRanges(ids, id) ? await findEntity(session, kind, id) : undefined;
  const matching = stored && rowPredicate(filters)(toRow(stored.entity)) ? [stored] : [];
  const rows = matching.map(({ entity }) => toRow(entity));
  return toPage({
    stored: skip === 0 ? matching : [],
    total: matching.length,
    skipped: skip,
    counts: countRows(countBy, rows),
  });
}

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
  options: { readonly mayBeNewer?: boolean } = {},
): Promise<ListedPage> {
  const plan = planQuery(session.tenant, kind, query);
  const rowQuery = toRowQuery(kind, query);
  const isEmpty = plan.by === 'nothing' || rowQuery.ids?.length === 0;
  if (isEmpty)
    return toPage({ stored: [], total: 0, skipped: rowQuery.skip, counts: countRows(rowQuery.countBy, []) });
  if (plan.by === 'id') return listById(session, kind, plan.id, rowQuery);
  const { withTexts, fields = 'all' } = query;
  const page = toPage(
    await readPage(
      session,
      kind,
      { ...rowQuery, shows: fields },
      { ...options, pageIndex: plan.pageIndex, withTexts },
    ),
  );
  return { ...page, readReferenced: (references) => readReferenced(session, references) };
}
