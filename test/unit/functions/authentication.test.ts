import type { PreTokenGenerationV3TriggerEvent } from 'aws-lambda';
import { handler } from '#functions/authentication/claim-tenant.ts';

describe('claim-tenant', () => {
  const [read, write] = ['project-management/tasks:read', 'project-management/tasks:write'];
  /** The last ones are none of this API. */
  const scopes = ['openid', read, write, 'project-management/tasks:admin', 'read'];

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

    test.each([
      ['no group', [], [], [read, write]],
      ['groups that are no roles', ['staff', 'constructor'], [], [read, write]],
      ['viewer', ['viewer'], [write], [write]],
      ['editor', ['editor'], [], []],
      ['viewer and editor', ['viewer', 'editor'], [], []],
    ])(
      'of a user with %s lose what the role does not allow',
      async (_, groups, expected, expectedIfRequired) => {
        expect(await suppressed(groups)).toEqual(expected);
        process.env['REQUIRE_GROUP'] = 'true';
        expect(await suppressed(groups)).toEqual(expectedIfRequired);
      },
    );

    test.each([
      ['no group', [], true],
      ['editor', ['editor'], true],
      ['admin', ['admin'], false],
      ['admin and viewer', ['admin', 'viewer'], false],
    ])('of a user with %s: only administrators see all projects', async (_, groups, isSuppressed) => {
      const all = 'project-management/all-projects';
      const denied = (await suppressed(groups, {
        request: { ...event({ sub: 'user' }, groups).request, scopes: [all, read] },
      })) as string[];
      expect(denied).toEqual(isSuppressed ? [all] : []);
    });

    test('of a program stay, where a group is required: it has none', async () => {
      process.env['REQUIRE_GROUP'] = 'true';
      expect(await suppressed([], { triggerSource: 'TokenGeneration_ClientCredentials' })).toEqual([]);
    });

    test('are those of the client when the event has neither scopes nor groups', async () => {
      expect(await suppressed([], { request: {} })).toEqual([]);
    });
  });
});
