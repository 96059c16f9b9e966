/**
 * Erases all items of a tenant. Each pass is a scan of the whole table, and deletes what it finds: so it finds every kind of item, also those that no
 * index has. Background work of the tenant can write while a pass runs. The last pass finds nothing, which is the proof.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { textSortKey } from '../../functions/engine/model/keys.ts';
import type { Key } from '../../functions/engine/model/writes.ts';
import { Database } from '../../functions/engine/table/database.ts';
import { Deadline } from '../../functions/engine/table/deadline.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { CommandFailure } from '../cli/command-line.ts';
import { scanTable } from '../hosting/scan-table.ts';

/** Deadline of one call, retries included. */
const maxCallMs = 60_000;

/** Deletions at the same time. */
const concurrency = 16;

/** Passes until the command gives up: requests of the tenant still write. */
const maxPasses = 20;

/** Removed items by what they are. */
export type Erased = Readonly<Record<string, number>>;

interface EraseOptions {
  readonly unitsPerSecond: number;
  /** Milliseconds between two passes: requests in progress have ended by then. */
  readonly pauseMs: number;
  /** Called with the number of items that were read. */
  readonly onItems?: (count: number) => void;
  readonly onPass?: (pass: number, erased: Erased) => void;
}

/** Waits so that no more units are used in a second than allowed. */
class UnitPace {
  readonly #unitsPerSecond: number;
  #paidUntil = performance.now();

  constructor(unitsPerSecond: number) {
    this.#unitsPerSecond = unitsPerSecond;
  }

  async use(units: number): Promise<void> {
    this.#paidUntil = Math.max(this.#paidUntil, performance.now()) + (1_000 * units) / this.#unitsPerSecond;
    const waitMs = this.#paidUntil - performance.now();
    if (waitMs > 1) await delay(waitMs);
  }
}

const namesOfItems: Readonly<Record<string, string>> = {
  log: 'records of changes and manifests',
  columns: 'columns of lists',
  subject: 'subjects of users',
  idempotency: 'idempotency records',
  job: 'jobs',
  reminder: 'reminders',
  sequencer: 'sequencers of logs',
};

/** Returns what an item is. The key of an entity has its id where others have a name. */
function nameOf({ pk, sk }: Key): string {
  const [, first = '', second = ''] = pk.split('#');
  const name = namesOfItems[second] ?? namesOfItems[first];
  if (name) return name;
  if (sk === 'entity') return 'entities';
  return sk === textSortKey ? 'descriptions' : 'others';
}

async function pass(
  client: DynamoDb,
  tableName: string,
  tenant: string,
  { pace, onItems }: { readonly pace: UnitPace; readonly onItems: (count: number) => void },
): Promise<Erased> {
  const erased: Record<string, number> = {};
  const erase = async ({ pk, sk }: Key): Promise<void> => {
    const database = new Database(client, tableName, new Deadline(maxCallMs));
    await database.deleteItem({ pk, sk });
    const name = nameOf({ pk, sk });
    erased[name] = (erased[name] ?? 0) + 1;
    await pace.use(database.consumption.writeUnits);
  };
  const visit = async (items: readonly Key[], readUnits: number): Promise<void> => {
    await pace.use(readUnits);
    await forEach(items, concurrency, erase);
  };
  await scanTable({ client, tableName, onItems }, visit, {
    ProjectionExpression: 'pk, sk',
    FilterExpression: 'begins_with(pk, :tenant)',
    ExpressionAttributeValues: { ':tenant': `${tenant}#` },
  });
  return erased;
}

/**
 * Erases all items of a tenant, in passes until one finds nothing.
 * @param tenant as keys begin with it.
 * @throws CommandFailure when the last of 20 passes still finds something.
 */
export async function eraseTenant(
  client: DynamoDb,
  tableName: string,
  tenant: string,
  { unitsPerSecond, pauseMs, onItems = () => {}, onPass = () => {} }: EraseOptions,
): Promise<void> {
  const pace = new UnitPace(unitsPerSecond);
  for (let number = 1; number <= maxPasses; number += 1) {
    const erased = await pass(client, tableName, tenant, { pace, onItems });
    onPass(number, erased);
    if (Object.keys(erased).length === 0) return;
    await delay(pauseMs);
  }
  throw new CommandFailure(
    `Something still writes data of this tenant: the last of ${maxPasses} passes found some. Revoke its access, and repeat the command.`,
  );
}
