import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { connectToBus, sendTo } from '../functions/jobs/event-bus.ts';
import { Deadline } from '../functions/store/dynamodb/deadline.ts';
import { CommandFailure, runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { help, type RepublishCommand, republishOptions } from '../lib/events/options.ts';
import { republish } from '../lib/events/republish.ts';
import { setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** Milliseconds that the bus has for the events of one page of the table. */
const pageMs = 60_000;

async function run(command: RepublishCommand): Promise<number> {
  const { endpoint, region, bus } = command;
  if (endpoint) setEngineEnvironment(endpoint);
  const settings = { maxAttempts: 10, ...(region && { region }) };
  const client = new DynamoDBClient(settings);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: command.table }));
  const busClient = connectToBus(region ? { region } : {});
  const progress = process.stdout.isTTY ? progressBar(process.stdout) : progressLines(console.log);
  progress.begin('items read', Table?.ItemCount ?? 0);
  const { records, failed, error } = await republish(
    DynamoDBDocumentClient.from(client),
    command,
    (events) => sendTo(bus, new Deadline(pageMs), busClient)(events),
    (count) => progress.step(count),
  );
  progress.end();
  console.log(`Published the events of ${records} records.`);
  if (failed === 0) return 0;
  throw new CommandFailure(
    `${failed} records were not published: ${(error as Error).message} Run the command again.`,
    { cause: error },
  );
}

await runCommand('npm run republish', async () => {
  const command = republishOptions(process.argv.slice(2));
  if (command === 'help') {
    console.log(help);
    return 0;
  }
  return run(command).catch((cause: Error) => {
    throw new CommandFailure(cause.message, { cause });
  });
});
