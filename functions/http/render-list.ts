/** Renders pages: of lists, of feeds, and of histories. */
import type { Contract } from '../contract/contract.ts';
import { encodeCursor, positionOfCursor } from '../engine/feed/cursor.ts';
import { type ChangesPage, cursorOf } from '../engine/feed/list-changes.ts';
import { encodePlace } from '../engine/lists/place-cursor.ts';
import type { ListQuery, Page } from '../engine/model/list-query.ts';
import { contentTag, versionTag } from './entity-tags.ts';
import type { EntityView } from './entity-view.ts';
import type { Response } from './middleware.ts';
import { cursorLinks, pageLinks } from './page-links.ts';
import { renderData } from './render-page.ts';
import { json, noStore, type Rendering, renderRead, showing } from './renderers.ts';
import type { Results } from './results.ts';

function nextCursor({ resource }: Contract, query: ListQuery, { end }: Page): string | null {
  return resource && end ? encodePlace(resource.kind, query, end) : null;
}

const etagsOf = ({ withEtags }: EntityView, page: Pick<Page, 'entities' | 'versions'>) =>
  withEtags
    ? page.entities.map((entity, position) => versionTag(entity.id, page.versions[position] ?? 0))
    : undefined;

export function renderList(rendering: Rendering, page: Page & Partial<Results['list']>): Response {
  const { contract, event, id, session, query, cursorHash, view } = rendering;
  if (!query) throw new TypeError(`The list ${contract.operation} has no query.`);
  const totalPages = Math.ceil(page.total / query.limit);
  const etags = etagsOf(view, page);
  const next = query.after === undefined ? undefined : nextCursor(contract, query, page);
  const { log } = page;
  const changesCursor = cursorHash && log && encodeCursor(cursorHash, cursorOf(session, log));
  const { after, limit, countBy, sumBy } = query;
  const content = renderData(page.entities, showing(rendering), {
    ...(etags && { etags }),
    total: page.total,
    page: after === undefined ? query.page : Math.floor(page.skipped / limit) + 1,
    limit,
    ...(next !== undefined && { next }),
    totalPages,
    ...(countBy.length > 0 && { counts: page.counts }),
    ...(sumBy.length > 0 && { sums: page.sums }),
    ...(changesCursor !== undefined && { changesCursor }),
  });
  const path = contract.path.replace('{id}', encodeURIComponent(id.toWellFormed()));
  const link =
    next === undefined
      ? pageLinks(path, event.rawQueryString, query, totalPages)
      : cursorLinks(path, event.rawQueryString, query, next);
  return renderRead(rendering, content, view.expansions.length > 0 ? undefined : contentTag(content), {
    'x-total-count': String(page.total),
    ...(link !== undefined && { link }),
  });
}

export function renderChanges(rendering: Rendering, page: ChangesPage): Response {
  const { contract, cursorHash, view } = rendering;
  if (!cursorHash) throw new TypeError(`The change feed ${contract.operation} has no query.`);
  const { entities, removed, cursor, hasMore } = page;
  const rest = {
    etags: etagsOf(view, page),
    removed,
    cursor: encodeCursor(cursorHash, cursor),
    position: positionOfCursor(cursor),
    hasMore,
  };
  const content = renderData(entities, showing(rendering), rest);
  return json(200, content, { ...noStore });
}
