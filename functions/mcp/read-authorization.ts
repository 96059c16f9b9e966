/** Says where users of agents sign in. An agent's program reads it before its user has a token. */
import { allProjectsScope } from '../contract/scopes.ts';
import type { Response } from '../http/middleware.ts';
import { pipeline } from '../http/pipeline.ts';
import { Problem } from '../http/problems.ts';
import { environment } from '../runtime/environment.ts';
import { authorizationPaths, toolsPath } from './paths.ts';

/**
 * Returns the document of a path. A user pool of Cognito does not say in its own document that it supports PKCE, so clients refuse it: this service says it in
 * its place (RFC 8414), and names the addresses of the pool.
 */
function documentOf(path: string): object {
  const { issuer, signInUrl, scopes } = environment.authorization();
  // Programs request all that this names: an administrator's agent should not see all private projects only because it asked for everything.
  const scopes_supported = scopes.filter((scope) => !scope.endsWith(allProjectsScope));
  const url = environment.apiUrl();
  if (path === authorizationPaths.resource)
    return {
      resource: url + toolsPath,
      authorization_servers: [signInUrl ? url : issuer],
      scopes_supported,
      bearer_methods_supported: ['header'],
    };
  // Another issuer has a document of its own.
  if (!signInUrl) throw new Problem('not-found', `The issuer of tokens is ${issuer}.`);
  return {
    issuer: url,
    authorization_endpoint: `${signInUrl}/oauth2/authorize`,
    token_endpoint: `${signInUrl}/oauth2/token`,
    scopes_supported,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}

export const handler = pipeline(
  'readAuthorization',
  [],
  async ({ rawPath }): Promise<Response> => ({
    statusCode: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' },
    body: JSON.stringify(documentOf(rawPath)),
  }),
);
