import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Service } from '../../lib/local/service.ts';
import { spawnStart, untilItListens } from '../cli/started-service.ts';

/** What a test needs to run what was synthesized, in a process of its own. */
export interface Synthesized {
  readonly assembly: string;
  /** The program of Node.js that it runs on. */
  readonly node: string;
  /** The folder for the reports on what functions did with their permissions. */
  readonly reports: string;
}

/** The variables by which a test run is told. */
export const toEnvironment = ({ assembly, node, reports }: Synthesized): Record<string, string> => ({
  SYNTHESIZED: assembly,
  SYNTHESIZED_NODE: node,
  SYNTHESIZED_REPORTS: reports,
});

/** What the test run is told, if anything. */
export const fromEnvironment = (): Synthesized | undefined => {
  const { SYNTHESIZED, SYNTHESIZED_NODE, SYNTHESIZED_REPORTS } = process.env;
  return SYNTHESIZED
    ? { assembly: SYNTHESIZED, node: SYNTHESIZED_NODE ?? '', reports: SYNTHESIZED_REPORTS ?? '' }
    : undefined;
};

/** Runs `npm run start:synthesized` on an empty database; its report is there when it has stopped. */
export async function startSynthesized(
  { assembly, node, reports }: Synthesized,
  { flags = [], environment = {} }: { flags?: readonly string[]; environment?: Record<string, string> } = {},
): Promise<Service> {
  const report = join(reports, `${randomUUID()}.json`);
  const given = ['--assembly', assembly, '--usage-report', report, '--any-node', ...flags];
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
