/** One renderer for each kind of success: results as HTTP responses. */
import type { Contract } from '../contract/contract.ts';
import type { Entity, WholeEntity } from '../store/model/entity.ts';
import type { ListQuery, Page } from '../store/model/list-query.ts';
import type { Session } from '../store/unit-of-work/session.ts';
import { contentTag, isCurrent, versionTag } from './entity-tags.ts';
import type { PipelineEvent, Response } from './middleware.ts';
import { pageLinks } from './parse-list-query.ts';

/** What the handler of each kind of success returns. Static pages have handlers of their own. */
export interface Results {
  readonly list: Page;
  readonly entity: WholeEntity;
  readonly created: WholeEntity;
  readonly deleted: undefined;
  readonly health: { readonly status: string };
  readonly staticPage: never;
}

/** What a renderer knows of the request. */
export interface Rendering {
  readonly contract: Contract;
  readonly event: PipelineEvent;
  /** The id in the path; '' where the path has none. */
  readonly id: string;
  readonly session: Session;
  /** Of a list. */
  readonly query: ListQuery | undefined;
}

type Renderers = {
  readonly [Success in keyof Results]: (rendering: Rendering, result: Results[Success]) => Response;
};

const noStore = { 'cache-control': 'no-store' } as const;

/** Returns what responses show of an entity. */
const show = ({ resource }: Contract, entity: Entity): unknown => (resource ? resource.show(entity) : entity);

const json = (statusCode: number, content: string, headers: Record<string, string>): Response => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...headers },
  body: content,
});

/** Returns the response to a read: cacheable, with revalidation before each use (RFC 9111, 5.2.2.4). */
function renderRead(
  { event }: Rendering,
  content: string,
  tag: string,
  more: Record<string, string> = {},
): Response {
  const headers = { etag: tag, 'cache-control': 'private, no-cache', ...more };
  return isCurrent(event.headers['if-none-match'], tag)
    ? { statusCode: 304, headers }
    : json(200, content, headers);
}

function renderWrite(
  { contract, session }: Rendering,
  statusCode: number,
  { entity, version }: WholeEntity,
  more: Record<string, string> = {},
): Response {
  return json(statusCode, JSON.stringify(show(contract, entity)), {
    etag: versionTag(entity.id, version),
    ...noStore,
    ...more,
    ...(session.replayed && { 'idempotency-replayed': 'true' }),
  });
}

export const renderers: Renderers = {
  list: (rendering, { entities, total }) => {
    const { contract, event, id, query } = rendering;
    if (!query) throw new TypeError(`The list ${contract.operation} has no query.`);
    const totalPages = Math.ceil(total / query.limit);
    const data = entities.map((entity) => show(contract, entity));
    const content = JSON.stringify({ data, total, page: query.page, totalPages });
    const path = contract.path.replace('{id}', encodeURIComponent(id));
    const link = pageLinks(path, event.rawQueryString, query, totalPages);
    return renderRead(rendering, content, contentTag(content), link === undefined ? {} : { link });
  },
  entity: (rendering, stored) => {
    const { contract } = rendering;
    if (contract.method !== 'GET') return renderWrite(rendering, 200, stored);
    const { entity, version } = stored;
    return renderRead(rendering, JSON.stringify(show(contract, entity)), versionTag(entity.id, version));
  },
  created: (rendering, stored) => {
    const location = `/v1/${rendering.contract.resource?.plural}/${stored.entity.id}`;
    return renderWrite(rendering, 201, stored, { location });
  },
  deleted: () => ({ statusCode: 204, headers: { ...noStore } }),
  health: (_, health) => json(200, JSON.stringify(health), { ...noStore }),
  staticPage: ({ contract }) => {
    throw new TypeError(`${contract.operation} is a static page: its handler is made by staticPage.`);
  },
};
