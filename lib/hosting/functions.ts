import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  readDocumentationFile,
  readLlmsText,
  showGuide,
  showProblems,
  showReference,
  showStart,
} from '../../functions/documentation/contract.ts';
import { maxRequestMs } from '../../functions/engine/table/deadline.ts';
import { notFoundFile } from '../../functions/http/static-page.ts';
import { type Route, routes } from '../../functions/routes.ts';

export const fallbackFile = 'fallback/reject-unmatched.ts';
export const streamFile = 'jobs/on-stream.ts';
export const logRecordsFile = 'jobs/on-log-records.ts';
export const logRecordsWithBusFile = 'jobs/on-log-records-with-bus.ts';
export const scheduleFile = 'jobs/on-schedule.ts';
export const tenantClaimFile = 'authentication/claim-tenant.ts';

export const functionFiles: readonly string[] = [
  ...routes.map(({ file }) => file),
  fallbackFile,
  streamFile,
  logRecordsFile,
  logRecordsWithBusFile,
  scheduleFile,
  tenantClaimFile,
];

const projectFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const pagesFolder = projectFile('dist/pages');

const pageFiles = [
  showStart,
  showReference,
  showProblems,
  showGuide,
  readDocumentationFile,
  readLlmsText,
].flatMap((contract): readonly string[] => contract.files);

export const files: Readonly<Record<string, string>> = {
  'openapi.json': projectFile('openapi.json'),
  [notFoundFile]: join(pagesFolder, notFoundFile),
  ...Object.fromEntries(pageFiles.map((name) => [name, join(pagesFolder, name)])),
};

/** Returns the names of the files that ship beside a function: those of its contract, and the page for names that it does not know. */
export const filesBeside = ({ contract }: Route): readonly string[] => [
  ...(contract.files ?? []),
  ...(contract.path.includes('{file}') ? [notFoundFile] : []),
];

/** Timeout of a function behind the gateway. API Gateway's own timeout is 30 s. */
export const requestTimeoutMs = 10_000;

export const jobTimeoutMs = maxRequestMs;

/** Highest limit of a tenant, in capacity units per second. */
export const maxTenantRate = 100_000;

/**
 * Capacity units per second that the requests of a tenant may use by default: an eighth of the 40,000 that DynamoDB gives a table by default,
 * and as much as the 1,000 creates a second in batches use that the partition of a kind accepts.
 */
export const defaultTenantRate = 5_000;

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
