import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { isId } from '../functions/engine/model/ids.ts';
import { SdkDynamoDb } from '../functions/engine/table/client.ts';
import { publicTenant } from '../functions/http/caller.ts';
import { resources } from '../functions/schema.ts';
import { asFailure } from '../lib/command-line/command-line.ts';
import { progressOn } from '../lib/command-line/progress.ts';
import {
  endpointOption,
  stageOption,
  tableOf,
  tableOption,
  unitsOption,
} from '../lib/command-line/table-options.ts';
import { tenantOption } from '../lib/command-line/tenant-option.ts';
import { prices } from '../lib/costs/prices.ts';
import { eraseEntity } from '../lib/erase/erase-entity.ts';
import { type Erased, eraseTenant } from '../lib/erase/erase-tenant.ts';
import { isAws, setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** Milliseconds between two passes: requests in progress, of 10 seconds at most, have ended by then. */
const awsPauseMs = 30_000;
const localPauseMs = 100;

/** A consistent read of 4 KB is a unit. */
const unitBytes = 4_096;

interface Erasure {
  readonly table: string;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  /** The tenant as keys begin with it. */
  readonly tenant: string;
  /** The deleted entity to erase. Without it, all of the tenant is erased. */
  readonly entity: ReturnType<typeof parseEntity> | undefined;
  readonly unitsPerSecond: number;
}

function parseEntity(text: string) {
  const [collection = '', id = ''] = text.split('/');
  const kind = resources.find(({ plural }) => plural === collection)?.kind;
  if (kind && isId(id)) return { kind, id };
  throw new InvalidArgumentError('It must be a collection and an id, for example tasks/<id>.');
}

const list = (erased: Erased): string =>
  Object.entries(erased)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

async function eraseAll(client: DynamoDBClient, command: Erasure): Promise<void> {
  const { table, tenant, endpoint, unitsPerSecond } = command;
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  // DynamoDB measures a table every six hours or so.
  const units = Math.max(1, Math.ceil((Table?.TableSizeBytes ?? 0) / unitBytes));
  const dollars = (units * prices.readUnits) / 1_000_000;
  console.log(
    `A pass reads the whole table: about ${units} read units, $${dollars.toFixed(4)}, ${Math.ceil(units / unitsPerSecond)} s. There are two passes or more. Then comes what the deletions cost.`,
  );
  const progress = progressOn(process.stdout);
  progress.begin('items read in pass 1', Table?.ItemCount ?? 0);
  await eraseTenant(new SdkDynamoDb(client), table, tenant, {
    unitsPerSecond,
    pauseMs: endpoint && !isAws(endpoint) ? localPauseMs : awsPauseMs,
    onItems: (count) => progress.step(count),
    onPass: (pass, erased) => {
      const isLast = Object.keys(erased).length === 0;
      console.log(`Pass ${pass}: ${isLast ? 'found nothing' : `erased ${list(erased)}`}.`);
      if (isLast && pass === 1)
        console.log('If the tenant is not erased already, check its name: capital letters and spaces count.');
      if (!isLast) progress.begin(`items read in pass ${pass + 1}`, Table?.ItemCount ?? 0);
    },
  });
}

async function erase(command: Erasure): Promise<void> {
  const { table, tenant, entity, endpoint, region } = command;
  if (endpoint) setEngineEnvironment(endpoint);
  const client = new DynamoDBClient({ maxAttempts: 10, ...(region && { region }) });
  try {
    if (!entity) {
      await eraseAll(client, command);
      console.log(
        'Of this tenant, the table has only the names of its logs, which have the tenant and a kind, and for each the number of positions that it has used, and the last number of an entity.',
      );
      return;
    }
    const { count, isComplete } = await eraseEntity(new SdkDynamoDb(client), table, { tenant, ...entity });
    console.log(`Erased ${count} ${count === 1 ? 'entity' : 'entities'}.`);
    if (!isComplete)
      console.log(
        'The deletion is still in progress. Repeat the command in a few minutes: it then erases from columns what the deletion removes until then.',
      );
  } finally {
    client.destroy();
  }
}

export const command = new Command('erase')
  .description(
    'Erases all data of a tenant, or a deleted entity before its 30 days are over. Nothing brings it back but a backup: docs/data.md#erase-a-tenant says what stays in backups and logs. The command can be interrupted, and repeated.',
  )
  .addOption(tableOption())
  .addOption(stageOption())
  .addOption(tenantOption('the tenant, as the claim of its tokens names it'))
  .option('--without-tokens', 'instead: the data of a service that needs no tokens')
  .option(
    '--access-revoked',
    'says that no token of the tenant is valid any more. Required: its requests would write again what is erased',
  )
  .option(
    '--entity <collection/id>',
    'erases only this entity, which was deleted through the API before',
    parseEntity,
  )
  .addOption(unitsOption())
  .addOption(endpointOption())
  .action(async ({ withoutTokens, accessRevoked, entity, unitsPerSecond, ...options }) => {
    const tenant = withoutTokens ? publicTenant : options.tenant;
    if (tenant === undefined)
      throw new InvalidArgumentError(
        'Choose whose data to erase: either with --tenant or with --without-tokens.',
      );
    if (!entity && !accessRevoked)
      throw new InvalidArgumentError(
        'Revoke the access of the tenant first, as docs/data.md#erase-a-tenant says, and then add --access-revoked.',
      );
    const { name: table, region } = await tableOf(options);
    const endpoint = options.dynamodbEndpoint;
    await asFailure(erase({ table, region, endpoint, tenant, entity, unitsPerSecond }));
  });
