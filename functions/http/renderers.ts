/** Renders the results of reads as responses. Lists and feeds are in `render-list.ts`, and writes in `write-endpoint.ts`: each has only its own in its bundle. */
import type { Contract } from '../contract/contract.ts';
import type { ItemFields, WholeEntity } from '../engine/model/entity.ts';
import type { ListQuery } from '../engine/model/list-query.ts';
import type { Session } from '../engine/table/session.ts';
import { isCurrent } from './conditional-requests.ts';
import { contentTag, versionTag } from './entity-tags.ts';
import { type EntityView, showEntity } from './entity-view.ts';
import type { PipelineEvent, Response } from './middleware.ts';

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

export function renderEntity(rendering: Rendering, { entity, version }: WholeEntity): Response {
  const tag = rendering.view.expansions.length > 0 ? undefined : versionTag(entity.id, version);
  return renderRead(rendering, JSON.stringify(showing(rendering)(entity)), tag);
}
