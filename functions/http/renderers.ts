/** Renders the results of operations as responses. Lists, feeds and histories, which others do not have in their bundles, are in `render-list.ts`. */
import type { Contract } from '../contract/contract.ts';
import type { ItemFields, WholeEntity } from '../engine/model/entity.ts';
import type { ListQuery } from '../engine/model/list-query.ts';
import type { Session } from '../engine/table/session.ts';
import { acceptsNoVersion, isCurrent } from './conditional-requests.ts';
import { contentTag, versionTag } from './entity-tags.ts';
import { type EntityView, showEntity } from './entity-view.ts';
import type { PipelineEvent, Response } from './middleware.ts';
import type { Results } from './results.ts';

export interface Rendering {
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

export type Renderer<Result> = (rendering: Rendering, result: Result) => Response;

export const noStore = { 'cache-control': 'no-store' } as const;

export const showing =
  ({ contract: { resource }, view, expanded }: Rendering) =>
  (entity: ItemFields): unknown =>
    resource ? showEntity(resource, entity, view, expanded) : entity;

export const json = (statusCode: number, content: string, headers: Record<string, string>): Response => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...headers },
  body: content,
});

/**
 * Returns the response to a read: cacheable, with revalidation before each use (RFC 9111, 5.2.2.4).
 * @param tag absent where entities are expanded: they have versions of their own.
 */
export function renderRead(
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

export function renderValue(rendering: Rendering, value: object): Response {
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

function renderCreated(rendering: Rendering, stored: WholeEntity): Response {
  const location = `/v1/${rendering.contract.resource?.plural}/${stored.entity.id}`;
  return renderWrite(rendering, 201, stored, { location });
}

const renderers: { readonly [Success in keyof Results]?: Renderer<Results[Success]> } = {
  entity: (rendering, stored) => {
    const { contract, event, view } = rendering;
    if (contract.method === 'PUT' && acceptsNoVersion(event.headers)) return renderCreated(rendering, stored);
    if (contract.method !== 'GET') return renderWrite(rendering, 200, stored);
    const { entity, version } = stored;
    const tag = view.expansions.length > 0 ? undefined : versionTag(entity.id, version);
    return renderRead(rendering, JSON.stringify(showing(rendering)(entity)), tag);
  },
  created: renderCreated,
  batch: ({ session }, results) =>
    json(200, JSON.stringify({ results }), { ...noStore, ...replayedHeader(session) }),
  deleted: ({ session }) => ({ statusCode: 204, headers: { ...noStore, ...replayedHeader(session) } }),
  signedInUser: renderValue,
  health: (_, health) => json(200, JSON.stringify(health), { ...noStore }),
};

/** Returns the renderer of the kind of success of an operation. @throws TypeError for one whose endpoint has its own. */
export function rendererOf<Success extends keyof Results>({
  operation,
  success,
}: Contract): Renderer<Results[Success]> {
  const renderer = renderers[success as Success];
  if (!renderer) throw new TypeError(`The operation ${operation} needs a renderer of its own.`);
  return renderer;
}
