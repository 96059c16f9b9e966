import type { Contract } from '../contract/contract.ts';
import { deletedOf } from '../contract/resource.ts';
import { encodeCursor } from '../engine/feed/cursor.ts';
import { type ChangesPage, cursorOf } from '../engine/feed/list-changes.ts';
import { encodePlace } from '../engine/lists/place-cursor.ts';
import type { PageLog } from '../engine/lists/read-page.ts';
import type { ItemFields, WholeEntity } from '../engine/model/entity.ts';
import type { ListQuery, Page } from '../engine/model/list-query.ts';
import type { Session } from '../engine/table/session.ts';
import { acceptsNoVersion, isCurrent } from './conditional-requests.ts';
import { contentTag, versionTag } from './entity-tags.ts';
import { type EntityView, showEntity } from './entity-view.ts';
import type { PipelineEvent, Response } from './middleware.ts';
import { cursorLinks, pageLinks } from './page-links.ts';
import { renderData, renderPage } from './render-page.ts';

interface SignedInUser {
  readonly subject: string | null;
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** What responses show of the user with this subject; null without one, or when the token must not read users. */
  readonly user: object | null;
}

/** What the handler of each kind of success returns. */
export interface Results {
  readonly list: Page & { readonly log: PageLog };
  readonly entity: WholeEntity;
  readonly created: WholeEntity;
  readonly deleted: null;
  readonly deletedList: Page;
  readonly batch: readonly object[];
  readonly signedInUser: SignedInUser;
  readonly changes: ChangesPage;
  readonly history: object;
  readonly health: { readonly status: string };
}

interface Rendering {
  readonly contract: Contract;
  readonly event: PipelineEvent;
  /** The id in the path; '' where the path has none. */
  readonly id: string;
  readonly session: Session;
  readonly query: ListQuery | undefined;
  /** The hash of a change feed: part of its cursors. */
  readonly cursorHash?: Buffer | undefined;
  readonly view: EntityView;
  readonly expanded: ReadonlyMap<string, ItemFields>;
}

type Renderers = {
  readonly [Success in keyof Results]: (rendering: Rendering, result: Results[Success]) => Response;
};

const noStore = { 'cache-control': 'no-store' } as const;

/** Returns a function that returns what the response shows of an entity. */
function showing({ contract: { resource, success }, view, expanded }: Rendering) {
  const shown = resource && (success === 'deletedList' ? deletedOf(resource) : resource);
  return (entity: ItemFields): unknown => (shown ? showEntity(shown, entity, view, expanded) : entity);
}

const json = (statusCode: number, content: string, headers: Record<string, string>): Response => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...headers },
  body: content,
});

/**
 * Returns the response to a read: cacheable, with revalidation before each use (RFC 9111, 5.2.2.4).
 * @param tag absent where entities are expanded: they have versions of their own.
 */
function renderRead(
  { event }: Rendering,
  content: string,
  tag: string | undefined,
  more: Record<string, string> = {},
): Response {
  const headers = { 'cache-control': 'private, no-cache', ...(tag !== undefined && { etag: tag }), ...more };
  return tag !== undefined && isCurrent(event.headers['if-none-match'], tag)
    ? { statusCode: 304, headers }
    : json(200, content, headers);
}

function renderValue(rendering: Rendering, value: object): Response {
  const content = JSON.stringify(value);
  return renderRead(rendering, content, contentTag(content));
}

const replayedHeader = ({ replayed }: Session): Record<string, string> =>
  replayed ? { 'idempotency-replayed': 'true' } : {};

function renderWrite(
  rendering: Rendering,
  statusCode: number,
  { entity, version }: WholeEntity,
  more: Record<string, string> = {},
): Response {
  const { session } = rendering;
  return json(statusCode, JSON.stringify(showing(rendering)(entity)), {
    etag: versionTag(entity.id, version),
    ...noStore,
    ...more,
    ...replayedHeader(session),
  });
}

/** Returns the cursor of the next page, or null on the last one. */
function nextCursor({ resource }: Contract, query: ListQuery, { end }: Page): string | null {
  return resource && end ? encodePlace(resource.kind, query, end) : null;
}

/** Returns the entity tags of a page if the caller asks for them. */
const etagsOf = ({ withEtags }: EntityView, page: Pick<Page, 'entities' | 'versions'>) =>
  withEtags
    ? page.entities.map((entity, position) => versionTag(entity.id, page.versions[position] ?? 0))
    : undefined;

function renderCreated(rendering: Rendering, stored: WholeEntity): Response {
  const location = `/v1/${rendering.contract.resource?.plural}/${stored.entity.id}`;
  return renderWrite(rendering, 201, stored, { location });
}

function renderList(rendering: Rendering, page: Page & { readonly log?: PageLog }): Response {
  const { contract, event, id, session, query, cursorHash, view } = rendering;
  if (!query) throw new TypeError(`The list ${contract.operation} has no query.`);
  const totalPages = Math.ceil(page.total / query.limit);
  const etags = etagsOf(view, page);
  const next = query.after === undefined ? undefined : nextCursor(contract, query, page);
  const { log } = page;
  const changesCursor = cursorHash && log && encodeCursor(cursorHash, cursorOf(session, log.progress));
  const more = { etags, next, changesCursor };
  const content = renderPage(query, page, showing(rendering), more);
  const path = contract.path.replace('{id}', encodeURIComponent(id));
  const link =
    next === undefined
      ? pageLinks(path, event.rawQueryString, query, totalPages)
      : cursorLinks(path, event.rawQueryString, query, next);
  return renderRead(rendering, content, view.expansions.length > 0 ? undefined : contentTag(content), {
    'x-total-count': String(page.total),
    ...(link !== undefined && { link }),
  });
}

export const renderers: Renderers = {
  list: renderList,
  deletedList: renderList,
  entity: (rendering, stored) => {
    const { contract, event, view } = rendering;
    if (contract.method === 'PUT' && acceptsNoVersion(event.headers)) return renderCreated(rendering, stored);
    if (contract.method !== 'GET') return renderWrite(rendering, 200, stored);
    const { entity, version } = stored;
    const tag = view.expansions.length > 0 ? undefined : versionTag(entity.id, version);
    return renderRead(rendering, JSON.stringify(showing(rendering)(entity)), tag);
  },
  created: renderCreated,
  changes: (rendering, page) => {
    const { contract, cursorHash, view } = rendering;
    if (!cursorHash) throw new TypeError(`The change feed ${contract.operation} has no query.`);
    const { entities, removed, cursor, hasMore } = page;
    const rest = { etags: etagsOf(view, page), removed, cursor: encodeCursor(cursorHash, cursor), hasMore };
    const content = renderData(entities, showing(rendering), rest);
    return json(200, content, { ...noStore });
  },
  history: renderValue,
  batch: ({ session }, results) =>
    json(200, JSON.stringify({ results }), { ...noStore, ...replayedHeader(session) }),
  deleted: ({ session }) => ({ statusCode: 204, headers: { ...noStore, ...replayedHeader(session) } }),
  signedInUser: renderValue,
  health: (_, health) => json(200, JSON.stringify(health), { ...noStore }),
};
