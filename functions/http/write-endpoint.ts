/** Handlers of writes: what they read besides their parameters, and how they respond. Reads do not have it in their bundles. */
import { type Contract, isConditionalWrite } from '../contract/contract.ts';
import type { WholeEntity } from '../engine/model/entity.ts';
import { requireScope } from './caller.ts';
import { acceptsNoVersion, expectedVersions } from './conditional-requests.ts';
import { endpoint } from './endpoint.ts';
import { versionTag } from './entity-tags.ts';
import { idempotency } from './idempotency-key.ts';
import { readBody } from './json-body.ts';
import type { Response } from './middleware.ts';
import { json, noStore, type Renderer, type Rendering, showing } from './renderers.ts';
import type { Results } from './results.ts';
import type { SessionEvent } from './session.ts';
import { validated } from './validation.ts';

function readIdempotency({ method, operation }: Contract, event: SessionEvent, id: string, body: unknown) {
  const { headers, caller } = event;
  const found = idempotency(headers['idempotency-key'], caller.keyOwner, `${operation}#${id}`, body);
  // An unconditional change has the same effect each time, so its key is checked and not recorded.
  const isRecorded = method === 'POST' || headers['if-match'] !== undefined || acceptsNoVersion(headers);
  return isRecorded ? found : undefined;
}

async function readWrite(contract: Contract, event: SessionEvent, id: string) {
  const value = await readBody(contract, event);
  const body = contract.body && validated(contract.body, value);
  const { additionalScope } = contract;
  if (additionalScope?.isNeeded(body)) requireScope(event.caller, additionalScope.scope);
  const session = { ...event.session, idempotency: readIdempotency(contract, event, id, body) };
  const expected = isConditionalWrite(contract) ? expectedVersions(event.headers, id) : undefined;
  return { session, expected, body };
}

const writeHeaders = ({ session: { replayed } }: Rendering): Record<string, string> => ({
  ...noStore,
  ...(replayed && { 'idempotency-replayed': 'true' }),
});

function renderWritten(rendering: Rendering, { entity, version }: WholeEntity, statusCode = 200, more = {}) {
  const headers = { etag: versionTag(entity.id, version), ...more, ...writeHeaders(rendering) };
  return json(statusCode, JSON.stringify(showing(rendering)(entity)), headers);
}

function renderCreated(rendering: Rendering, stored: WholeEntity): Response {
  const location = `/v1/${rendering.contract.resource?.plural}/${stored.entity.id}`;
  return renderWritten(rendering, stored, 201, { location });
}

const renderers: Pick<
  { readonly [Success in keyof Results]: Renderer<Results[Success]> },
  'entity' | 'created' | 'batch' | 'deleted'
> = {
  entity: (rendering, stored) =>
    rendering.contract.method === 'PUT' && acceptsNoVersion(rendering.event.headers)
      ? renderCreated(rendering, stored)
      : renderWritten(rendering, stored),
  created: renderCreated,
  batch: (rendering, results) => json(200, JSON.stringify({ results }), writeHeaders(rendering)),
  deleted: (rendering) => ({ statusCode: 204, headers: writeHeaders(rendering) }),
};

export const writeEndpoint = <const C extends Contract & { readonly success: keyof typeof renderers }>(
  contract: C,
  run: Parameters<typeof endpoint<C>>[1],
) =>
  endpoint<C>(contract, run, {
    readWrite,
    render: renderers[contract.success] as Renderer<Results[C['success']]>,
  });
