import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '#functions/routes.ts';
import { ratePrefix } from '#functions/store/model/published-units.ts';
import type { PermissionReport } from '#lib/cloud-assembly/iam-proxy.ts';
import { type Configuration, readConfiguration } from './configuration.ts';

/** Returns the permissions in the reports of all services of the run, by function. */
function readReports({ environment }: Configuration) {
  const folder = environment['SYNTHESIZED_REPORTS'] ?? '';
  const all = new Map<string, { used: Set<string>; unused: Set<string>; refused: Set<string> }>();
  for (const file of readdirSync(folder)) {
    const reports = JSON.parse(readFileSync(join(folder, file), 'utf8')) as PermissionReport[];
    for (const { function: name, used, unused, refused } of reports) {
      const known = all.get(name) ?? { used: new Set(), unused: new Set(), refused: new Set() };
      all.set(name, known);
      for (const permission of used) known.used.add(permission);
      for (const permission of unused) known.unused.add(permission);
      for (const permission of refused) known.refused.add(permission);
    }
  }
  return all;
}

/** Whether the run consisted of all contract tests: a part of them does not use every permission. */
const isWholeRun = ({
  nonFlagArgs = [],
  testPathPatterns,
}: {
  nonFlagArgs?: string[];
  testPathPatterns?: { patterns?: string[] };
}) => nonFlagArgs.length === 0 && (testPathPatterns?.patterns ?? []).length === 0;

/**
 * Returns whether a permission is for something that does not happen in a run: compaction reads columns when a log is compacted for the
 * second time, deletes replaced ones an hour later, and compares logs with their entities a day later. The stream takes the first steps of jobs, and
 * the schedule the second pass a minute later. Unit tests and the simulation do all of it.
 */
const isUsedLater = (name: string, permission: string): boolean =>
  (name.startsWith('onLogRecords') &&
    /^dynamodb:(BatchGetItem|DeleteItem|GetItem|PutItem) /.test(permission)) ||
  (name.startsWith('onSchedule') && /^dynamodb:(UpdateItem|DeleteItem) /.test(permission)) ||
  (/^on(LogRecords|Schedule|Stream)/.test(name) && /\/index\/by-(creation|status)$/.test(permission));

/** Returns whether Lambda itself uses a permission, for what it gives up. */
const isOfLambda = (permission: string): boolean => /^sqs:SendMessage .*:DeadLetters/.test(permission);

/**
 * Returns whether a permission is for the rate limit. A function whose requests use little does not publish it, so the run need not use the
 * permission of each function, but that of one.
 */
const isOfRateLimit = (permission: string): boolean => permission.endsWith(`(${ratePrefix}*)`);

/**
 * Compares the permissions of the roles with the calls of the functions during the whole run.
 * @throws Error that lists calls without permission and permissions that no call used.
 */
export default async function tearDown(globalConfig: Parameters<typeof isWholeRun>[0]): Promise<void> {
  await (globalThis as { stopSynthesizedIssuer?: () => Promise<void> }).stopSynthesizedIssuer?.();
  const configuration = readConfiguration();
  const reports = readReports(configuration);
  rmSync(configuration.folder, { recursive: true, force: true });
  const refused = [...reports].flatMap(([name, one]) => [...one.refused].map((call) => `${name}: ${call}`));
  const unused = [...reports].flatMap(([name, one]) =>
    [...one.unused]
      .filter(
        (permission) =>
          !one.used.has(permission) &&
          !isUsedLater(name, permission) &&
          !isOfLambda(permission) &&
          !isOfRateLimit(permission),
      )
      .map((permission) => `${name}: ${permission}`),
  );
  if (refused.length > 0) throw new Error(`Calls without permission:\n${refused.join('\n')}`);
  if (!isWholeRun(globalConfig)) return;
  if (reports.size <= routes.length) throw new Error(`Only ${reports.size} functions were called.`);
  if (unused.length > 0) throw new Error(`Permissions that no call used:\n${unused.join('\n')}`);
  if (![...reports.values()].some(({ used }) => [...used].some(isOfRateLimit))) {
    throw new Error('No function published the units of a tenant.');
  }
  process.stderr.write(
    `${reports.size} functions: no call without permission, no permission without call.\n`,
  );
}
