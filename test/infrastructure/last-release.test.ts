import { lastRelease, retainedPolicyName } from '#lib/release/last-release.ts';
import { deployedBy, ownPolicy, permissionsByFunction } from '#lib/release/permissions.ts';
import { ofType, stacksOf, synthesizeTemplates } from './stacks.ts';

/** What a deployment over the last release must not take away while functions of both run. */

const { permissions, routeSettings } = lastRelease();

const lacking = (before: readonly string[], now: readonly string[]): string[] =>
  before.filter((one) => !now.includes(one));

test('roles allow what the functions of the last release use: CloudFormation updates a role before its function', async () => {
  const { data, api } = await synthesizeTemplates();
  const now = permissionsByFunction({ ...data, ...api }, [ownPolicy, retainedPolicyName]);
  expect(Object.keys(permissions).length).toBeGreaterThan(50);
  for (const [name, before] of Object.entries(permissions)) {
    // The function of an operation that is gone is deleted with its role.
    const own = now[name] ?? before;
    const missing = (['actions', 'indexes', 'others'] as const).map((kind) =>
      lacking(before[kind] ?? [], own[kind] ?? []),
    );
    expect([name, ...missing]).toEqual([name, [], [], []]);
  }
});

test('a permission that a release stops using stays for one release, and goes with the next one', async () => {
  const { createTask } = permissions;
  if (!createTask) throw new Error('The last release has no function createTask.');
  const before = {
    ...createTask,
    actions: [...createTask.actions, 'DeleteItem' as const],
    indexes: ['by-parent' as const],
  };
  const { data, api, templates } = await synthesizeTemplates(
    {},
    { permissions: { ...permissions, createTask: before } },
  );
  const retained = permissionsByFunction({ ...data, ...api }, [retainedPolicyName]);
  expect(retained['createTask']).toEqual({ actions: ['DeleteItem'], indexes: ['by-parent'], others: [] });
  // The record of this release does not have it, so the next release does not keep it.
  const record = deployedBy([templates.data, templates.api]);
  expect(record.permissions['createTask']).toMatchObject({ actions: createTask.actions, indexes: [] });
  const next = await synthesizeTemplates({}, record);
  expect(permissionsByFunction({ ...next.data, ...next.api }, [retainedPolicyName])).toEqual({});
});

test.each(['default', 'strict', 'without tokens'] as const)(
  'the keys of route settings never become fewer, with the settings %s: API Gateway can refuse every later update',
  async (settings) => {
    const stages = ofType((await stacksOf(settings)).resources, 'AWS::ApiGatewayV2::Stage');
    const keys = stages.flatMap(([, { Properties }]) => Object.keys(Properties['RouteSettings'] as object));
    expect(routeSettings.length).toBeGreaterThan(0);
    expect(lacking(routeSettings, keys)).toEqual([]);
  },
);
