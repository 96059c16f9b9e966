/** Lambda handlers of operations: they read and validate the request, run the operation and render the result. */

import type * as v from 'valibot';
import { type Contract, isConditionalWrite, scopeOf } from '../contract/contract.ts';
import type { ExpectedVersions } from '../store/entities/expected-versions.ts';
import type { ListQuery } from '../store/model/list-query.ts';
import type { Session } from '../store/unit-of-work/session.ts';
import { requireScope } from './caller.ts';
import { expectedVersions } from './entity-tags.ts';
import { idempotency } from './idempotency-key.ts';
import { jsonBody } from './json-body.ts';
import type { Handler } from './middleware.ts';
import { listQuery, noParameters } from './parse-list-query.ts';
import { pipeline } from './pipeline.ts';
import { type Results, renderers } from './renderers.ts';
import { openSession, type SessionEvent } from './session.ts';
import { validated } from './validation.ts';

/** A valid request. */
export interface Request<C extends Contract> {
  readonly session: Session;
  /** The id in the path; '' where the path has none. */
  readonly id: string;
  /** The versions that `If-Match` accepts. */
  readonly expected: ExpectedVersions;
  /** The value of the body, as the schema of the contract returns it. */
  readonly body: C extends { body: { schema: () => v.GenericSchema<unknown, infer Value> } }
    ? Value
    : undefined;
  /** The query of a list. The parent of a nested list is one of its filters. */
  readonly query: C extends { success: 'list' } ? ListQuery : undefined;
}

/** Returns the query of a list. No other operation takes parameters. */
function readQuery(
  { success, resource, nestedBy }: Contract,
  { rawQueryString }: SessionEvent,
  id: string,
): ListQuery | undefined {
  if (success !== 'list' || !resource) {
    noParameters(rawQueryString);
    return undefined;
  }
  const query = listQuery(resource, rawQueryString);
  return nestedBy === undefined ? query : { ...query, filters: [...query.filters, [nestedBy, id] as const] };
}

/** Returns the idempotency of a `POST`. The other methods are idempotent without a key. */
function readIdempotency({ method, operation }: Contract, event: SessionEvent, id: string, body: unknown) {
  if (method !== 'POST') return undefined;
  const { headers, caller } = event;
  return idempotency(headers['idempotency-key'], caller.subject, `${operation}#${id}`, body);
}

/**
 * Reads and validates a request.
 * @throws Problem 400 or 403 that says what is wrong.
 */
function readRequest<C extends Contract>(contract: C, event: SessionEvent): Request<C> {
  const id = event.pathParameters?.['id'] ?? '';
  const query = readQuery(contract, event, id);
  const body = contract.body && validated(contract.body, event.body);
  const { additionalScope } = contract;
  if (additionalScope?.isNeeded(body)) requireScope(event.caller, additionalScope.scope);
  const session = { ...event.session, idempotency: readIdempotency(contract, event, id, body) };
  const expected = isConditionalWrite(contract) ? expectedVersions(event.headers['if-match'], id) : undefined;
  // The types of `body` and `query` follow from the contract, which TypeScript cannot see in the values.
  return { session, id, expected, body, query } as Request<C>;
}

/**
 * Returns the Lambda handler of an operation.
 * @param contract the operation as data.
 * @param run what is unique to the operation.
 */
export function endpoint<const C extends Contract>(
  contract: C,
  run: (request: Request<C>) => Promise<Results[C['success']]>,
): Handler {
  const before = [openSession(scopeOf(contract) !== undefined), jsonBody(contract)];
  const success: C['success'] = contract.success;
  return pipeline(contract.operation, before, async (event: SessionEvent) => {
    const request = readRequest(contract, event);
    const result = await run(request);
    const { id, session, query } = request;
    return renderers[success]({ contract, event, id, session, query }, result);
  });
}
