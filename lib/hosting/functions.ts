import { fileURLToPath } from 'node:url';
import { maxRequestMs } from '../../functions/engine/table/deadline.ts';
import { routes } from '../../functions/routes.ts';

export const documentationFile = 'documentation/read-documentation.ts';
export const fallbackFile = 'fallback/reject-unmatched.ts';
export const streamFile = 'jobs/on-stream.ts';
export const logRecordsFile = 'jobs/on-log-records.ts';
export const logRecordsWithBusFile = 'jobs/on-log-records-with-bus.ts';
export const scheduleFile = 'jobs/on-schedule.ts';
export const tenantClaimFile = 'authentication/claim-tenant.ts';
export const subscriptionFile = 'authentication/authorize-subscription.ts';
export const toolsFile = 'mcp/serve-tools.ts';
export const authorizationFile = 'mcp/read-authorization.ts';
export const canaryFile = 'canary/use-service.ts';

export const functionFiles: readonly string[] = [
  ...routes.map(({ file }) => file),
  documentationFile,
  fallbackFile,
  streamFile,
  logRecordsFile,
  logRecordsWithBusFile,
  scheduleFile,
  tenantClaimFile,
  subscriptionFile,
  canaryFile,
  toolsFile,
  authorizationFile,
];

/** Where the documentation is built. */
export const siteFolder = fileURLToPath(new URL('../../dist/site', import.meta.url));

/** Timeout of a function behind the gateway. API Gateway's own timeout is 30 s. */
export const requestTimeoutMs = 10_000;

/** Timeout of the function that calls the API for agents: it may send a request twice. */
export const toolsTimeoutMs = 25_000;

export const jobTimeoutMs = maxRequestMs;

/**
 * Seconds for which a refresh token that was used can be used again, the most that Cognito allows: a response can be lost, and a duplicated tab has the token
 * too.
 * @see https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_RefreshTokenRotationType.html
 */
export const refreshGraceSeconds = 60;

/** Highest limit of a tenant, in capacity units per second. */
export const maxTenantRate = 100_000;

/**
 * Capacity units per second that the requests of a tenant may use by default: an eighth of the 40,000 that DynamoDB gives a table by default,
 * and as much as the 1,000 creates a second in batches use that the partition of a kind accepts.
 */
export const defaultTenantRate = 5_000;

/** Milliseconds after which Lambda looks at each shard of a stream again. */
export const streamPollMs = 250;

/** Retries of stream records before they are discarded. The schedule continues their jobs. */
export const streamRetries = 4;

/** New records of change logs in one call of the function that compacts them, at most. */
export const maxLogRecords = 1_000;

/** Milliseconds for which new records are collected. Shorter, and steps of compaction cost more than they save; longer, and lists read more records. */
export const logRecordsWindowMs = 15_000;

/** How new records of change logs are read where they are published as events too. */
export const publishing = {
  /** Records in one call: one read, and one message if they are not published. */
  maxRecords: 100,
  /** Milliseconds for which records are collected. */
  windowMs: 1_000,
};
