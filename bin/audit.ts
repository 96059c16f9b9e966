import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createClient } from '../client/index.ts';
import { auditService } from '../lib/audit/audit-service.ts';
import { auditTable } from '../lib/audit/audit-table.ts';
import { type AuditCommand, auditOptions, help } from '../lib/audit/options.ts';
import { isClean, type Report, reportLines } from '../lib/audit/report.ts';
import { CommandFailure, runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { requireService } from '../lib/cli/require-service.ts';
import { isAws, setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** Milliseconds between two comparisons: writes in progress must have ended. */
const awsPauseMs = 3_000;
const localPauseMs = 100;

async function audit(command: AuditCommand): Promise<Report> {
  if ('url' in command) {
    await requireService(createClient(command), command.url);
    let count = 0;
    const onItems = (more: number): void => {
      count += more;
    };
    const report = await auditService({ ...command, onItems });
    console.log(`Read ${count} entities from the pages of the lists.`);
    return report;
  }
  const { table, endpoint, region, repair } = command;
  if (endpoint) setEngineEnvironment(endpoint);
  const client = new DynamoDBClient({ maxAttempts: 10, ...(region && { region }) });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  const total = Table?.ItemCount ?? 0;
  const progress = process.stdout.isTTY ? progressBar(total, process.stdout) : progressLines(console.log);
  progress.begin('items read', total);
  const report = await auditTable(DynamoDBDocumentClient.from(client), table, {
    repair,
    onItems: (count) => progress.step(count),
    pauseMs: endpoint && !isAws(endpoint) ? localPauseMs : awsPauseMs,
  });
  progress.end();
  return report;
}

await runCommand('npm run audit', async () => {
  const command = auditOptions(process.argv.slice(2));
  if (command === 'help') {
    console.log(help);
    return 0;
  }
  const report = await audit(command).catch((cause: Error) => {
    throw new CommandFailure(cause.message, { cause });
  });
  for (const line of reportLines(report)) console.log(line);
  return isClean(report) || report.repaired > 0 ? 0 : 1;
});
