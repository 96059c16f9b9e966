import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { connect } from '../functions/engine/table/client.ts';
import { auditTable } from '../lib/audit/audit-table.ts';
import { type RebuildResult, rebuildLogs } from '../lib/audit/change-logs.ts';
import { type AuditCommand, auditOptions, help } from '../lib/audit/options.ts';
import { isClean, isRepaired, reportLines } from '../lib/audit/report.ts';
import { CommandFailure, runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { isAws, setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** Milliseconds between two comparisons: writes in progress must have ended. */
const awsPauseMs = 3_000;
const localPauseMs = 100;

/** Milliseconds for a page of a scan: several are in progress at the same time. */
const requestTimeout = 30_000;

function reportRebuild({ logs, rows, blocked }: RebuildResult): number {
  for (const [log, reason] of blocked) console.log(`Log: ${log} was not rebuilt. ${reason}`);
  console.log(`Wrote the columns of ${rows} entities in ${logs} logs.`);
  return blocked.size === 0 ? 0 : 1;
}

async function audit(command: AuditCommand): Promise<number> {
  const { table, endpoint, region, repair, rebuild, only, segments } = command;
  if (endpoint) setEngineEnvironment(endpoint);
  const client = connect({ maxAttempts: 10, requestHandler: { requestTimeout }, ...(region && { region }) });
  const { Table } = await client.documents.send(new DescribeTableCommand({ TableName: table }));
  const total = Table?.ItemCount ?? 0;
  const progress = process.stdout.isTTY ? progressBar(process.stdout) : progressLines(console.log);
  // An audit scans the table twice.
  progress.begin('items read', rebuild ? total : 2 * total);
  const onItems = (count: number): void => progress.step(count);
  if (rebuild) {
    const result = await rebuildLogs(client, table, { onItems, segments, only });
    progress.end();
    return reportRebuild(result);
  }
  const pauseMs = endpoint && !isAws(endpoint) ? localPauseMs : awsPauseMs;
  const report = await auditTable(client, table, { repair, onItems, segments, pauseMs });
  progress.end();
  for (const line of reportLines(report)) console.log(line);
  return isClean(report) || isRepaired(report) ? 0 : 1;
}

await runCommand('npm run audit', async () => {
  const command = auditOptions(process.argv.slice(2));
  if (command === 'help') {
    console.log(help);
    return 0;
  }
  return audit(command).catch((cause: Error) => {
    throw new CommandFailure(cause.message, { cause });
  });
});
