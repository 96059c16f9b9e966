/** The environment variables of functions. Nothing else reads `process.env`; the host of the functions sets them. */
import { join } from 'node:path';

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

export const environment = {
  tableName: (): string => required('TABLE_NAME'),
  /** The methods of each path (`packed-routes.ts`). */
  routes: (): string => required('ROUTES'),
  /** The folder of the documentation: beside the code, unless the host sets it. */
  siteFolder: (): string => process.env['SITE_FOLDER'] ?? join(required('LAMBDA_TASK_ROOT'), 'site'),
  /** The claim that names the tenant; `undefined` where no token is required. */
  tenantClaim: (): string | undefined => process.env['TENANT_CLAIM'] || undefined,
  /** The issuer for development that runs beside a local service; `undefined` elsewhere. */
  localIssuer: (): string | undefined => process.env['LOCAL_ISSUER'] || undefined,
  /** The prefix of scopes in the issuer's tokens. Cognito prepends the name of the API. */
  scopePrefix: (): string => process.env['SCOPE_PREFIX'] ?? '',
  /** Whether tokens of users without a role have no scopes of this API. */
  requireGroup: (): boolean => process.env['REQUIRE_GROUP'] === 'true',
  /** Capacity units per second that the requests of a tenant may use; `undefined` without a limit. */
  tenantRate: (): number | undefined => Number(process.env['TENANT_RATE'] ?? 0) || undefined,
  /** The namespace of the metrics in the line of a request in the log; `undefined` without metrics. */
  requestMetrics: (): string | undefined => process.env['REQUEST_METRICS'] || undefined,
  isOnLambda: (): boolean => process.env['AWS_LAMBDA_FUNCTION_NAME'] !== undefined,
  /** Another address of DynamoDB than that of the region. The SDK reads this variable as well. */
  databaseEndpoint: (): string | undefined => process.env['AWS_ENDPOINT_URL_DYNAMODB'] || undefined,
  jobChangesPerSecond: (): number | undefined => Number(process.env['JOB_CHANGES_PER_SECOND']) || undefined,
  columnBytes: (): number | undefined => 1_048_576 * Number(process.env['COLUMN_MEMORY_MB']) || undefined,
  historyDays: (): number | undefined => Number(process.env['HISTORY_DAYS']) || undefined,
  /** Whether only callers who see all make a project private that has no members. */
  reservesClosing: (): boolean => process.env['CLOSE_PROJECTS'] === 'all-projects',
  /** The address for the connections of clients that follow changes; `undefined` where changes are not announced. */
  liveUrl: (): string | undefined => process.env['LIVE_URL'] || undefined,
  /** The host that these connections name. */
  liveHost: (): string => process.env['LIVE_HOST'] ?? '',
  /** Milliseconds within which clients that hear of a change ask for it. */
  liveSpreadMs: (): number => Number(process.env['LIVE_SPREAD_MS'] ?? 0),
  /** The address to which changes are announced; `undefined` where they are not. */
  liveEndpoint: (): string | undefined => process.env['LIVE_ENDPOINT'] || undefined,
  /** The values of `aud`, or of `client_id` without it, of tokens for this API. */
  audience: (): readonly string[] => (process.env['AUDIENCE'] ?? '').split(',').filter(Boolean),
  region: (): string => required('AWS_REGION'),
  /** The credentials of the function, which Lambda sets. */
  credentials: () => ({
    accessKeyId: process.env['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: process.env['AWS_SECRET_ACCESS_KEY'] ?? '',
    ...(process.env['AWS_SESSION_TOKEN'] && { sessionToken: process.env['AWS_SESSION_TOKEN'] }),
  }),
  /** The public address of the API, for functions that use it from outside. */
  apiUrl: (): string => required('API_URL'),
  /** The client of that function, and where it gets its tokens. */
  canaryClient: () => ({
    tokenUrl: required('TOKEN_URL'),
    clientId: required('CLIENT_ID'),
    clientSecret: required('CLIENT_SECRET'),
  }),
  /** Origins whose pages may use the tools of agents; `*` for all. */
  allowedOrigins: (): readonly string[] => required('ALLOWED_ORIGINS').split(','),
  /** Where users of agents sign in: the issuer of their tokens, or the sign-in page of a user pool. */
  authorization: () => ({
    issuer: required('ISSUER'),
    signInUrl: process.env['SIGN_IN_URL'] || undefined,
    scopes: required('SCOPES').split(','),
  }),
  eventBusName: (): string => required('EVENT_BUS_NAME'),
  /** Address of the queue that gets the keys of records whose events the bus did not accept. */
  unpublishedQueueUrl: (): string => required('UNPUBLISHED_QUEUE_URL'),
  /** The lowest level that is logged; by default all levels are. */
  logLevel: (): string | undefined => process.env['LOG_LEVEL'],
  /** Whether responses contain `Server-Timing` with the calls to DynamoDB. */
  serverTiming: (): boolean => process.env['SERVER_TIMING'] === 'true',
};
