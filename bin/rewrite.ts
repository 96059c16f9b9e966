import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Command } from '@commander-js/extra-typings';
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

interface Rewriting {
  readonly table: string;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly unitsPerSecond: number;
}

async function rewrite({ table, region, endpoint, unitsPerSecond }: Rewriting): Promise<void> {
  if (endpoint) setEngineEnvironment(endpoint);
  const client = new DynamoDBClient({ maxAttempts: 10, ...(region && { region }) });
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
    for (const [kind, format] of left) console.log(`Left of the stored item "${kind}": format ${format}.`);
    if (left.length > 0)
      console.log(
        'Columns are written by "npx pm-api audit --rebuild", and the rest expires. Repeat the command then.',
      );
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
    const { name: table, region } = tableOf(options);
    await asFailure(rewrite({ table, region, endpoint, unitsPerSecond }));
  });
