import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { Command, Option } from '@commander-js/extra-typings';
import { connect } from '../functions/engine/table/client.ts';
import { auditTable } from '../lib/audit/audit-table.ts';
import { rebuildLogs } from '../lib/audit/change-logs.ts';
import { isClean, isRepaired, reportLines } from '../lib/audit/report.ts';
import { asFailure, wholeNumber } from '../lib/cli/command-line.ts';
import { progressOn } from '../lib/cli/progress.ts';
import { endpointOption, stageOption, tableOf, tableOption } from '../lib/cli/table-options.ts';
import { defaultSegments } from '../lib/hosting/scan-table.ts';
import { isAws, setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** Milliseconds between two comparisons: writes in progress must have ended. */
const awsPauseMs = 3_000;
const localPauseMs = 100;

/** Milliseconds for a page of a scan: several are in progress at the same time. */
const requestTimeout = 30_000;

interface Audit {
  readonly table: string;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly repair: boolean;
  readonly rebuild: boolean;
  readonly segments: number;
}

/** Returns whether nothing is wrong, or everything was repaired. */
async function audit({ table, endpoint, region, repair, rebuild, segments }: Audit): Promise<boolean> {
  if (endpoint) setEngineEnvironment(endpoint);
  const client = connect({ maxAttempts: 10, requestHandler: { requestTimeout }, ...(region && { region }) });
  const { Table } = await client.documents.send(new DescribeTableCommand({ TableName: table }));
  const total = Table?.ItemCount ?? 0;
  const progress = progressOn(process.stdout);
  // An audit scans the table twice.
  progress.begin('items read', rebuild ? total : 2 * total);
  const onItems = (count: number): void => progress.step(count);
  if (rebuild) {
    const { logs, rows, blocked } = await rebuildLogs(client, table, { onItems, segments });
    progress.end();
    for (const [log, reason] of blocked) console.log(`Log: ${log} was not rebuilt. ${reason}`);
    console.log(`Wrote the columns of ${rows} entities in ${logs} logs.`);
    return blocked.size === 0;
  }
  const pauseMs = endpoint && !isAws(endpoint) ? localPauseMs : awsPauseMs;
  const report = await auditTable(client, table, { repair, onItems, segments, pauseMs });
  progress.end();
  for (const line of reportLines(report)) console.log(line);
  return isClean(report) || isRepaired(report);
}

export const command = new Command('audit')
  .description(
    'Compares every row, total, reference, key, long description and subject of a table with the actual data. The service may be used meanwhile. The credentials need read access; --repair and --rebuild need write access. Exit codes: 0 when nothing is wrong or the repair is complete, 1 when something is wrong, 2 for wrong arguments.',
  )
  .addOption(tableOption())
  .addOption(stageOption())
  .option('--repair', 'repairs what is wrong, except keys')
  .addOption(
    new Option(
      '--rebuild',
      'compares nothing, and writes all columns of the list engine again, from the entities. Useful after a field was added',
    ).conflicts('repair'),
  )
  .option(
    '--segments <number>',
    'segments of the table that are read at the same time',
    wholeNumber(1, 100),
    defaultSegments,
  )
  .addOption(endpointOption())
  .action(async ({ repair = false, rebuild = false, segments, dynamodbEndpoint: endpoint, ...options }) => {
    const { name: table, region } = tableOf(options);
    const isRight = await asFailure(audit({ table, region, endpoint, repair, rebuild, segments }));
    process.exitCode = isRight ? 0 : 1;
  });
