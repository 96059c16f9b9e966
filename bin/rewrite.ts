import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Command } from '@commander-js/extra-typings';
// Configures the engine.
import '../functions/schema.ts';
import { formats, type StoredItem } from '../functions/engine/model/stored-format.ts';
import { SdkDynamoDb } from '../functions/engine/table/client.ts';
import { asFailure } from '../lib/command-line/command-line.ts';
import { progressOn } from '../lib/command-line/progress.ts';
import {
  endpointOption,
  stageOption,
  tableOf,
  tableOption,
  unitsOption,
} from '../lib/command-line/table-options.ts';
import { UnitPace } from '../lib/hosting/unit-pace.ts';
import { setEngineEnvironment } from '../lib/local/engine-environment.ts';
import { rewriteTable } from '../lib/rewrite/rewrite-table.ts';

async function rewrite(client: DynamoDBClient, table: string, unitsPerSecond: number): Promise<void> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
    const progress = progressOn(process.stdout);
    progress.begin('items read', Table?.ItemCount ?? 0);
    const onItems = (count: number): void => progress.step(count);
    const scanned = { client: new SdkDynamoDb(client), tableName: table, onItems };
    const { written, lowest } = await rewriteTable(scanned, new UnitPace(unitsPerSecond));
    console.log(`Items that were written again: ${written}.`);
    const left = Object.entries(lowest).filter(
      ([kind, format]) => format < formats[kind as StoredItem].writes,
    );
    for (const [kind, format] of left)
      console.log(`An earlier format is left: ${format} of the stored item "${kind}".`);
    if (left.length > 0) console.log('See docs/operations.md#write-all-items-again.');
  } finally {
    client.destroy();
  }
}

export const command = new Command('rewrite')
  .description(
    'Writes each entity, long text and unique value again that is not as this release writes it, in its format and with its index keys, and records which formats are left. Callers notice nothing, and the service may be used meanwhile. The command can be interrupted, and repeated.',
  )
  .addOption(tableOption())
  .addOption(stageOption())
  .addOption(unitsOption())
  .addOption(endpointOption())
  .action(async ({ unitsPerSecond, dynamodbEndpoint: endpoint, ...options }) => {
    const { name, region } = await tableOf({ ...options, dynamodbEndpoint: endpoint });
    if (endpoint) setEngineEnvironment(endpoint);
    const client = new DynamoDBClient({ maxAttempts: 10, ...(region && { region }) });
    await asFailure(rewrite(client, name, unitsPerSecond));
  });
