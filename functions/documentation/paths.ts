/** The paths of the documentation, which one function serves. They are no operations of the API. */

/** In place of the last parameter, a path can have several segments, as API Gateway's greedy parameters do. */
export const documentationPaths = [
  '/docs',
  '/docs/{path+}',
  // A route of its own, because it is large and seldom needed.
  '/docs/reference.json',
  '/llms.txt',
  '/llms-full.txt',
  '/v1/openapi.json',
] as const;

/** The relation of the header `Link` that names the issuer of tokens (OpenID Connect Discovery 1.0, section 2). */
export const issuerRelation = 'http://openid.net/specs/connect/1.0/issuer';

export const documentationMethods = ['GET', 'HEAD'] as const;
