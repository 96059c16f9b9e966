import type { PreTokenGenerationV3TriggerEvent } from 'aws-lambda';
import { handler } from '#functions/authentication/claim-tenant.ts';
import { deniedScopes } from '#functions/authentication/roles.ts';
import { scopeOf } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';

describe('claim-tenant', () => {
  const scopes = ['openid', 'project-management/tasks:read', 'project-management/tasks:write'];

  const event = (userAttributes: Record<string, string>, groups: readonly string[] = []) => ({
    version: '3',
    region: 'us-east-1',
    userPoolId: 'pool',
    triggerSource: 'TokenGeneration_HostedAuth',
    userName: 'ada',
    callerContext: { awsSdkVersion: '', clientId: 'client' },
    request: {
      userAttributes,
      groupConfiguration: { groupsToOverride: groups },
      scopes,
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
    ['the client without a user', {}, 'client'],
  ])('the tenant in the token is %s', async (_, attributes, tenant) => {
    expect(await tenantOf(attributes)).toBe(tenant);
  });

  describe('the scopes of a token', () => {
    afterEach(() => {
      delete process.env['REQUIRE_GROUP'];
    });

    const suppressed = async (groups: readonly string[], changes: object = {}): Promise<unknown> => {
      const sent = { ...event({ sub: 'user' }, groups), ...changes };
      const { response } = await handler(sent as unknown as PreTokenGenerationV3TriggerEvent);
      return response.claimsAndScopeOverrideDetails?.accessTokenGeneration?.scopesToSuppress;
    };
    const [, read, write] = scopes;

    test.each([
      ['no group', [], [], [read, write]],
      ['viewer', ['viewer'], [write], [write]],
      ['editor', ['editor'], [], []],
    ])(
      'of a user with %s lose what the role does not allow',
      async (_, groups, expected, expectedIfRequired) => {
        expect(await suppressed(groups)).toEqual(expected);
        process.env['REQUIRE_GROUP'] = 'true';
        expect(await suppressed(groups)).toEqual(expectedIfRequired);
      },
    );

    test('of a program stay, where a group is required: it has none', async () => {
      process.env['REQUIRE_GROUP'] = 'true';
      expect(await suppressed([], { triggerSource: 'TokenGeneration_ClientCredentials' })).toEqual([]);
    });

    test('are those of the client when the event has neither scopes nor groups', async () => {
      expect(await suppressed([], { request: {} })).toEqual([]);
    });
  });
});

describe('roles', () => {
  const all = [...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))];
  const withPrefix = all.map((scope) => `project-management/${scope}`);
  const writes = (scopes: readonly string[]): string[] => scopes.filter((scope) => scope.endsWith(':write'));

  test.each([
    ['no group', [], false, []],
    ['groups that are no roles', ['staff', 'constructor'], false, []],
    ['a group that is no role, where one is required', ['staff'], true, all],
    ['viewer', ['viewer'], false, writes(all)],
    ['editor', ['editor'], true, []],
    ['viewer and editor', ['viewer', 'editor'], true, []],
  ])('%s', (_, groups, requireGroup, denied) => {
    expect(deniedScopes(all, groups, requireGroup)).toEqual(denied);
    expect(deniedScopes(withPrefix, groups, requireGroup)).toEqual(
      denied.map((scope) => `project-management/${scope}`),
    );
  });

  test('leaves scopes alone that are not of this API', () => {
    const others = ['openid', 'aws.cognito.signin.user.admin', 'tasks:admin', 'read'];
    expect(deniedScopes(others, ['viewer'], true)).toEqual([]);
  });
});
