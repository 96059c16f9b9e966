import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { recordPrefix, timeAttribute } from '../functions/engine/model/change-log.ts';
import type { Item } from '../functions/engine/model/writes.ts';
import { SdkDynamoDb } from '../functions/engine/table/client.ts';
import { Deadline } from '../functions/engine/table/deadline.ts';
import { connectToBus, sendTo } from '../functions/jobs/event-bus.ts';
import { publishItems } from '../functions/jobs/publish-records.ts';
import { asFailure, CommandFailure } from '../lib/command-line/command-line.ts';
import { readOutputs, requiredOutput } from '../lib/command-line/outputs.ts';
import { progressOn } from '../lib/command-line/progress.ts';
import { endpointOption, stageOption, tableOption } from '../lib/command-line/table-options.ts';
import { scanTable } from '../lib/hosting/scan-table.ts';
import { setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** Milliseconds that the bus has for the events of one page of the table. */
const pageMs = 60_000;

interface Republishing {
  readonly table: string;
  readonly bus: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

function parseTime(text: string): number {
  const timeMs = Date.parse(text);
  if (!Number.isNaN(timeMs) && /^\d{4}-\d\d-\d\dT/.test(text)) return timeMs;
  throw new InvalidArgumentError('It must be a time, for example 2026-01-31T12:00:00Z.');
}

async function republish({ table, bus, fromMs, toMs, endpoint, region }: Republishing): Promise<void> {
  if (endpoint) setEngineEnvironment(endpoint);
  const settings = region ? { region } : {};
  const client = new DynamoDBClient({ maxAttempts: 10, ...settings });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  const busClient = connectToBus(settings);
  const progress = progressOn(process.stdout);
  progress.begin('items read', Table?.ItemCount ?? 0);
  let [published, failed] = [0, 0];
  let reason: unknown;
  const publish = async (items: readonly Item[]): Promise<void> => {
    const unpublished = await publishItems(items, (events) =>
      sendTo(bus, { deadline: new Deadline(pageMs), client: busClient })(events),
    );
    failed += unpublished?.elements.size ?? 0;
    published += items.length - (unpublished?.elements.size ?? 0);
    reason ??= unpublished?.error;
  };
  const onItems = (count: number): void => progress.step(count);
  // The logs of all tenants have no index.
  await scanTable({ client: new SdkDynamoDb(client), tableName: table, onItems }, publish, {
    FilterExpression: 'begins_with(sk, :record) AND #time BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#time': timeAttribute },
    ExpressionAttributeValues: { ':record': recordPrefix, ':from': fromMs, ':to': toMs },
  });
  console.log(`Published the events of ${published} records.`);
  if (failed === 0) return;
  const message = `${failed} records were not published: ${(reason as Error).message} Run the command again.`;
  throw new CommandFailure(message, { cause: reason });
}

export const command = new Command('republish')
  .description(
    'Publishes the events of all changes of a period again, with the ids that they had, from the records of the change logs. It reads the whole table. Exit codes: 0 when all events were published, 1 when some were not, 2 for wrong arguments.',
  )
  .addOption(stageOption().conflicts(['table', 'bus']))
  .addOption(tableOption())
  .option('--bus <name>', 'publishes on this event bus')
  .requiredOption('--from <time>', 'time of the first changes, for example 2026-01-31T12:00:00Z', parseTime)
  .requiredOption('--to <time>', 'time of the last changes', parseTime)
  .addOption(endpointOption())
  .action(async ({ stage, table, bus, from: fromMs, to: toMs, dynamodbEndpoint: endpoint }) => {
    if (stage === undefined && (table === undefined || bus === undefined))
      throw new InvalidArgumentError(
        'Choose the table and the bus: either with --stage, or with --table and --bus.',
      );
    if (toMs < fromMs) throw new InvalidArgumentError('--to must not be before --from.');
    const outputs = stage === undefined ? {} : readOutputs(stage);
    const place = {
      table: table ?? requiredOutput(outputs, 'TableName'),
      bus: bus ?? requiredOutput(outputs, 'EventBusName', 'eventBus'),
      region: outputs['Region'],
    };
    await asFailure(republish({ ...place, fromMs, toMs, endpoint }));
  });
