import type { PreTokenGenerationV3TriggerEvent } from 'aws-lambda';
import { handler } from '#functions/authentication/claim-tenant.ts';

const event = (userAttributes: Record<string, string>) => ({
  version: '3',
  region: 'us-east-1',
  userPoolId: 'pool',
  triggerSource: 'TokenGeneration_HostedAuth',
  userName: 'ada',
  callerContext: { awsSdkVersion: '', clientId: 'client' },
  request: {
    userAttributes,
    groupConfiguration: {},
    scopes: [],
    clientMetadata: { 'custom:tenant': 'of the caller', tenant: 'of the caller' },
  },
  response: { claimsAndScopeOverrideDetails: {} },
});

const tenantOf = async (attributes: Record<string, string>): Promise<unknown> =>
  (await handler(event(attributes) as unknown as PreTokenGenerationV3TriggerEvent)).response
    .claimsAndScopeOverrideDetails?.accessTokenGeneration?.claimsToAddOrOverride?.['tenant'];

test.each([
  ['the attribute that the administrator set', { sub: 'user', 'custom:tenant': 'acme' }, 'acme'],
  ['the user without the attribute', { sub: 'user' }, 'user'],
  ['the user when the attribute is empty', { sub: 'user', 'custom:tenant': '' }, 'user'],
  ['the client without a user', {}, 'client'],
])('the tenant in the token is %s', async (_, attributes, tenant) => {
  expect(await tenantOf(attributes)).toBe(tenant);
});
