import { randomUUID } from 'node:crypto';
import { startTwoTenants, type TwoTenants } from './two-tenants.ts';

/** `GET /v1/users/me` shows what the token says, and a user only to a token that may read users. */

let tenants: TwoTenants;

beforeAll(async () => {
  tenants = await startTwoTenants();
});

afterAll(() => tenants?.stop());

const me = async (tenant: string, claims: object) =>
  tenants.send('GET', '/v1/users/me', { token: await tenants.as(tenant, claims) });

/** Creates a user of a tenant. @returns the user as the API shows it. */
async function makeUser(tenant: string, subject: string) {
  const token = await tenants.as(tenant);
  const { status, body } = await tenants.send('POST', '/v1/users', { token, body: { name: 'Ada', subject } });
  expect(status).toBe(201);
  return body;
}

test('is 403 for a token without a tenant', async () => {
  const { status, body } = await me('', { tenant: undefined });
  expect([status, body?.['type']]).toEqual([403, '/docs/problems#no-tenant']);
});

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
