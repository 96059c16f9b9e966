/** Roles: what groups of users may do. The scopes of a token are those that its client may ask for, limited by the roles of the user. */

import { allProjectsScope } from '../contract/scopes.ts';

/** The groups that are roles, with the verbs of the scopes that they allow. Other groups mean nothing here. */
export const roles: Readonly<Record<string, readonly string[]>> = {
  viewer: ['read'],
  editor: ['read', 'write'],
  admin: ['read', 'write', allProjectsScope],
};

/** What users without a role may do, where none is required. */
const withoutRole = ['read', 'write'];

/** Returns the verb of a scope of this API, such as `read` of `tasks:read`; `undefined` for another scope, such as `openid`. */
function verbOf(scope: string): string | undefined {
  const name = scope.slice(scope.lastIndexOf('/') + 1);
  return name === allProjectsScope ? name : /^[a-z]+:(read|write)$/.exec(name)?.[1];
}

/**
 * Returns the scopes that the groups of a user do not allow. Of several roles, the union counts.
 * @param scopes of the token, with or without a prefix. Only those of this API can be among the result.
 * @param requireGroup whether a user without a role may do nothing; otherwise, such a user may read and write.
 */
export function deniedScopes(scopes: readonly string[], groups: readonly string[], requireGroup: boolean) {
  const own = groups.filter((group) => Object.hasOwn(roles, group));
  const verbs = own.length === 0 && !requireGroup ? withoutRole : own.flatMap((role) => roles[role] ?? []);
  const allowed = new Set(verbs);
  return scopes.filter((scope) => {
    const verb = verbOf(scope);
    return verb !== undefined && !allowed.has(verb);
  });
}
