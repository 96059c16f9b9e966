import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SdkDynamoDb } from '../functions/engine/table/client.ts';
import { CommandFailure, runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { prices } from '../lib/costs/prices.ts';
import { eraseEntity } from '../lib/erase/erase-entity.ts';
import { type Erased, eraseTenant } from '../lib/erase/erase-tenant.ts';
import { type EraseCommand, eraseOptions, help } from '../lib/erase/options.ts';
import { isAws, setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** Milliseconds between two passes: requests in progress, of 10 seconds at most, have ended by then. */
const awsPauseMs = 30_000;
const localPauseMs = 100;

/** A consistent read of 4 KB is a unit. */
const unitBytes = 4_096;

const list = (erased: Erased): string =>
  Object.entries(erased)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

async function eraseAll(client: DynamoDBClient, command: EraseCommand): Promise<void> {
  const { table, tenant, endpoint, unitsPerSecond } = command;
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  // DynamoDB measures a table every six hours or so.
  const units = Math.max(1, Math.ceil((Table?.TableSizeBytes ?? 0) / unitBytes));
  const dollars = (units * prices.readUnits) / 1_000_000;
  console.log(
    `A pass reads the whole table: about ${units} read units, $${dollars.toFixed(4)}, ${Math.ceil(units / unitsPerSecond)} s. There are two passes or more. Then comes what the deletions cost.`,
  );
  const progress = process.stdout.isTTY ? progressBar(process.stdout) : progressLines(console.log);
  progress.begin('items read in pass 1', Table?.ItemCount ?? 0);
  await eraseTenant(new SdkDynamoDb(client), table, tenant, {
    unitsPerSecond,
    pauseMs: endpoint && !isAws(endpoint) ? localPauseMs : awsPauseMs,
    onItems: (count) => progress.step(count),
    onPass: (pass, erased) => {
      progress.end();
      const isLast = Object.keys(erased).length === 0;
      console.log(`Pass ${pass}: ${isLast ? 'found nothing' : `erased ${list(erased)}`}.`);
      if (!isLast) progress.begin(`items read in pass ${pass + 1}`, Table?.ItemCount ?? 0);
    },
  });
}

async function erase(command: EraseCommand): Promise<number> {
  const { table, tenant, entity, endpoint, region } = command;
  if (endpoint) setEngineEnvironment(endpoint);
  const client = new DynamoDBClient({ maxAttempts: 10, ...(region && { region }) });
  try {
    if (!entity) {
      await eraseAll(client, command);
      console.log('The table has no item of this tenant any more.');
      return 0;
    }
    const count = await eraseEntity(new SdkDynamoDb(client), table, { tenant, ...entity });
    console.log(`Erased ${count} ${count === 1 ? 'entity' : 'entities'}.`);
    return 0;
  } finally {
    client.destroy();
  }
}

await runCommand('npm run erase', async () => {
  const command = eraseOptions(process.argv.slice(2));
  if (command === 'help') {
    console.log(help);
    return 0;
  }
  return erase(command).catch((cause: Error) => {
    throw cause instanceof CommandFailure ? cause : new CommandFailure(cause.message, { cause });
  });
});
