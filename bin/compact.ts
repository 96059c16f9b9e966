import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { rebuildLogs } from '../lib/audit/change-logs.ts';
import { compactOptions, help } from '../lib/audit/compact-options.ts';
import { CommandFailure, runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { setEngineEnvironment } from '../lib/local/engine-environment.ts';

await runCommand('npm run compact', async () => {
  const command = compactOptions(process.argv.slice(2));
  if (command === 'help') {
    console.log(help);
    return 0;
  }
  const { table, endpoint, region } = command;
  if (endpoint) setEngineEnvironment(endpoint);
  const client = new DynamoDBClient({ maxAttempts: 10, ...(region && { region }) });
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
    const total = Table?.ItemCount ?? 0;
    const progress = process.stdout.isTTY ? progressBar(total, process.stdout) : progressLines(console.log);
    progress.begin('items read', total);
    const document = DynamoDBDocumentClient.from(client, {
      marshallOptions: { removeUndefinedValues: true },
    });
    const { logs, rows } = await rebuildLogs(document, table, { onItems: (count) => progress.step(count) });
    progress.end();
    console.log(`Wrote the columns of ${rows} entities in ${logs} logs.`);
    return 0;
  } catch (cause) {
    throw new CommandFailure((cause as Error).message, { cause });
  }
});
