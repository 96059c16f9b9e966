import { readFileSync } from 'node:fs';
import { settingNames } from '#lib/infrastructure/settings.ts';

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };

/** The context of `cdk.json` without settings. Those who deploy write theirs to the file, and the tests stay the same. */
export const defaultContext: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(context).filter(([key]) => !(settingNames as string[]).includes(key)),
);
