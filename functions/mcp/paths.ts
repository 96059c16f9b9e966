/** The paths for agents. They are no operations of the API. */

/** Where the service speaks the Model Context Protocol, over streamable HTTP without sessions. */
export const toolsPath = '/mcp';

/** What a client reads to find out where its user signs in: RFC 9728 (with the path of the resource at its end) and RFC 8414. */
export const authorizationPaths = {
  resource: `/.well-known/oauth-protected-resource${toolsPath}`,
  server: '/.well-known/oauth-authorization-server',
} as const;
