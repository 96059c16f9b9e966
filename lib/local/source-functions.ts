/** The functions as they are in the source, behind the gateway of this machine. */
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { Context, ScheduledEvent } from 'aws-lambda';
import { methodsByPath, routes } from '../../functions/routes.ts';
import { scopeOf } from '../../functions/shared/contract/contract.ts';
import { connect, shareClient } from '../../functions/shared/store/dynamodb/client.ts';
import { table } from '../../functions/shared/store/model/table.ts';
import { crossOrigin, localOrigins } from '../hosting/cross-origin.ts';
import {
  fallbackFile,
  files,
  jobTimeout,
  requestTimeout,
  scheduleFile,
  streamFile,
} from '../hosting/functions.ts';
import { scopeName } from '../hosting/scopes.ts';
import { type Authentication, Authorizer } from './authorizer.ts';
import { functionContext, scheduledEvent } from './context.ts';

import { setEngineEnvironment, streamsEndpoint } from './engine-environment.ts';
import { newRequestId } from './event.ts';
import type { GatewayRoute, LambdaFunction } from './gateway.ts';
import type { Database, Hosted, ServiceOptions } from './service.ts';
import type { StreamFunction } from './stream-reader.ts';

/** A handler that is loaded when it is first needed: forty at once would take a second of the start. */
function lazily<Handler extends (...values: never[]) => unknown>(file: string): Handler {
  let loaded: Promise<{ handler: Handler }> | undefined;
  return (async (...values: Parameters<Handler>) => {
    loaded ??= import(`../../functions/${file}`) as Promise<{ handler: Handler }>;
    return (await loaded).handler(...values);
  }) as unknown as Handler;
}

/** What the functions find in their environment. */
function setEnvironment(
  { endpoint, tableName }: Database,
  authentication: Authentication | undefined,
  tenantClaim: string,
): void {
  setEngineEnvironment(endpoint);
  process.env['TABLE_NAME'] = tableName;
  process.env['ROUTES'] = JSON.stringify(methodsByPath);
  process.env['FILES'] = JSON.stringify(files);
  process.env['SERVER_TIMING'] = 'true';
  // The gateway's answers say enough to whoever watches; what goes wrong is still logged.
  process.env['LOG_LEVEL'] = 'ERROR';
  if (authentication) {
    process.env['TENANT_CLAIM'] = tenantClaim;
    process.env['SCOPE_PREFIX'] = scopeName(authentication.issuer, '');
  } else {
    delete process.env['TENANT_CLAIM'];
    delete process.env['SCOPE_PREFIX'];
  }
}

export async function sourceFunctions(
  database: Database,
  { authentication, tenantClaim = 'tenant', timeout = requestTimeout, corsOrigins = [] }: ServiceOptions,
): Promise<Hosted> {
  setEnvironment(database, authentication, tenantClaim);
  const client = connect();
  shareClient(client);
  const scopesOf = (scope: string | undefined): readonly string[] | undefined =>
    authentication && scope ? [scopeName(authentication.issuer, scope)] : undefined;
  const onStream =
    lazily<(...values: [Parameters<StreamFunction>[0], Context]) => ReturnType<StreamFunction>>(streamFile);
  const onSchedule = lazily<(event: ScheduledEvent, context: Context) => Promise<void>>(scheduleFile);
  const streams = new DynamoDBStreamsClient({ endpoint: streamsEndpoint(database.endpoint) });
  return {
    table,
    gateway: {
      routes: routes.flatMap(({ contract, file, methods }): GatewayRoute[] => {
        const handler = lazily<LambdaFunction>(file);
        const scopes = scopesOf(scopeOf(contract));
        return methods.map((method) => ({ method, path: contract.path, function: handler, scopes }));
      }),
      fallback: lazily<LambdaFunction>(fallbackFile),
      timeout,
      crossOrigin: { ...crossOrigin, origins: [...localOrigins, ...corsOrigins] },
      authorizer: authentication && new Authorizer(authentication),
    },
    onStream: (event) => onStream(event, functionContext(newRequestId(), jobTimeout)),
    onSchedule: () => onSchedule(scheduledEvent(), functionContext(newRequestId(), jobTimeout)),
    streams,
    stop: async () => {
      streams.destroy();
      client.destroy();
    },
  };
}
