/** Roles: what groups of users may do. The scopes of a token are those that its client may ask for, limited by the roles of the user. */

/** The groups that are roles, with the verbs of the scopes that they allow. Other groups mean nothing here. */
export const roles: Readonly<Record<string, readonly string[]>> = {
  viewer: ['read'],
  editor: ['read', 'write'],
};

/** Returns the verb of a scope of this API, such as `read` of `tasks:read`; `undefined` for another scope, such as `openid`. */
const verbOf = (scope: string): string | undefined =>
  /^[a-z]+:(read|write)$/.exec(scope.slice(scope.lastIndexOf('/') + 1))?.[1];

/**
 * Returns the scopes that the groups of a user do not allow. Of several roles, the union counts.
 * @param scopes of the token, with or without a prefix. Only those of this API can be among the result.
 * @param requireGroup whether a user without a role may do nothing; otherwise, such a user has all scopes.
 */
export function deniedScopes(scopes: readonly string[], groups: readonly string[], requireGroup: boolean) {
  const own = groups.filter((group) => Object.hasOwn(roles, group));
  if (own.length === 0 && !requireGroup) return [];
  const allowed = new Set(own.flatMap((role) => roles[role] ?? []));
  return scopes.filter((scope) => {
    const verb = verbOf(scope);
    return verb !== undefined && !allowed.has(verb);
  });
}
