import { scopeOf } from '../../functions/contract/contract.ts';
import { allProjectsScope } from '../../functions/contract/scopes.ts';
import { routes } from '../../functions/routes.ts';

export const apiScopes: readonly string[] = [
  ...new Set([allProjectsScope, ...routes.flatMap(({ contract }) => scopeOf(contract) ?? [])]),
].sort();

/** Identifier of the resource server in Cognito. Tokens have scopes like `project-management/projects:read`. */
export const resourceServer = 'project-management';

/** Returns the name of a scope in the tokens of an issuer. Cognito prefixes it with the resource server; others do not. */
export const scopeName = (issuer: string, scope: string): string =>
  /^https:\/\/cognito-idp\./.test(issuer) ? `${resourceServer}/${scope}` : scope;
