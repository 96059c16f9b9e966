/** The environment variables of the functions, in this process. In the cloud, CDK sets them. */

import { methodsByPath } from '../../functions/routes.ts';
import { packRoutes } from '../../functions/runtime/packed-routes.ts';
import { siteFolder } from '../hosting/functions.ts';
import { setEngineEnvironment } from './engine-environment.ts';
import type { TableLocation } from './hosted-functions.ts';
import { realtimePath } from './live/messages.ts';

export interface TokenSettings {
  readonly tenantClaim: string;
  /** Text before the name of each scope. Default: none. */
  readonly scopePrefix?: string | undefined;
  /** The issuer for development beside the service. */
  readonly localIssuer?: string | undefined;
}

/** What stands for the host of a request in the addresses of the local service, which has no name that all its callers know. */
const host = '{host}';

/** Returns the addresses at which clients hear of changes, and to which functions announce them. */
export const liveEnvironment = (endpoint: string) => ({
  LIVE_URL: `ws://${host}${realtimePath}`,
  LIVE_HOST: host,
  LIVE_ENDPOINT: endpoint,
});

/**
 * Sets the environment variables.
 * @param tokens undefined when requests need no token.
 * @param tenantRate capacity units per second that the requests of a tenant may use; 0 for no limit.
 */
export function setFunctionEnvironment(
  { endpoint, tableName }: TableLocation,
  tokens: TokenSettings | undefined,
  tenantRate = 0,
): void {
  setEngineEnvironment(endpoint);
  // Those of an earlier service of the process.
  for (const name of Object.keys(liveEnvironment(''))) delete process.env[name];
  process.env['TABLE_NAME'] = tableName;
  process.env['TENANT_RATE'] = String(tenantRate);
  process.env['ROUTES'] = packRoutes(methodsByPath);
  process.env['SITE_FOLDER'] = siteFolder;
  process.env['SERVER_TIMING'] = 'true';
  // The request log would hide the output of the command; errors are logged.
  process.env['LOG_LEVEL'] = 'ERROR';
  process.env['LOCAL_ISSUER'] = tokens?.localIssuer ?? '';
  if (tokens) {
    process.env['TENANT_CLAIM'] = tokens.tenantClaim;
    process.env['SCOPE_PREFIX'] = tokens.scopePrefix ?? '';
  } else {
    delete process.env['TENANT_CLAIM'];
    delete process.env['SCOPE_PREFIX'];
  }
}
