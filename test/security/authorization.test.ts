import type { Contract } from '#functions/contract/contract.ts';
import type { Resource } from '#functions/contract/resource.ts';
import { referencesOf } from '#functions/store/model/relations.ts';
import { audience } from '../support/issuer.ts';
import {
  bodyFor,
  guarded,
  type Ids,
  named,
  pathWith,
  referring,
  resources,
  type Sent,
  startTwoTenants,
  type TestResponse,
  type TwoTenants,
  unknown,
  withFields,
  writes,
} from './two-tenants.ts';

/** OWASP API risks 1, 2 and 5: object level authorization, authentication and function level authorization. */

let tenants: TwoTenants;
let victims: Ids;
let own: Ids;

beforeAll(async () => {
  tenants = await startTwoTenants();
  ({ victims, own } = tenants);
});

afterAll(() => tenants?.stop());

const as: TwoTenants['as'] = (...values) => tenants.as(...values);
const send: TwoTenants['send'] = (...values) => tenants.send(...values);

/** Returns a response without the parts that differ between requests. */
const comparable = ({ status, text }: TestResponse, id: string): string =>
  `${status} ${text.replace(/"requestId":"[^"]*"/, '')}`.replaceAll(id, '<id>');

// test/security/authentication.test.ts covers ids in paths ('tenants').
describe('API1: a token gives no access to another tenant', () => {
  test('by an id in the body: it behaves like an unknown id', async () => {
    const before = await tenants.ofVictim();
    const token = await as('stranger');
    const sendReference = async (contract: Contract, field: string, id: string) => {
      const body = { name: 'x', ...referring(contract.resource as Resource, own) };
      const value = Array.isArray((body as Record<string, unknown>)[field]) ? [id] : id;
      const response = await send(contract.method, pathWith(contract, own), {
        token,
        body: withFields(contract, { ...body, [field]: value }),
      });
      return comparable(response, id);
    };
    let references = 0;
    for (const contract of writes.filter(({ body }) => body && !body.optional)) {
      for (const { field, parent } of referencesOf((contract.resource as Resource).kind)) {
        references += 1;
        const response = await sendReference(contract, field, victims[parent] ?? '');
        expect(response).toBe(await sendReference(contract, field, unknown));
        expect([contract.operation, field, response.slice(0, 3)]).toEqual([contract.operation, field, '400']);
      }
    }
    expect(references).toBeGreaterThan(10);
    expect(await tenants.ofVictim()).toEqual(before);
  });

  test('by an id in a batch: it behaves like an unknown id', async () => {
    const before = await tenants.ofVictim();
    const token = await as('stranger');
    for (const contract of writes.filter(({ success }) => success === 'batch')) {
      const { kind } = contract.resource as Resource;
      for (const operation of [{ operation: 'update', body: { name: 'x' } }, { operation: 'delete' }]) {
        const sendId = async (id: string) => {
          const body = { operations: [{ ...operation, id }] };
          return comparable(await send('POST', contract.path, { token, body }), id);
        };
        const response = await sendId(victims[kind] ?? '');
        expect(response).toBe(await sendId(unknown));
        expect([contract.operation, response.slice(0, 3)]).toEqual([contract.operation, '404']);
      }
    }
    expect(await tenants.ofVictim()).toEqual(before);
  });

  test('by an id in a filter: the list is empty', async () => {
    const token = await as('stranger');
    for (const contract of guarded.filter(({ success }) => success === 'list')) {
      const resource = contract.resource as Resource;
      const filters = [
        ['id', victims[resource.kind]],
        ...referencesOf(resource.kind).map(({ field, parent }) => [field, victims[parent]]),
      ];
      for (const [field, id] of filters) {
        for (const sortBy of ['createdAt', 'name']) {
          const path = `${pathWith(contract, own)}?${field}=${id}&sortBy=${sortBy}`;
          expect((await send('GET', path, { token })).body).toMatchObject({ data: [], total: 0 });
        }
      }
    }
  });

  describe.each(['tenant', 'x-tenant'])('by "%s" in the query, in the body or in a header', (name) => {
    /** Returns requests for the victim's entities with the name of the victim in an unexpected place. */
    const attempts = (contract: Contract): (Sent & { path: string })[] => {
      const path = pathWith(contract, victims);
      const body = bodyFor(contract, victims);
      return [
        { path: `${path}?${name}=victim`, body },
        ...(body ? [{ path, body: { ...body, [name]: 'victim' } }] : []),
        { path, body, headers: { [name]: 'victim' } },
      ];
    };

    test('returns 403 before any other check when the token names no tenant', async () => {
      const token = await as('', { tenant: undefined });
      for (const contract of guarded) {
        for (const { path, ...sent } of attempts(contract)) {
          const { status } = await send(contract.method, path, { ...sent, token });
          expect([contract.operation, path, status]).toEqual([contract.operation, path, 403]);
        }
      }
    });

    test('shows and changes nothing of the victim when the token names another tenant', async () => {
      const before = await tenants.ofVictim();
      const token = await as('stranger');
      for (const contract of guarded) {
        for (const { path, ...sent } of attempts(contract)) {
          const { status, text } = await send(contract.method, path, { ...sent, token });
          expect([contract.operation, [200, 201, 400, 404].includes(status)]).toEqual([
            contract.operation,
            true,
          ]);
          // A 404 may repeat the requested id.
          const others = Object.values(victims).filter((id) => !path.includes(id));
          expect([contract.operation, others.filter((id) => text.includes(id))]).toEqual([
            contract.operation,
            [],
          ]);
        }
      }
      expect(await tenants.ofVictim()).toEqual(before);
    });
  });
});

// test/security/authentication.test.ts covers signature, issuer, audience and times, and the token and scope of every operation.
describe('API2: a valid token', () => {
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  test('is accepted only in the Authorization header', async () => {
    const token = await as('victim');
    for (const contract of guarded) {
      const path = pathWith(contract, victims);
      const body = bodyFor(contract, victims);
      const statuses = [
        await send(contract.method, `${path}?access_token=${token}`, { body }),
        await send(contract.method, path, { body, headers: { cookie: `authorization=${token}` } }),
        await send(contract.method, path, { body, headers: { 'x-authorization': `Bearer ${token}` } }),
        await send(contract.method, path, { body: body && { ...body, access_token: token } }),
      ].map(({ status }) => status);
      expect([contract.operation, statuses]).toEqual([contract.operation, [401, 401, 401, 401]]);
    }
  });

  test('cannot contain its own key', async () => {
    const { generateKeyPair, exportJWK, SignJWT } = await import('jose');
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    const claims = { iss: tenants.issuer.url, aud: audience, tenant: 'victim', scope: 'tags:read' };
    const forged = await Promise.all(
      [{ jwk }, { jku: `${tenants.issuer.url}/keys`, jwk }, { kid: '../../dev/null', jwk }].map((header) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'RS256', kid: 'first', ...header })
          .setExpirationTime('1h')
          .sign(privateKey),
      ),
    );
    // An algorithm that the issuer does not use, with a shared secret.
    const head = `${encoded({ alg: 'HS256', kid: 'first' })}.${encoded({ ...claims, exp: 9_999_999_999 })}`;
    forged.push(`${head}.${Buffer.from('no signature').toString('base64url')}`);
    for (const token of forged) expect((await send('GET', '/v1/tags', { token })).status).toBe(401);
  });
});

// test/security/authentication.test.ts covers each operation with only its scope and with all other scopes.
describe('API5: scopes for reading', () => {
  const reading = resources.map(({ plural }) => `${plural}:read`).join(' ');

  test.each(named(writes))('do not allow %s', async (_, contract) => {
    const before = await tenants.ofVictim();
    const token = await as('victim', { scope: reading });
    const request = { token, body: bodyFor(contract, victims) };
    const path = pathWith(contract, victims);
    expect((await send(contract.method, path, request)).status).toBe(403);
    // Headers that override the method have no effect.
    for (const header of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      const headers = { [header]: contract.method };
      await send('GET', path, { token, headers });
      expect((await send('POST', path, { ...request, headers })).status).not.toBeLessThan(400);
    }
    expect(await tenants.ofVictim()).toEqual(before);
  });

  test('cannot be avoided with another spelling of a path', async () => {
    for (const contract of guarded) {
      const path = pathWith(contract, victims);
      for (const other of [
        `${path}/`,
        `/${path}`,
        path.replace('/v1/', '/V1/'),
        path.replace('/v1/', '/v1//'),
      ]) {
        expect([other, (await send(contract.method, other)).status]).toEqual([other, 404]);
      }
    }
  });
});
