/** The one place that reads `process.env`; whatever hosts the functions sets these. */

import { join } from 'node:path';

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

export const environment = {
  /** Name of the DynamoDB table. */
  tableName: (): string => required('TABLE_NAME'),
  /** Methods by path template, for the answers to unknown paths and methods. */
  routes: (): Record<string, readonly string[]> =>
    JSON.parse(required('ROUTES')) as Record<string, readonly string[]>,
  /** Where a file is that ships with the functions: beside the code, unless whatever hosts them says otherwise. */
  file: (name: string): string => {
    const files = JSON.parse(process.env['FILES'] ?? '{}') as Record<string, string>;
    return files[name] ?? join(required('LAMBDA_TASK_ROOT'), name);
  },
  /** The claim that says whose data a token is for; none where no tokens are asked for. */
  tenantClaim: (): string | undefined => process.env['TENANT_CLAIM'] || undefined,
  /** What stands before a scope in the issuer's tokens: Cognito puts the API's name there. */
  scopePrefix: (): string => process.env['SCOPE_PREFIX'] ?? '',
  /** From which level on lines are logged; all of them unless something else is said. */
  logLevel: (): string | undefined => process.env['LOG_LEVEL'],
  /** Whether answers tell what the database was asked for, in `Server-Timing`. */
  serverTiming: (): boolean => process.env['SERVER_TIMING'] === 'true',
};
