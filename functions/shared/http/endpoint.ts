import type * as v from 'valibot';
import { type Contract, isConditionalWrite, scopeOf } from '../contract/contract.ts';
import type { Resource } from '../contract/resource.ts';
import type { Expected } from '../store/entities/read-entity.ts';
import type { Entity, Stored } from '../store/model/entities.ts';
import type { ListQuery, Page } from '../store/model/list-query.ts';
import type { Session } from '../store/unit-of-work/session.ts';
import { requireScope } from './caller.ts';
import { contentTag, expectedVersions, isCurrent, versionTag } from './conditional.ts';
import { idempotency } from './idempotency-key.ts';
import { jsonBody } from './json-body.ts';
import { listQuery, noParameters, pageLinks } from './list-query.ts';
import type { Handler, PipelineEvent, Response } from './middleware.ts';
import { pipeline } from './pipeline.ts';
import { opensSession, type SessionEvent } from './session.ts';
import { validated } from './validation.ts';

/** What an endpoint works with: everything is read, checked and typed. */
export interface Request<C extends Contract> {
  readonly session: Session;
  /** The id in the path; '' where the path has none. */
  readonly id: string;
  /** The versions that `If-Match` lets through. */
  readonly expected: Expected;
  /** The body's value, as the contract's schema gives it. */
  readonly body: C extends { body: { schema: () => v.GenericSchema<unknown, infer Value> } }
    ? Value
    : undefined;
  /** For lists: what is asked for, the parent of a nested list included. */
  readonly query: C extends { success: 'list' } ? ListQuery : undefined;
}

/** What an endpoint gives; the answer is made from it. */
export type Result<C extends Contract> = {
  list: Page;
  entity: Stored;
  created: Stored;
  deleted: undefined;
  health: { readonly status: string };
  page: never;
}[C['success']];

/** Only what the resource names leaves the service. */
const shown = (resource: Resource | undefined, entity: Entity): unknown =>
  resource ? resource.show(entity) : entity;

const json = (statusCode: number, content: string, headers: Record<string, string>): Response => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...headers },
  body: content,
});

/** The answer to a read: cacheable, but only after asking whether it is still current (RFC 9111, 5.2.2.4). */
function readResponse(
  event: PipelineEvent,
  content: string,
  tag: string,
  more: Record<string, string> = {},
): Response {
  const headers = { etag: tag, 'cache-control': 'private, no-cache', ...more };
  return isCurrent(event.headers['if-none-match'], tag)
    ? { statusCode: 304, headers }
    : json(200, content, headers);
}

function listResponse(
  { path, resource }: Contract,
  event: PipelineEvent,
  query: ListQuery,
  id: string,
  page: Page,
): Response {
  const totalPages = Math.ceil(page.total / query.limit);
  const data = page.entities.map((entity) => shown(resource, entity));
  const content = JSON.stringify({ data, total: page.total, page: query.page, totalPages });
  const link = pageLinks(
    path.replace('{id}', encodeURIComponent(id)),
    event.rawQueryString,
    query,
    totalPages,
  );
  return readResponse(event, content, contentTag(content), link === undefined ? {} : { link });
}

function entityResponse(
  contract: Contract,
  event: PipelineEvent,
  { entity, version }: Stored,
  session: Session,
): Response {
  const content = JSON.stringify(shown(contract.resource, entity));
  if (contract.method === 'GET') return readResponse(event, content, versionTag(entity.id, version));
  return json(contract.success === 'created' ? 201 : 200, content, {
    etag: versionTag(entity.id, version),
    'cache-control': 'no-store',
    ...(contract.success === 'created' && { location: `/v1/${contract.resource?.plural}/${entity.id}` }),
    ...(session.replayed && { 'idempotency-replayed': 'true' }),
  });
}

/** What a list is asked for; the parent of a nested one is one more filter. Nothing else takes parameters. */
function queryOf({ success, resource, nestedBy }: Contract, { rawQueryString }: PipelineEvent, id: string) {
  if (success !== 'list' || !resource) {
    noParameters(rawQueryString);
    return undefined;
  }
  const query = listQuery(resource, rawQueryString);
  return nestedBy === undefined ? query : { ...query, filters: [...query.filters, [nestedBy, id] as const] };
}

/** Only `POST` needs a key to be repeated safely; the other methods are idempotent as they are. */
function keyOf({ method, operation }: Contract, event: SessionEvent, id: string, body: unknown) {
  if (method !== 'POST') return undefined;
  const { headers, caller } = event;
  return idempotency(headers['idempotency-key'], caller.subject, `${operation}#${id}`, body);
}

/**
 * Makes the Lambda handler of an operation. All that operations have in common stands here: bodies, queries,
 * conditions, answers and errors.
 * @param contract what the operation is.
 * @param run what only this operation does.
 */
export function endpoint<const C extends Contract>(
  contract: C,
  run: (request: Request<C>) => Promise<Result<C>>,
): Handler {
  const before = [opensSession(scopeOf(contract) !== undefined), jsonBody(contract)];
  return pipeline(contract.operation, before, async (event: SessionEvent) => {
    const id = event.pathParameters?.['id'] ?? '';
    const query = queryOf(contract, event, id);
    const body = contract.body && validated(contract.body, event.body);
    const { additionalScope } = contract;
    if (additionalScope?.isNeeded(body)) requireScope(event.caller, additionalScope.scope);
    const session: Session = { ...event.session, idempotency: keyOf(contract, event, id, body) };
    const expected = isConditionalWrite(contract)
      ? expectedVersions(event.headers['if-match'], id)
      : undefined;
    const result = await run({ session, id, expected, body, query } as Request<C>);
    if (query) return listResponse(contract, event, query, id, result as Page);
    if (contract.success === 'deleted') return { statusCode: 204, headers: { 'cache-control': 'no-store' } };
    if (contract.success === 'health') {
      return json(200, JSON.stringify(result), { 'cache-control': 'no-store' });
    }
    return entityResponse(contract, event, result as Stored, session);
  });
}
