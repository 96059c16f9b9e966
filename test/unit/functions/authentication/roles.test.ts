import { deniedScopes, roles } from '#functions/authentication/roles.ts';
import { scopeOf } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';

const all = [...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))];
const withPrefix = all.map((scope) => `project-management/${scope}`);
const writes = (scopes: readonly string[]): string[] => scopes.filter((scope) => scope.endsWith(':write'));

test.each([
  ['no group', [], false, []],
  ['no group, where one is required', [], true, all],
  ['a group that is no role', ['staff', 'constructor'], false, []],
  ['a group that is no role, where one is required', ['staff'], true, all],
  ['viewer', ['viewer'], false, writes(all)],
  ['editor', ['editor'], true, []],
  ['viewer and editor', ['viewer', 'editor'], true, []],
  ['viewer and another group', ['viewer', 'staff'], true, writes(all)],
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

test('viewer and editor are the roles', () => {
  expect(Object.keys(roles)).toEqual(['viewer', 'editor']);
});
