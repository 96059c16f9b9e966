/** What the scopes of this API are called in the tokens of a user pool of Cognito: `project-management/projects:read`. */
export const resourceServer = 'project-management';

/** What a scope is called in the tokens of an issuer: Cognito puts the API in front, which others leave to `aud`. */
export const scopeName = (issuer: string, scope: string): string =>
  /^https:\/\/cognito-idp\./.test(issuer) ? `${resourceServer}/${scope}` : scope;
