/** `npm run audit`: holds what the service counts against what there is. */
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { auditService } from '../lib/audit/audit-service.ts';
import { auditTable } from '../lib/audit/audit-table.ts';
import { type AuditCommand, auditOptions, help } from '../lib/audit/options.ts';
import { isClean, type Report, reportLines } from '../lib/audit/report.ts';
import { runCommand } from '../lib/cli/command-line.ts';
import { type Progress, progressBar, progressLines } from '../lib/cli/progress.ts';
import { isAws, setEngineEnvironment } from '../lib/local/engine-environment.ts';

const progressOver = (amount: number, what: string): Progress => {
  const progress = process.stdout.isTTY ? progressBar(amount, process.stdout) : progressLines(console.log);
  progress.begin(what, amount);
  return progress;
};

async function audit(command: AuditCommand): Promise<Report> {
  if ('url' in command) {
    const { url, token } = command;
    const health = await fetch(`${url}/v1/health`).catch((cause: unknown) => {
      throw new Error(`No service answers at ${url}.`, { cause });
    });
    if (health.status !== 200) throw new Error(`The service at ${url} is not well: ${health.status}.`);
    let number = 0;
    const report = await auditService({
      url,
      token,
      onItems: (more) => {
        number += more;
      },
    });
    console.log(`Read ${number} entities off the lists' pages.`);
    return report;
  }
  const { table, endpoint, repair } = command;
  if (endpoint) setEngineEnvironment(endpoint);
  const client = new DynamoDBClient({ maxAttempts: 10 });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  const progress = progressOver(Table?.ItemCount ?? 0, 'items read');
  const onItems = (number: number): void => progress.step(number);
  // Indexes lag on AWS, and on no emulator.
  const pause = endpoint && !isAws(endpoint) ? 100 : 3_000;
  const report = await auditTable(DynamoDBDocumentClient.from(client), table, { repair, onItems, pause });
  progress.end();
  return report;
}

await runCommand('npm run audit', async () => {
  const command = auditOptions(process.argv.slice(2));
  if (command === 'help') {
    console.log(help);
    return 0;
  }
  try {
    const report = await audit(command);
    for (const line of reportLines(report)) console.log(line);
    return isClean(report) || report.repaired > 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
});
