/** Loads the functions from the source, for the local gateway. */
import type { Context, ScheduledEvent } from 'aws-lambda';
import { methodsByPath, routes } from '../../functions/routes.ts';
import { scopeOf } from '../../functions/shared/contract/contract.ts';
import { connect, shareClient } from '../../functions/shared/store/dynamodb/client.ts';
import { table } from '../../functions/shared/store/model/table.ts';
import { crossOrigin, localOrigins } from '../hosting/cors.ts';
import { fallbackFile, files, jobTimeoutMs, requestTimeoutMs, scheduleFile } from '../hosting/functions.ts';
import { scopeName } from '../hosting/scopes.ts';
import { type Authentication, Authorizer } from './authorizer.ts';
import { setEngineEnvironment } from './engine-environment.ts';
import type { GatewayRoute, LambdaFunction } from './gateway.ts';
import type { FunctionHost, TableLocation } from './hosted-functions.ts';
import { functionContext, scheduledEvent } from './lambda-context.ts';
import { newRequestId } from './lambda-event.ts';

/** Returns a handler that is imported at its first call. To import all forty takes a second. */
function lazily<Handler extends (...values: never[]) => unknown>(file: string): Handler {
  let loaded: Promise<{ handler: Handler }> | undefined;
  return (async (...values: Parameters<Handler>) => {
    loaded ??= import(`../../functions/${file}`) as Promise<{ handler: Handler }>;
    return (await loaded).handler(...values);
  }) as unknown as Handler;
}

/** Sets the environment variables of the functions. */
function setEnvironment(
  { endpoint, tableName }: TableLocation,
  authentication: Authentication | undefined,
  tenantClaim: string,
): void {
  setEngineEnvironment(endpoint);
  process.env['TABLE_NAME'] = tableName;
  process.env['ROUTES'] = JSON.stringify(methodsByPath);
  process.env['FILES'] = JSON.stringify(files);
  process.env['SERVER_TIMING'] = 'true';
  // The request log would hide the output of the command; errors are logged.
  process.env['LOG_LEVEL'] = 'ERROR';
  if (authentication) {
    process.env['TENANT_CLAIM'] = tenantClaim;
    process.env['SCOPE_PREFIX'] = scopeName(authentication.issuer, '');
  } else {
    delete process.env['TENANT_CLAIM'];
    delete process.env['SCOPE_PREFIX'];
  }
}

export const sourceFunctions: FunctionHost = async (
  location,
  { authentication, tenantClaim = 'tenant', timeoutMs = requestTimeoutMs, corsOrigins = [] },
) => {
  setEnvironment(location, authentication, tenantClaim);
  const client = connect();
  shareClient(client);
  const scopesOf = (scope: string | undefined): readonly string[] | undefined =>
    authentication && scope ? [scopeName(authentication.issuer, scope)] : undefined;
  const onSchedule = lazily<(event: ScheduledEvent, context: Context) => Promise<void>>(scheduleFile);
  return {
    table,
    needsStream: false,
    gateway: {
      routes: routes.flatMap(({ contract, file, methods }): GatewayRoute[] => {
        const handler = lazily<LambdaFunction>(file);
        const scopes = scopesOf(scopeOf(contract));
        return methods.map((method) => ({ method, path: contract.path, function: handler, scopes }));
      }),
      fallback: lazily<LambdaFunction>(fallbackFile),
      timeoutMs,
      crossOrigin: { ...crossOrigin, origins: [...localOrigins, ...corsOrigins] },
      authorizer: authentication && new Authorizer(authentication),
    },
    onSchedule: () => onSchedule(scheduledEvent(), functionContext(newRequestId(), jobTimeoutMs)),
    stop: async () => client.destroy(),
  };
};
