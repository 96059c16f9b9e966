import { callerOf } from '#functions/http/caller.ts';
import type { PipelineEvent } from '#functions/http/middleware.ts';
import { Problem } from '#functions/http/problems.ts';

/** The caller, read from the event of the gateway and from the verified token. */

const variables = ['TENANT_CLAIM', 'SCOPE_PREFIX'] as const;

afterEach(() => {
  for (const name of variables) delete process.env[name];
});

const tokenOf = (payload: unknown): string =>
  `head.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.signature`;

/** Returns an event of API Gateway, in which all claims are text. */
function eventOf(
  payload: Readonly<Record<string, unknown>>,
  header = `Bearer ${tokenOf(payload)}`,
): PipelineEvent {
  const claims = Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
  return {
    headers: { authorization: header },
    requestContext: { authorizer: { jwt: { claims } } },
  } as unknown as PipelineEvent;
}

const errorCodeOf = (event: PipelineEvent): unknown => {
  try {
    return callerOf(event, true);
  } catch (error) {
    return error instanceof Problem ? error.code : error;
  }
};

test('reads tenant, subject and scopes of the verified token', () => {
  process.env['TENANT_CLAIM'] = 'tenant';
  expect(callerOf(eventOf({ tenant: 'a#b', sub: 's', scope: 'x:read y:read' }), true)).toEqual({
    tenant: '@a%23b',
    tenantName: 'a#b',
    subject: 's',
    keyOwner: 'sub=s',
    scopes: ['x:read', 'y:read'],
  });
});

test('takes the client for the subject of a token without a user', () => {
  process.env['TENANT_CLAIM'] = 'tenant';
  expect(callerOf(eventOf({ tenant: 'acme', client_id: 'c' }), true)).toMatchObject({
    subject: 'c',
    keyOwner: 'client_id=c',
  });
  expect(callerOf(eventOf({ tenant: 'acme' }), true)).toMatchObject({
    subject: undefined,
    keyOwner: undefined,
  });
});

test.each([null, 2 ** 60, true, {}, ['a'], ''])('rejects the tenant claim %j', (tenant) => {
  process.env['TENANT_CLAIM'] = 'tenant';
  expect(errorCodeOf(eventOf({ tenant }))).toBe('no-tenant');
});

test.each([
  ['no token', ''],
  ['an invalid token', 'Bearer a.b.c'],
  ['a token with another tenant than the authorizer', `Bearer ${tokenOf({ tenant: 'other' })}`],
  ['a token whose payload is null', `Bearer ${tokenOf(null)}`],
])('rejects %s', (_, header) => {
  process.env['TENANT_CLAIM'] = 'tenant';
  expect(errorCodeOf(eventOf({ tenant: 'acme' }, header))).toBe('no-tenant');
});

test('rejects every caller when there is an authorizer and no configured claim', () => {
  expect(errorCodeOf(eventOf({ tenant: 'acme' }))).toBe('no-tenant');
});

test('returns the public tenant when no token is required', () => {
  const event = { headers: {}, requestContext: {} } as unknown as PipelineEvent;
  expect(callerOf(event, true)).toEqual({
    tenant: 'public',
    tenantName: 'public',
    subject: undefined,
    keyOwner: '',
    scopes: undefined,
  });
  expect(callerOf(eventOf({ tenant: 'acme' }), false)).toMatchObject({ tenant: 'public' });
});
