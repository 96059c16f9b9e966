import { withoutOwn } from '#lib/infrastructure/table-access.ts';
import { lastRelease, retainedPolicyName } from '#lib/release/last-release.ts';
import { deployedBy, ownPolicy, permissionsByFunction } from '#lib/release/permissions.ts';
import { ofType, synthesizeTemplates } from './stacks.ts';

/** What a deployment over the last release must not take away while functions of both run. */

const { permissions, routeSettings } = lastRelease();

const lacking = (before: readonly string[] = [], now: readonly string[] = []): string[] =>
  before.filter((one) => !now.includes(one));

test('roles allow what the functions of the last release use: CloudFormation updates a role before its function', async () => {
  const { data, api } = await synthesizeTemplates();
  const now = permissionsByFunction({ ...data, ...api }, [ownPolicy, retainedPolicyName]);
  const missing = Object.entries(permissions).flatMap(([name, before]) => {
    const own = now[name];
    // The function of an operation that is gone is deleted with its role.
    if (!own) return [];
    return [
      ...lacking(before.actions, own.actions),
      ...lacking(before.indexes, own.indexes),
      ...lacking(before.others, own.others),
    ].map((permission) => `${name}: ${permission}`);
  });
  expect(Object.keys(permissions).length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});

test('a permission that a release stops using stays for one release, and goes with the next one', async () => {
  const { createTask } = permissions;
  if (!createTask) throw new Error('The last release has no function createTask.');
  const before = {
    ...createTask,
    actions: [...createTask.actions, 'DeleteItem' as const],
    indexes: ['by-parent' as const],
  };
  const { templates } = await synthesizeTemplates(
    {},
    { permissions: { ...permissions, createTask: before } },
  );
  const resources = { ...templates.data.Resources, ...templates.api.Resources };
  const retained = permissionsByFunction(resources, [retainedPolicyName]);
  expect(retained['createTask']).toEqual({ actions: ['DeleteItem'], indexes: ['by-parent'], others: [] });
  // The record of this release does not have it, so the next release does not keep it.
  const record = deployedBy([templates.data, templates.api]);
  expect(record.permissions['createTask']).toMatchObject({ actions: createTask.actions, indexes: [] });
  const next = await synthesizeTemplates({}, record);
  expect(permissionsByFunction({ ...next.data, ...next.api }, [retainedPolicyName])).toEqual({});
});

test('what a release stops using is what the last one has and it has not', () => {
  const before = { actions: ['GetItem', 'Query'], indexes: ['by-status', 'by-parent'] } as const;
  expect(withoutOwn(before, { actions: ['Query', 'PutItem'], indexes: ['by-parent'] })).toEqual({
    actions: ['GetItem'],
    indexes: ['by-status'],
  });
});

test.each([
  ['with the documentation', {}],
  ['without the documentation', { documentation: false }],
  ['without tokens', { authentication: 'none' }],
])(
  'the keys of route settings never become fewer, %s: API Gateway can refuse every later update',
  async (_, settings) => {
    const { api } = await synthesizeTemplates(settings);
    const keys = ofType(api, 'AWS::ApiGatewayV2::Stage').flatMap(([, { Properties }]) =>
      Object.keys(Properties['RouteSettings'] as object),
    );
    expect(routeSettings.length).toBeGreaterThan(0);
    expect(lacking(routeSettings, keys)).toEqual([]);
  },
);
