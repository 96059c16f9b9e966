import { randomUUID } from 'node:crypto';
import type { Contract } from '#functions/contract/contract.ts';
import type { Resource } from '#functions/contract/resource.ts';
import { referencesOf } from '#functions/engine/model/relations.ts';
import { someOf } from '../support/runs.ts';
import {
  bodyFor,
  contracts,
  guarded,
  named,
  pathWith,
  referring,
  resources,
  type Sent,
  type TestResponse,
  unknown,
  useTwoTenants,
  withFields,
  writes,
} from './two-tenants.ts';

/** OWASP API risks 1, 2 and 5: object level authorization, authentication and function level authorization. */

const tenants = useTwoTenants();

/** Returns a response without the parts that differ between requests. */
function comparable({ status, headers, text }: TestResponse, id: string): string {
  const differing = ['date', 'apigw-requestid', 'server-timing'];
  const shown = [...headers].filter(([name]) => !differing.includes(name));
  return `${status} ${text.replace(/"requestId":"[^"]*"/, '')} ${JSON.stringify(shown)}`.replaceAll(
    id,
    '<id>',
  );
}

describe('API1: a token gives no access to another tenant', () => {
  test('by an id in the path: it behaves like an unknown id', async () => {
    const before = await tenants.ofVictim();
    const token = await tenants.as('stranger');
    for (const contract of guarded.filter(({ path }) => path.includes('{id}'))) {
      const sendId = async (id: string) => {
        const sent = { token, body: bodyFor(contract, tenants.own) };
        const path = contract.path.replace('{id}', id);
        return comparable(await tenants.send(contract.method, path, sent), id);
      };
      const { kind } = resources.find(({ plural }) => plural === contract.path.split('/')[2]) as Resource;
      const victim = tenants.victims[kind] ?? '';
      expect([contract.operation, await sendId(victim)]).toEqual([contract.operation, await sendId(unknown)]);
    }
    expect(await tenants.ofVictim()).toEqual(before);
  });

  test('by an id in the body: it behaves like an unknown id', async () => {
    const before = await tenants.ofVictim();
    const token = await tenants.as('stranger');
    const sendReference = async (contract: Contract, field: string, id: string) => {
      const body = { name: 'x', ...referring(contract.resource as Resource, tenants.own) };
      const value = Array.isArray((body as Record<string, unknown>)[field]) ? [id] : id;
      const response = await tenants.send(contract.method, pathWith(contract, tenants.own), {
        token,
        body: withFields(contract, { ...body, [field]: value }),
      });
      return comparable(response, id);
    };
    let references = 0;
    for (const contract of writes.filter(({ body }) => body && !body.optional)) {
      for (const { field, parent } of referencesOf((contract.resource as Resource).kind)) {
        references += 1;
        const response = await sendReference(contract, field, tenants.victims[parent] ?? '');
        expect(response).toBe(await sendReference(contract, field, unknown));
        expect([contract.operation, field, response.slice(0, 3)]).toEqual([contract.operation, field, '400']);
      }
    }
    expect(references).toBeGreaterThan(10);
    expect(await tenants.ofVictim()).toEqual(before);
  });

  test('by an id in a batch: it behaves like an unknown id', async () => {
    const before = await tenants.ofVictim();
    const token = await tenants.as('stranger');
    for (const contract of writes.filter(({ success }) => success === 'batch')) {
      const { kind } = contract.resource as Resource;
      for (const operation of [{ operation: 'update', body: { name: 'x' } }, { operation: 'delete' }]) {
        const sendId = async (id: string) => {
          const body = { operations: [{ ...operation, id }] };
          return comparable(await tenants.send('POST', contract.path, { token, body }), id);
        };
        const response = await sendId(tenants.victims[kind] ?? '');
        expect(response).toBe(await sendId(unknown));
        expect([contract.operation, response.slice(0, 3)]).toEqual([contract.operation, '404']);
      }
    }
    expect(await tenants.ofVictim()).toEqual(before);
  });

  test('by an id in a filter: the list is empty', async () => {
    const token = await tenants.as('stranger');
    for (const contract of guarded.filter(({ success }) => success === 'list')) {
      const resource = contract.resource as Resource;
      const filters = [
        ['id', tenants.victims[resource.kind]],
        ...referencesOf(resource.kind).map(({ field, parent }) => [field, tenants.victims[parent]]),
      ];
      for (const [field, id] of filters) {
        const path = `${pathWith(contract, tenants.own)}?${field}=${id}`;
        expect((await tenants.send('GET', path, { token })).body).toMatchObject({ data: [], total: 0 });
      }
    }
  });

  describe.each(someOf(['tenant', 'x-tenant'], 2))(
    'by "%s" in the query, in the body or in a header',
    (name) => {
      /** Returns requests for the victim's entities with the name of the victim in an unexpected place. */
      const attempts = (contract: Contract): (Sent & { path: string })[] => {
        const path = pathWith(contract, tenants.victims);
        const body = bodyFor(contract, tenants.victims);
        return [
          { path: `${path}?${name}=victim`, body },
          ...(body ? [{ path, body: { ...body, [name]: 'victim' } }] : []),
          { path, body, headers: { [name]: 'victim' } },
        ];
      };

      test('returns 403 before any other check when the token names no tenant', async () => {
        const token = await tenants.as('', { tenant: undefined });
        for (const contract of someOf(guarded, 3)) {
          for (const { path, ...sent } of attempts(contract)) {
            const { status } = await tenants.send(contract.method, path, { ...sent, token });
            expect([contract.operation, path, status]).toEqual([contract.operation, path, 403]);
          }
        }
      });

      test('shows and changes nothing of the victim when the token names another tenant', async () => {
        const before = await tenants.ofVictim();
        const token = await tenants.as('stranger');
        for (const contract of someOf(guarded, 3)) {
          for (const { path, ...sent } of attempts(contract)) {
            const { status, text } = await tenants.send(contract.method, path, { ...sent, token });
            expect([contract.operation, [200, 201, 400, 404].includes(status)]).toEqual([
              contract.operation,
              true,
            ]);
            // A 404 may repeat the requested id.
            const others = Object.values(tenants.victims).filter((id) => !path.includes(id));
            expect([contract.operation, others.filter((id) => text.includes(id))]).toEqual([
              contract.operation,
              [],
            ]);
          }
        }
        expect(await tenants.ofVictim()).toEqual(before);
      });
    },
  );
});

// test/security/authentication.test.ts covers signature, issuer, audience and times, and the token and scope of every operation.
test('API2: a valid token is accepted only in the Authorization header', async () => {
  const token = await tenants.as('victim');
  for (const contract of someOf(guarded, 3)) {
    const path = pathWith(contract, tenants.victims);
    const body = bodyFor(contract, tenants.victims);
    const statuses = [
      await tenants.send(contract.method, `${path}?access_token=${token}`, { body }),
      await tenants.send(contract.method, path, { body, headers: { cookie: `authorization=${token}` } }),
      await tenants.send(contract.method, path, {
        body,
        headers: { 'x-authorization': `Bearer ${token}` },
      }),
      await tenants.send(contract.method, path, { body: body && { ...body, access_token: token } }),
    ].map(({ status }) => status);
    expect([contract.operation, statuses]).toEqual([contract.operation, [401, 401, 401, 401]]);
  }
});

// test/security/authentication.test.ts covers each operation with only its scope and with all other scopes.
describe('API5: scopes for reading', () => {
  const reading = resources.map(({ plural }) => `${plural}:read`).join(' ');

  test.each(named(someOf(writes, 3)))('do not allow %s', async (_, contract) => {
    const before = await tenants.ofVictim();
    const token = await tenants.as('victim', { scope: reading });
    const request = { token, body: bodyFor(contract, tenants.victims) };
    const path = pathWith(contract, tenants.victims);
    expect((await tenants.send(contract.method, path, request)).status).toBe(403);
    // Headers that override the method have no effect.
    for (const header of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      const headers = { [header]: contract.method };
      await tenants.send('GET', path, { token, headers });
      expect((await tenants.send('POST', path, { ...request, headers })).status).not.toBeLessThan(400);
    }
    expect(await tenants.ofVictim()).toEqual(before);
  });
});

/** `expand` shows entities of other kinds: the token needs the read scope of each of them. */

const pluralOf = (kind: string): string => resources.find((resource) => resource.kind === kind)?.plural ?? '';

/** Every list and single read, with each reference of its kind to another one. */
const reads = contracts.flatMap((contract) => {
  const { resource, success, operation } = contract;
  if (!resource || (success !== 'list' && success !== 'entity') || contract.method !== 'GET') return [];
  const references = referencesOf(resource.kind).filter(({ parent }) => parent !== resource.kind);
  return references.map(({ field, parent }) => ({
    contract,
    operation,
    expand: field.replace(/Ids$/, 's').replace(/Id$/, ''),
    ownScope: `${resource.plural}:read`,
    neededScope: `${pluralOf(parent)}:read`,
  }));
});

const send = async (path: string, scope: string, method = 'GET') =>
  tenants.send(method, path, { token: await tenants.as('stranger', { scope }) });

describe.each(reads)('$operation with expand=$expand', ({ contract, expand, ownScope, neededScope }) => {
  const path = (): string => `${pathWith(contract, tenants.own)}?expand=${expand}`;

  test('returns 403 with the scope that the token lacks', async () => {
    const others = resources
      .flatMap(({ plural }) => [`${plural}:read`, `${plural}:write`])
      .filter((scope) => scope !== neededScope);
    for (const scope of [ownScope, others.join(' ')]) {
      const { status, body, headers } = await send(path(), scope);
      expect([scope, status]).toEqual([scope, 403]);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(JSON.stringify(body)).toContain(neededScope);
      expect((await send(path(), scope, 'HEAD')).status).toBe(403);
    }
  });

  test('returns 200 with both scopes, and without expand for its own scope', async () => {
    expect((await send(path(), `${ownScope} ${neededScope}`)).status).toBe(200);
    expect((await send(pathWith(contract, tenants.own), ownScope)).status).toBe(200);
  });
});

test('expand shows no entity of another tenant', async () => {
  for (const { contract, expand } of reads) {
    const token = await tenants.as('stranger');
    const victim = `${pathWith(contract, tenants.victims)}?expand=${expand}`;
    const { status, text } = await tenants.send('GET', victim, { token });
    expect([victim, status]).toEqual([victim, contract.success === 'entity' ? 404 : 200]);
    const shown = Object.values(tenants.victims).filter((id) => !victim.includes(id) && text.includes(id));
    expect([victim, shown]).toEqual([victim, []]);
  }
});

/** `GET /v1/users/me` shows what the token says, and a user only to a token that may read users. */

const me = async (tenant: string, claims: object) =>
  tenants.send('GET', '/v1/users/me', { token: await tenants.as(tenant, claims) });

/** Creates a user of a tenant. @returns the user as the API shows it. */
async function makeUser(tenant: string, subject: string) {
  const token = await tenants.as(tenant);
  const { status, body } = await tenants.send('POST', '/v1/users', { token, body: { name: 'Ada', subject } });
  expect(status).toBe(201);
  return body;
}

test('needs no particular scope, and shows the scopes of this API only', async () => {
  for (const [scope, scopes] of [
    ['', []],
    ['openid', []],
    ['openid tasks:write tags:read tasks:readers', ['tasks:write', 'tags:read']],
  ] as const) {
    const { status, body } = await me('stranger', { sub: 'ada', scope });
    expect([status, body]).toEqual([200, { subject: 'ada', tenant: 'stranger', scopes, user: null }]);
  }
});

test('shows the user with the subject of the token, if the token may read users', async () => {
  const sub = randomUUID();
  const user = await makeUser('stranger', sub);
  expect((await me('stranger', { sub, scope: 'users:read' })).body).toEqual({
    subject: sub,
    tenant: 'stranger',
    scopes: ['users:read'],
    user,
  });
  for (const scope of ['', 'users:write', 'tasks:read']) {
    expect((await me('stranger', { sub, scope })).body?.['user']).toBeNull();
  }
});

test('shows no user of another tenant, with the same subject', async () => {
  const sub = randomUUID();
  await makeUser('victim', sub);
  expect((await me('stranger', { sub })).body?.['user']).toBeNull();
  const own = await makeUser('stranger', sub);
  expect((await me('stranger', { sub })).body?.['user']).toEqual(own);
});

test('the subject of a program is its client', async () => {
  const { body } = await me('stranger', { sub: undefined, client_id: 'nightly' });
  expect(body).toMatchObject({ subject: 'nightly', user: null });
  expect((await me('stranger', { sub: undefined })).body).toMatchObject({ subject: null, user: null });
});
