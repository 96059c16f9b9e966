import { readFileSync } from 'node:fs';

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };

const { stages: _, ...others } = context;

/** The context of `cdk.json` without settings. Those who deploy write theirs to the file, and the tests stay the same. */
export const defaultContext: Readonly<Record<string, unknown>> = others;
