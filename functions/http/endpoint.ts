import type * as v from 'valibot';
import { type Contract, isConditionalWrite, needsToken } from '../contract/contract.ts';
import type { ExpectedVersions } from '../engine/entities/preconditions.ts';
import { decodeHistoryCursor } from '../engine/feed/history-cursor.ts';
import type { HistoryPlace } from '../engine/feed/list-history.ts';
import type { ItemFields } from '../engine/model/entity.ts';
import type { Filter, ListQuery } from '../engine/model/list-query.ts';
import { readEntities } from '../engine/table/read-entities.ts';
import type { Session } from '../engine/table/session.ts';
import { requireScope } from './caller.ts';
import { acceptsNoVersion, expectedVersions } from './conditional-requests.ts';
import { type EntityView, expandedReferences } from './entity-view.ts';
import { idempotency } from './idempotency-key.ts';
import { jsonBody } from './json-body.ts';
import type { Caller, Handler } from './middleware.ts';
import {
  type ReadChangesQuery,
  readChangesQuery,
  readDeletedQuery,
  readEntityView,
  readListQuery,
  readPageQuery,
  requireNoParameters,
} from './parse-list-query.ts';
import { pipeline } from './pipeline.ts';
import { rateLimit } from './rate-limit.ts';
import { type Results, renderers } from './renderers.ts';
import { openSession, type SessionEvent } from './session.ts';
import { validated } from './validation.ts';

interface Request<C extends Contract> {
  readonly session: Session;
  readonly caller: Caller;
  /** The id in the path; '' where the path has none. */
  readonly id: string;
  readonly expected: ExpectedVersions;
  readonly body: C extends { body: { schema: () => v.GenericSchema<unknown, infer Value> } }
    ? Value
    : undefined;
  /** The query of a list. The parent of a nested list is one of its filters. */
  readonly query: C extends { success: 'list' | 'changes' | 'deletedList' } ? ListQuery : undefined;
  /** The cursor of a change feed; `undefined` for its first page. */
  readonly since: C extends { success: 'changes' } ? ReadChangesQuery['since'] : undefined;
  /** The hash of the query of a change feed: part of its cursors. */
  readonly cursorHash?: Buffer | undefined;
  readonly place: C extends { success: 'history' } ? HistoryPlace : undefined;
  readonly view: EntityView;
}

const wholeView: EntityView = { expansions: [] };

/** Returns the query of a list, and how a read shows entities. No other operation takes parameters. */
function readQuery(
  { success, method, resource, nestedBy }: Contract,
  { rawQueryString }: SessionEvent,
  id: string,
) {
  if (success === 'entity' && method === 'GET' && resource) {
    return { view: readEntityView(resource, rawQueryString) };
  }
  if (success === 'changes' && resource) return readChangesQuery(resource, rawQueryString);
  if (success === 'deletedList' && resource) return readDeletedQuery(resource, rawQueryString);
  if (success === 'history' && resource) {
    const decode = (cursor: string) => decodeHistoryCursor({ kind: resource.kind, id }, cursor);
    return { place: readPageQuery(rawQueryString, decode), view: wholeView };
  }
  if (success !== 'list' || !resource) {
    requireNoParameters(rawQueryString);
    return { view: wholeView };
  }
  const ofParent: Filter[] =
    nestedBy === undefined ? [] : [{ field: nestedBy, operator: 'eq', values: [id] }];
  return readListQuery(resource, rawQueryString, ofParent);
}

function readIdempotency({ method, operation }: Contract, event: SessionEvent, id: string, body: unknown) {
  if (method === 'GET') return undefined;
  const { headers, caller } = event;
  const found = idempotency(headers['idempotency-key'], caller.keyOwner, `${operation}#${id}`, body);
  // An unconditional change has the same effect each time, so its key is checked and not recorded.
  const isRecorded = method === 'POST' || headers['if-match'] !== undefined || acceptsNoVersion(headers);
  return isRecorded ? found : undefined;
}

/** @throws Problem 400 or 403 that says what is wrong. */
function readRequest<C extends Contract>(contract: C, event: SessionEvent): Request<C> {
  const id = event.pathParameters?.['id'] ?? '';
  const { view, ...query } = readQuery(contract, event, id);
  // The scope of the operation allows reading its own resource only.
  for (const { target } of view.expansions) requireScope(event.caller, `${target.plural}:read`);
  const body = contract.body && validated(contract.body, event.body);
  const { additionalScope } = contract;
  if (additionalScope?.isNeeded(body)) requireScope(event.caller, additionalScope.scope);
  const session = { ...event.session, idempotency: readIdempotency(contract, event, id, body) };
  const expected = isConditionalWrite(contract) ? expectedVersions(event.headers, id) : undefined;
  // The types of `body` and `query` follow from the contract, which TypeScript cannot see in the values.
  return { session, caller: event.caller, id, expected, body, ...query, view } as Request<C>;
}

function entitiesOf(result: unknown): readonly ItemFields[] {
  const { entities, entity } = result as Partial<Results['list'] & Results['entity']>;
  return entities ?? (entity ? [entity] : []);
}

async function readExpanded(session: Session, view: EntityView, result: unknown) {
  if (view.expansions.length === 0) return new Map();
  const references = expandedReferences(view, entitiesOf(result));
  const { readReferenced } = result as Partial<Results['list']>;
  const byKey = () => references.flatMap(({ kind, ids }) => ids.map((id) => ({ kind, id })));
  return session.database.readRequested(() =>
    readReferenced ? readReferenced(references) : readEntities(session, byKey()),
  );
}

export function endpoint<const C extends Contract>(
  contract: C,
  run: (request: Request<C>) => Promise<Results[C['success']]>,
): Handler {
  const isGuarded = needsToken(contract);
  // Operations without a tenant have a low limit of the gateway.
  const limits = isGuarded ? [rateLimit(contract.operation)] : [];
  const before = [openSession(isGuarded), ...limits, jsonBody(contract)];
  const success: C['success'] = contract.success;
  return pipeline(contract.operation, before, async (event: SessionEvent) => {
    const request = readRequest(contract, event);
    const result = await run(request);
    const { id, session, query, cursorHash, view } = request;
    const expanded = await readExpanded(session, view, result);
    return renderers[success]({ contract, event, id, session, query, cursorHash, view, expanded }, result);
  });
}
