import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { SdkDynamoDb } from '../functions/engine/table/client.ts';
import { Deadline } from '../functions/engine/table/deadline.ts';
import { connectToBus, sendTo } from '../functions/jobs/event-bus.ts';
import { connectToQueue } from '../functions/jobs/unpublished-queue.ts';
import { asFailure, CommandFailure, httpAddress } from '../lib/cli/command-line.ts';
import { readOutputs, requiredOutput } from '../lib/cli/outputs.ts';
import { progressOn } from '../lib/cli/progress.ts';
import { endpointOption, stageOption, tableOption } from '../lib/cli/table-options.ts';
import { type Republished, republishPeriods, republishQueue } from '../lib/events/republish.ts';
import type { Period } from '../lib/events/stored-records.ts';
import { UnpublishedMessages } from '../lib/events/unpublished-messages.ts';
import { setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** Milliseconds that the bus has for the events of one page of the table. */
const pageMs = 60_000;

interface RepublishCommand {
  readonly table: string;
  readonly bus: string;
  /** The address of a queue, or the period of the changes. */
  readonly source: string | Period;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

function parseTime(text: string): number {
  const timeMs = Date.parse(text);
  if (!Number.isNaN(timeMs) && /^\d{4}-\d\d-\d\dT/.test(text)) return timeMs;
  throw new InvalidArgumentError('It must be a time, for example 2026-01-31T12:00:00Z.');
}

async function republish({ source, table, bus, region }: RepublishCommand): Promise<Republished> {
  const settings = region ? { region } : {};
  const client = new DynamoDBClient({ maxAttempts: 10, ...settings });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  const busClient = connectToBus(settings);
  const progress = progressOn(process.stdout);
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

async function run(command: RepublishCommand): Promise<void> {
  if (command.endpoint) setEngineEnvironment(command.endpoint);
  const { published, failed, missing, error } = await republish(command);
  console.log(`Published the events of ${published} records.`);
  if (missing > 0) console.log(`${missing} records do not exist any more: they had expired, or were erased.`);
  if (failed === 0 && error === undefined) return;
  const what = failed > 0 ? `${failed} records were not published: ` : '';
  throw new CommandFailure(`${what}${(error as Error).message} Run the command again.`, { cause: error });
}

export const command = new Command('republish')
  .description(
    'Publishes the events of changes again, with the ids that they had, from the records of the change logs. It publishes what the queue of the deployment names, and deletes its messages, or all changes of a period, for which it reads the whole table. Exit codes: 0 when all events were published, 1 when some were not, 2 for wrong arguments.',
  )
  .addOption(stageOption().conflicts(['table', 'bus']))
  .addOption(tableOption())
  .option('--bus <name>', 'publishes on this event bus')
  .addOption(
    new Option('--queue <url>', 'publishes what the messages of this queue name')
      .conflicts(['from', 'to'])
      .argParser(httpAddress),
  )
  .option('--from <time>', 'time of the first changes, for example 2026-01-31T12:00:00Z', parseTime)
  .option('--to <time>', 'time of the last changes', parseTime)
  .addOption(endpointOption())
  .action(async ({ stage, table, bus, queue, from: fromMs, to: toMs, dynamodbEndpoint: endpoint }) => {
    if (stage === undefined && (table === undefined || bus === undefined))
      throw new InvalidArgumentError(
        'Choose the table and the bus: either with --stage, or with --table and --bus.',
      );
    const outputs = stage === undefined ? {} : readOutputs(stage);
    const isPeriod = fromMs !== undefined && toMs !== undefined;
    if (isPeriod && toMs < fromMs) throw new InvalidArgumentError('--to must not be before --from.');
    if (!isPeriod && (queue ?? stage) === undefined)
      throw new InvalidArgumentError('Choose --queue, or --from and --to.');
    const source = isPeriod
      ? { fromMs, toMs }
      : (queue ?? requiredOutput(outputs, 'UnpublishedEventsUrl', 'eventBus'));
    await asFailure(
      run({
        source,
        table: table ?? requiredOutput(outputs, 'TableName'),
        bus: bus ?? requiredOutput(outputs, 'EventBusName', 'eventBus'),
        region: outputs['Region'],
        endpoint,
      }),
    );
  });
