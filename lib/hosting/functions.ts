/** What whoever hosts the functions must know of them, in the cloud and here. */

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { routes } from '../../functions/routes.ts';
import { maxRequestMs } from '../../functions/shared/store/dynamodb/deadline.ts';

/** The handlers' files that no route names, relative to `functions/`. */
export const fallbackFile = 'fallback/answer-unmatched.ts';
export const streamFile = 'jobs/on-stream.ts';
export const scheduleFile = 'jobs/on-schedule.ts';
export const tenantClaimFile = 'authentication/claim-tenant.ts';

/** All that ship. */
export const functionFiles: readonly string[] = [
  ...routes.map(({ file }) => file),
  fallbackFile,
  streamFile,
  scheduleFile,
  tenantClaimFile,
];

const resolver = createRequire(import.meta.url);
const ours = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Where the files are that ship beside the functions whose contracts name them. */
export const files: Readonly<Record<string, string>> = {
  'openapi.json': ours('openapi.json'),
  'icon.svg': ours('functions/documentation/pages/icon.svg'),
  'reference.js': ours('functions/documentation/pages/reference.js'),
  'style.css': ours('functions/documentation/pages/style.css'),
  'swagger-ui-bundle.js': resolver.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'swagger-ui.css': resolver.resolve('swagger-ui-dist/swagger-ui.css'),
};

/** Milliseconds that a function behind the gateway may take: less than the 30 s after which the gateway gives up. */
export const requestTimeout = 10_000;

/** Milliseconds that a step of a job may take. */
export const jobTimeout = maxRequestMs;

/** How often records of the stream are delivered again before they are set aside; the schedule comes back to their jobs. */
export const streamRetries = 4;
