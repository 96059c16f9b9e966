/** Facts about the functions that CDK and the local service share. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { routes } from '../../functions/routes.ts';
import { maxRequestMs } from '../../functions/shared/store/dynamodb/deadline.ts';

/** Files of the handlers without a route, relative to `functions/`. */
export const fallbackFile = 'fallback/answer-unmatched.ts';
export const streamFile = 'jobs/on-stream.ts';
export const logRecordsFile = 'jobs/on-log-records.ts';
export const scheduleFile = 'jobs/on-schedule.ts';
export const tenantClaimFile = 'authentication/claim-tenant.ts';

/** Files of all handlers. */
export const functionFiles: readonly string[] = [
  ...routes.map(({ file }) => file),
  fallbackFile,
  streamFile,
  logRecordsFile,
  scheduleFile,
  tenantClaimFile,
];

const resolver = createRequire(import.meta.url);
const projectFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Paths of the files that are deployed beside the functions whose contracts name them. */
export const files: Readonly<Record<string, string>> = {
  'openapi.json': projectFile('openapi.json'),
  'icon.svg': projectFile('functions/documentation/pages/icon.svg'),
  'reference.js': projectFile('functions/documentation/pages/reference.js'),
  'style.css': projectFile('functions/documentation/pages/style.css'),
  'swagger-ui-bundle.js': resolver.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'swagger-ui.css': resolver.resolve('swagger-ui-dist/swagger-ui.css'),
};

/** Timeout of a function behind the gateway. API Gateway's own timeout is 30 s. */
export const requestTimeoutMs = 10_000;

/** Timeout of one step of a job. */
export const jobTimeoutMs = maxRequestMs;

/** Retries of stream records before they are discarded. The schedule continues their jobs. */
export const streamRetries = 4;
