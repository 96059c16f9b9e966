import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SdkDynamoDb } from '../functions/engine/table/client.ts';
import { Deadline } from '../functions/engine/table/deadline.ts';
import { connectToBus, sendTo } from '../functions/jobs/event-bus.ts';
import { connectToQueue } from '../functions/jobs/unpublished-queue.ts';
import { CommandFailure, runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { help, type RepublishCommand, republishOptions } from '../lib/events/options.ts';
import { type Republished, republishPeriods, republishQueue } from '../lib/events/republish.ts';
import { UnpublishedMessages } from '../lib/events/unpublished-messages.ts';
import { setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** Milliseconds that the bus has for the events of one page of the table. */
const pageMs = 60_000;

async function republish({ source, table, bus, region }: RepublishCommand): Promise<Republished> {
  const settings = region ? { region } : {};
  const client = new DynamoDBClient({ maxAttempts: 10, ...settings });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  const busClient = connectToBus(settings);
  const progress = process.stdout.isTTY ? progressBar(process.stdout) : progressLines(console.log);
  let isReading = false;
  const place = {
    client: new SdkDynamoDb(client),
    table,
    send: (events) => sendTo(bus, { deadline: new Deadline(pageMs), client: busClient })(events),
    onItems: (count) => {
      if (!isReading) progress.begin('items read', Table?.ItemCount ?? 0);
      isReading = true;
      progress.step(count);
    },
  } satisfies Parameters<typeof republishQueue>[0];
  try {
    return typeof source === 'string'
      ? await republishQueue(place, new UnpublishedMessages(connectToQueue(settings), source))
      : await republishPeriods(place, [source]);
  } finally {
    progress.end();
  }
}

async function run(command: RepublishCommand): Promise<number> {
  if (command.endpoint) setEngineEnvironment(command.endpoint);
  const { published, failed, missing, error } = await republish(command);
  console.log(`Published the events of ${published} records.`);
  if (missing > 0) console.log(`${missing} records do not exist any more: they had expired, or were erased.`);
  if (failed === 0 && error === undefined) return 0;
  const what = failed > 0 ? `${failed} records were not published: ` : '';
  throw new CommandFailure(`${what}${(error as Error).message} Run the command again.`, { cause: error });
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
