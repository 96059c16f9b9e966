import { callerOf } from '../../../../../functions/shared/http/caller.ts';
import type { PipelineEvent } from '../../../../../functions/shared/http/middleware.ts';
import { Problem } from '../../../../../functions/shared/http/problems.ts';

/** The caller, from what the gateway hands over and from the token that it has verified. */

const variables = ['TENANT_CLAIM', 'SCOPE_PREFIX'] as const;

afterEach(() => {
  for (const name of variables) delete process.env[name];
});

const tokenOf = (payload: unknown): string =>
  `head.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.signature`;

/** An event as API Gateway makes it: claims as text. */
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

const refusal = (event: PipelineEvent): unknown => {
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
    subject: 'sub=s',
    scopes: ['x:read', 'y:read'],
  });
});

test.each([null, 2 ** 60, true, {}, ['a'], ''])('refuses the tenant claim %j', (tenant) => {
  process.env['TENANT_CLAIM'] = 'tenant';
  expect(refusal(eventOf({ tenant }))).toBe('no-tenant');
});

test.each([
  ['no token', ''],
  ['a token that is not one', 'Bearer a.b.c'],
  ['a token with another tenant than the authorizer saw', `Bearer ${tokenOf({ tenant: 'other' })}`],
  ['a token whose payload is null', `Bearer ${tokenOf(null)}`],
])('refuses %s', (_, header) => {
  process.env['TENANT_CLAIM'] = 'tenant';
  expect(refusal(eventOf({ tenant: 'acme' }, header))).toBe('no-tenant');
});

test('refuses every caller when there is an authorizer and no claim is configured', () => {
  expect(refusal(eventOf({ tenant: 'acme' }))).toBe('no-tenant');
});

test('is the public tenant where no token is required', () => {
  const event = { headers: {}, requestContext: {} } as unknown as PipelineEvent;
  expect(callerOf(event, true)).toEqual({ tenant: 'public', subject: '', scopes: undefined });
  expect(callerOf(eventOf({ tenant: 'acme' }), false)).toMatchObject({ tenant: 'public' });
});
