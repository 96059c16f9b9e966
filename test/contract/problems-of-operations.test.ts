import type { Contract } from '#functions/contract/contract.ts';
import { maxBodyBytes } from '#functions/http/json-body.ts';
import type { ProblemCode } from '#functions/http/problems.ts';
import { routes } from '#functions/routes.ts';
import { problemsOf } from '#lib/openapi/error-responses.ts';
import { expectComplete } from '../support/complete.ts';
import { unknownId } from './batches.ts';
import { create, type Kind, keptFields, type Reference, resourceOf } from './resources.ts';
import { type JsonObject, request, type TestResponse, unique } from './service.ts';

/** Every problem that the document lists for an operation occurs there. */

/** Problems of every operation, and those that take tokens, time, a setting or 10,000 tasks: other tests have them. */
const elsewhere = new Set<ProblemCode>([
  'no-tenant',
  'missing-scope',
  'cursor-expired',
  'clone-too-large',
  'too-many-requests',
  'headers-too-large',
  'not-a-member',
  'internal-error',
  'unavailable',
  'live-is-off',
]);

interface Target {
  readonly contract: Contract;
  /** Path with the id of an entity, if the operation has one. */
  readonly path: string;
  /** A body that the operation accepts. */
  readonly body: JsonObject;
}

const kindOf = ({ resource }: Contract): Kind => resource?.kind as Kind;

/** Kind of the entity in the path. */
const kindInPath = ({ path }: Contract): Kind =>
  routes.find(({ contract }) => contract.path === path.split('/').slice(0, 3).join('/'))?.contract.resource
    ?.kind as Kind;

async function bodyOf(contract: Contract): Promise<JsonObject> {
  const { success, body, resource } = contract;
  if (!body) return {};
  if (success === 'batch')
    return { operations: [{ operation: 'create', body: await resourceOf(kindOf(contract)).minimal() }] };
  if (body.schema === resource?.schemas.whole) return resourceOf(kindOf(contract)).minimal();
  return body.schema === resource?.schemas.part ? { name: unique('Changed') } : {};
}

/** Returns the id of an entity for the path; of a deleted one, if the operation restores it. */
async function idFor(contract: Contract): Promise<string> {
  if (!contract.path.includes('{id}')) return '';
  const kind = kindInPath(contract);
  const { id } = await create(kind);
  if (contract.path.endsWith('/restore')) await request('DELETE', `${resourceOf(kind).path}/${id}`);
  return id;
}

async function targetOf(contract: Contract): Promise<Target> {
  const id = await idFor(contract);
  return { contract, path: contract.path.replace('{id}', id), body: await bodyOf(contract) };
}

const send = (
  { contract, path, body }: Target,
  headers: Record<string, string> = {},
): Promise<TestResponse> => request(contract.method, path, { headers, ...(contract.body && { body }) });

const asBatch = (operation: JsonObject): JsonObject => ({ operations: [operation] });

/** Returns the body with a subject that another user has. */
async function withTakenSubject({ contract, body }: Target): Promise<JsonObject> {
  const subject = unique('subject');
  await create('user', { subject });
  const creation = { ...(await resourceOf('user').minimal()), subject };
  if (contract.success === 'batch') return asBatch({ operation: 'create', body: creation });
  return { ...body, subject };
}

/** Returns the path of the restoration of a user whose subject another user has by now. */
async function pathToUserOfTakenSubject({ contract }: Target): Promise<string> {
  const subject = unique('subject');
  const { id } = await create('user', { subject });
  await request('DELETE', `/v1/users/${id}`);
  await create('user', { subject });
  return contract.path.replace('{id}', id);
}

async function reuseKey(target: Target): Promise<TestResponse> {
  const headers = { 'idempotency-key': unique('key'), 'if-match': '*' };
  await send(target, headers);
  const body = await bodyOf(target.contract);
  return send({ ...target, body: Object.keys(body).length > 0 ? body : { name: unique('Other') } }, headers);
}

/** A request for each problem. */
const provoke: Readonly<Partial<Record<ProblemCode, (target: Target) => Promise<TestResponse>>>> = {
  'malformed-body': ({ contract, path }) =>
    request(contract.method, path, { rawBody: '{', headers: { 'content-type': 'application/json' } }),
  'invalid-request': ({ contract, path, body }) =>
    request(contract.method, `${path}?unknown=1`, contract.body && { body }),
  'not-found': (target) =>
    target.contract.success === 'batch'
      ? send({ ...target, body: asBatch({ operation: 'delete', id: unknownId }) })
      : send({ ...target, path: target.contract.path.replace(/\{\w+\}/, unknownId) }),
  'subject-taken': async (target) =>
    target.contract.path.endsWith('/restore')
      ? send({ ...target, path: await pathToUserOfTakenSubject(target) })
      : send({ ...target, body: await withTakenSubject(target) }),
  'reference-missing': async (target) => {
    const { kind, path, required, references } = resourceOf(kindOf(target.contract));
    // A required reference, or that through which an entity of a project with members is seen.
    const isNeeded = ({ field }: Reference) => required.includes(field) || keptFields(kind).includes(field);
    const { field, to } = references.find(isNeeded) as Reference;
    const parent = await create(to, to === 'project' ? { visibility: 'members' } : {});
    const { id } = await create(kind, { [field]: parent.id });
    await request('DELETE', `${path}/${id}`);
    await request('DELETE', `${resourceOf(to).path}/${parent.id}`);
    return send({ ...target, path: target.contract.path.replace('{id}', id) });
  },
  'version-mismatch': async (target) => {
    if (target.contract.success !== 'batch') return send(target, { 'if-match': '"another"' });
    const { id } = await create(kindOf(target.contract));
    return send({ ...target, body: asBatch({ operation: 'delete', id, ifMatch: '"another"' }) });
  },
  'body-too-large': ({ contract, path }) =>
    request(contract.method, path, { body: { name: 'x'.repeat(maxBodyBytes) } }),
  'unsupported-media-type': ({ contract, path }) =>
    request(contract.method, path, { rawBody: '{}', headers: { 'content-type': 'text/plain' } }),
  'idempotency-key-reused': reuseKey,
};

const operations = routes
  .map(({ contract }) => contract)
  .filter(({ path }) => path.startsWith('/v1/'))
  .map((contract) => ({ contract, operation: contract.operation }));

test.each(operations)('each problem of $operation occurs', async ({ contract }) => {
  const isOne = contract.path.includes('{id}') || contract.success === 'batch';
  const listed = [...problemsOf(contract).values()]
    .flat()
    .filter((code) => !elsewhere.has(code) && (isOne || code !== 'not-found'));
  expectComplete(
    listed.filter((code) => code in provoke),
    listed,
    { missing: 'Add a request that provokes it to `provoke` in this file.' },
  );
  const occurring = await Promise.all(
    listed.map(async (code) => {
      const response = await provoke[code]?.(await targetOf(contract));
      const { type = '' } = (response?.body ?? {}) as { type?: string };
      return type.split('#')[1];
    }),
  );
  expect(occurring).toEqual(listed);
});
