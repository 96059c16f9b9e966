import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Service } from '#lib/local/service.ts';
import { spawnStart, untilItListens } from '../cli/started-service.ts';

/** A cloud assembly to run, in a process of its own. */
export interface Synthesized {
  readonly assembly: string;
  /** Path of the Node.js executable. */
  readonly node: string;
  /** Folder for the permission reports. */
  readonly reports: string;
}

/** Returns the environment variables that tell a test run to use the assembly. */
export const toEnvironment = ({ assembly, node, reports }: Synthesized): Record<string, string> => ({
  SYNTHESIZED: assembly,
  SYNTHESIZED_NODE: node,
  SYNTHESIZED_REPORTS: reports,
});

export const fromEnvironment = (): Synthesized | undefined => {
  const { SYNTHESIZED, SYNTHESIZED_NODE, SYNTHESIZED_REPORTS } = process.env;
  return SYNTHESIZED
    ? { assembly: SYNTHESIZED, node: SYNTHESIZED_NODE ?? '', reports: SYNTHESIZED_REPORTS ?? '' }
    : undefined;
};

/** Runs `npm run start:synthesized` on an empty database. It writes its report when it stops. */
export async function startSynthesized(
  { assembly, node, reports }: Synthesized,
  { flags = [], environment = {} }: { flags?: readonly string[]; environment?: Record<string, string> } = {},
): Promise<Service> {
  const report = join(reports, `${randomUUID()}.json`);
  const given = ['--assembly', assembly, '--permission-report', report, '--any-node', ...flags];
  const started = spawnStart({ PORT: '0', DATABASE_FILE: ':memory:', ...environment }, given, {
    command: 'start-synthesized',
    node,
  });
  const url = await untilItListens(started);
  return {
    url,
    engine: '',
    endpoint: '',
    tableName: '',
    failed: started.ended().then(() => new Error(started.output())),
    stop: async () => {
      started.process.kill('SIGTERM');
      if ((await started.ended()) !== 0) throw new Error(started.output());
    },
  };
}
