import type { Context, DynamoDBStreamEvent, ScheduledEvent } from 'aws-lambda';
import { type Contract, needsToken, scopeOf } from '../../functions/contract/contract.ts';
import { documentationMethods, documentationPaths } from '../../functions/documentation/paths.ts';
import { table } from '../../functions/engine/model/table.ts';
import { connect, shareClient } from '../../functions/engine/table/client.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { authorizationPaths, toolsPath } from '../../functions/mcp/paths.ts';
import { routes } from '../../functions/routes.ts';
import { crossOrigin, localOrigins } from '../hosting/cors.ts';
import {
  authorizationFile,
  documentationFile,
  fallbackFile,
  jobTimeoutMs,
  logRecordsFile,
  requestTimeoutMs,
  scheduleFile,
  streamPollMs,
  subscriptionFile,
  toolsFile,
} from '../hosting/functions.ts';
import { apiScopes, scopeName } from '../hosting/scopes.ts';
import { prepareSite } from '../site/build.ts';
import { type Authentication, Authorizer } from './authorizer.ts';
import { EventDelivery } from './event-delivery.ts';
import { liveEnvironment, setFunctionEnvironment } from './function-environment.ts';
import type { FunctionHost, HostingOptions, TableLocation } from './hosted-functions.ts';
import type { GatewayRoute, LambdaFunction } from './http-api.ts';
import { functionContext, scheduledEvent } from './lambda-context.ts';
import { newRequestId } from './lambda-event.ts';
import { EventsApi } from './live/events-api.ts';
import { startPublishing } from './live/publishing.ts';
import { NewLogRecords } from './new-log-records.ts';
import { startSchedule } from './schedule.ts';

/** Imports the handler of a file. @param file path relative to `functions`. */
export async function loadHandler<Handler>(file: string): Promise<Handler> {
  const { handler } = (await import(`../../functions/${file}`)) as { handler: Handler };
  return handler;
}

/** Returns a handler that is imported at its first call. To import all forty takes a second. */
function lazily<Handler extends (...values: never[]) => unknown>(file: string): Handler {
  let loaded: Promise<Handler> | undefined;
  return (async (...values: Parameters<Handler>) => {
    loaded ??= loadHandler<Handler>(file);
    return (await loaded)(...values);
  }) as unknown as Handler;
}

/** Returns the routes for agents, and sets the environment of their functions. */
function agentRoutes(authentication: Authentication | undefined): GatewayRoute[] {
  // Pages of other origins do not reach a function.
  process.env['ALLOWED_ORIGINS'] = '*';
  const tools = lazily<LambdaFunction>(toolsFile);
  const ofTools = { method: 'POST', path: toolsPath, function: tools, scopes: authentication && [] };
  if (!authentication) return [ofTools];
  const { issuer } = authentication;
  const SCOPES = apiScopes.map((name) => scopeName(issuer, name)).join();
  Object.assign(process.env, { ISSUER: issuer, SCOPES });
  const documents = lazily<LambdaFunction>(authorizationFile);
  return [
    ofTools,
    ...Object.values(authorizationPaths).map((path) => ({ method: 'GET', path, function: documents })),
  ];
}

/**
 * Hosts the functions in this process.
 * @param open returns what they call instead of DynamoDB. The environment is set by then.
 */
export async function hostFunctions(
  open: () => DynamoDb,
  location: TableLocation,
  {
    authentication,
    tenantClaim = 'tenant',
    tenantRate,
    timeoutMs = requestTimeoutMs,
    allowedOrigins = [],
    eventsAddress,
  }: HostingOptions,
) {
  await prepareSite();
  const tokens = authentication && {
    tenantClaim,
    scopePrefix: scopeName(authentication.issuer, ''),
    localIssuer: authentication.isLocal ? authentication.issuer : undefined,
  };
  setFunctionEnvironment(location, tokens, tenantRate);
  const logRecords = new NewLogRecords();
  const client = logRecords.watch(open());
  shareClient(client);
  const events =
    eventsAddress && new EventDelivery(client, location.tableName, eventsAddress, logRecords.written);
  const schedules: ReturnType<typeof startSchedule>[] = [];
  const scopesOf = (contract: Contract): readonly string[] | undefined => {
    if (!authentication || !needsToken(contract)) return undefined;
    const scope = scopeOf(contract);
    return scope === undefined ? [] : [scopeName(authentication.issuer, scope)];
  };
  const documentation = lazily<LambdaFunction>(documentationFile);
  const onSchedule = lazily<(event: ScheduledEvent, context: Context) => Promise<void>>(scheduleFile);
  const onLogRecords =
    lazily<(event: DynamoDBStreamEvent, context: Context) => Promise<void>>(logRecordsFile);
  /** Delivers the records of change logs that were written since the last call. */
  const deliverLogRecords = (): Promise<void> =>
    logRecords.deliver((event) => onLogRecords(event, functionContext(newRequestId(), jobTimeoutMs)));
  return {
    table,
    tableName: location.tableName,
    needsStream: false,
    gateway: {
      routes: [
        ...routes.flatMap(({ contract, file, methods }): GatewayRoute[] => {
          const handler = lazily<LambdaFunction>(file);
          const scopes = scopesOf(contract);
          return methods.map((method) => ({ method, path: contract.path, function: handler, scopes }));
        }),
        ...documentationPaths.flatMap((path) =>
          documentationMethods.map((method) => ({ method, path, function: documentation })),
        ),
        ...agentRoutes(authentication),
      ],
      fallback: lazily<LambdaFunction>(fallbackFile),
      timeoutMs,
      crossOrigin: { ...crossOrigin, origins: [...localOrigins, ...allowedOrigins] },
      authorizer: authentication && new Authorizer(authentication),
    },
    deliverLogRecords,
    setAddress: (url: string) => {
      process.env['API_URL'] = url;
    },
    onSchedule: () => onSchedule(scheduledEvent(), functionContext(newRequestId(), jobTimeoutMs)),
    startEventSources: async () => {
      await logRecords.addStored(client, location.tableName);
      schedules.push(startSchedule(deliverLogRecords, streamPollMs));
      if (!events) return;
      await events.begin();
      schedules.push(startSchedule(() => events.run()));
    },
    stop: async () => {
      await Promise.all(schedules.map((schedule) => schedule.stop()));
      client.destroy();
    },
  };
}

/** Hosts the functions in this process, and announces changes to clients. */
export const sourceFunctions: FunctionHost = async (location, options) => {
  const functions = await hostFunctions(() => connect(), location, options);
  const { authorizer } = functions.gateway;
  const authorize =
    lazily<(event: object, context: Context) => Promise<{ error: string } | null>>(subscriptionFile);
  const authorizeSubscription = (event: object) =>
    authorize(event, functionContext(newRequestId(), requestTimeoutMs));
  const live = new EventsApi({ authorizeSubscription, authorizer });
  const publishing = await startPublishing(live);
  const audience = options.authentication?.audience.join() ?? '';
  Object.assign(process.env, liveEnvironment(publishing.endpoint), { AUDIENCE: audience });
  return {
    ...functions,
    live,
    stop: async () => {
      live.stop();
      await functions.stop();
      publishing.stop();
    },
  };
};
