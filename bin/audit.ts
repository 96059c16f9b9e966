import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { Command, Option } from '@commander-js/extra-typings';
import { connect } from '../functions/engine/table/client.ts';
import { resources } from '../functions/schema.ts';
import { auditTable } from '../lib/audit/audit-table.ts';
import { type RebuildResult, rebuildLogs } from '../lib/audit/rebuild-logs.ts';
import { isClean, isRepaired, reportLines } from '../lib/audit/report.ts';
import { asFailure, wholeNumber } from '../lib/command-line/command-line.ts';
import { logsOf } from '../lib/command-line/named-logs.ts';
import { progressOn } from '../lib/command-line/progress.ts';
import { endpointOption, stageOption, tableOf, tableOption } from '../lib/command-line/table-options.ts';
import { tenantOption } from '../lib/command-line/tenant-option.ts';
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
  /** The partitions of the logs to rebuild. Default: all. */
  readonly only: ReadonlySet<string> | undefined;
  readonly segments: number;
}

function reportRebuild({ logs, rows, blocked }: RebuildResult): boolean {
  for (const [log, reason] of blocked) console.log(`Log: ${log} was not rebuilt. ${reason}`);
  console.log(`Wrote the columns of ${rows} entities in ${logs} logs.`);
  return blocked.size === 0;
}

/** Returns whether nothing is wrong, or everything was repaired. */
async function audit({ table, endpoint, region, repair, rebuild, only, segments }: Audit): Promise<boolean> {
  if (endpoint) setEngineEnvironment(endpoint);
  const client = connect({ maxAttempts: 10, requestHandler: { requestTimeout }, ...(region && { region }) });
  const { Table } = await client.documents.send(new DescribeTableCommand({ TableName: table }));
  const total = Table?.ItemCount ?? 0;
  const progress = progressOn(process.stdout);
  // An audit scans the table twice.
  progress.begin('items read', rebuild ? total : 2 * total);
  const onItems = (count: number): void => progress.step(count);
  if (rebuild) {
    return reportRebuild(await rebuildLogs(client, table, { onItems, segments, only }));
  }
  const pauseMs = endpoint && !isAws(endpoint) ? localPauseMs : awsPauseMs;
  const report = await auditTable(client, table, { repair, onItems, segments, pauseMs });
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
  .addOption(tenantOption('rebuilds only the logs of this tenant, as the claim of its tokens names it'))
  .option('--without-tokens', 'instead: those of a service that needs no tokens')
  .addOption(
    new Option('--kind <kind>', 'rebuilds only the log of this kind').choices(
      resources.map(({ kind }) => kind),
    ),
  )
  .option(
    '--segments <number>',
    'segments of the table that are read at the same time',
    wholeNumber(1, 100),
    defaultSegments,
  )
  .addOption(endpointOption())
  .action(async function run(options) {
    const { repair = false, rebuild = false, segments, dynamodbEndpoint: endpoint } = options;
    const only = logsOf(options);
    if (only && !rebuild) this.error('error: --tenant and --kind need --rebuild', { exitCode: 2 });
    const { name: table, region } = await tableOf(options);
    const isRight = await asFailure(audit({ table, region, endpoint, repair, rebuild, only, segments }));
    process.exitCode = isRight ? 0 : 1;
  });
