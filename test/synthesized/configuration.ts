import { readFileSync, writeFileSync } from 'node:fs';

/** What the global set-up hands to the test files and to the global teardown. */
export interface Configuration {
  /** Folder for everything that the run writes. */
  readonly folder: string;
  /** The authentication of the synthesized stacks: `cognito`, `none` or an issuer. */
  readonly authentication: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The environment variable that names the file of the configuration. */
const variable = 'SYNTHESIZED_CONFIGURATION';

export function writeConfiguration(file: string, configuration: Configuration): void {
  writeFileSync(file, JSON.stringify(configuration));
  process.env[variable] = file;
}

/** @throws Error when the global set-up did not run. */
export function readConfiguration(): Configuration {
  const file = process.env[variable];
  if (!file) throw new Error('Run these tests with: npm run test:all -- --only synthesized');
  return JSON.parse(readFileSync(file, 'utf8')) as Configuration;
}
