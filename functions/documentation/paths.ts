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

export const documentationMethods = ['GET', 'HEAD'] as const;
