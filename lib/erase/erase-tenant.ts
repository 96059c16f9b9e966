/**
 * Erases all items of a tenant but the positions of its logs and the counters of numbers. Each pass is a scan of the whole table, and deletes what it finds: so it finds every kind of item,
 * also those that no index has. Background work of the tenant can write while a pass runs. The last pass finds nothing, which is the proof.
 *
 * Logs that began again at 1 would be taken for what processes remember of them, and what cursors of the feed have seen. So sequencers stay, and the columns of
 * each log are empty as of the last position. The counters of numbers stay too: no number is given twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openLog } from '../../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { emptyManifest, type Manifest } from '../../functions/engine/columns/format/manifest.ts';
import { numbersSortKey } from '../../functions/engine/entities/numbers.ts';
import { takePosition } from '../../functions/engine/log/sequencer.ts';
import {
  type LogIdentity,
  manifestSortKey,
  parseLogPartition,
  parseSequencerKey,
  sequencerKey,
} from '../../functions/engine/model/change-log.ts';
import { UnknownFormat } from '../../functions/engine/model/errors.ts';
import type { StoredItem } from '../../functions/engine/model/stored-format.ts';
import type { Key } from '../../functions/engine/model/writes.ts';
import { countOf, type Database } from '../../functions/engine/table/database.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { CommandFailure } from '../command-line/command-line.ts';
import { openTable, scanTable } from '../hosting/scan-table.ts';
import { UnitPace } from '../hosting/unit-pace.ts';
import { kindOfItem } from '../rewrite/lowest-formats.ts';

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

/** The names of what a tenant has. Other kinds of items belong to columns. */
const names: { readonly [Kind in StoredItem]?: string } = {
  entity: 'entities',
  'long text': 'descriptions',
  'unique value': 'subjects',
  'idempotency record': 'idempotency records',
  job: 'jobs',
  pace: 'others',
  reminder: 'reminders',
  record: 'records of changes',
};

function nameOf(key: Key): string {
  const kind = kindOfItem(key);
  return kind ? (names[kind] ?? 'columns of lists') : 'others';
}

const isEmpty = (manifest: Manifest | undefined, position: number): boolean =>
  JSON.stringify({ ...manifest, version: 0 }) === JSON.stringify({ ...emptyManifest, watermark: position });

/** Empties the columns of a log as of a new position, so that cursors that have seen all before expire too. Returns whether they were not empty. */
async function emptyLog(database: Database, log: LogIdentity): Promise<boolean> {
  const writer = openLog(database, log.tenant, log.kind);
  const manifest = await writer.readManifest().catch((error: unknown) => {
    if (!(error instanceof UnknownFormat)) throw error;
    return undefined;
  });
  if (isEmpty(manifest, countOf(await database.get(sequencerKey(log))))) return false;
  const watermark = await takePosition(database, log);
  const version = (await writer.readManifestVersion()) + 1;
  // When a step of compaction is faster, the next pass empties its columns.
  await writer.replaceManifest({ ...emptyManifest, version, watermark });
  return true;
}

async function pass(
  client: DynamoDb,
  tableName: string,
  tenant: string,
  { pace, onItems }: { readonly pace: UnitPace; readonly onItems: (count: number) => void },
): Promise<Erased> {
  const erased: Record<string, number> = {};
  const logs = new Map<string, LogIdentity>();
  const count = async (name: string, act: (database: Database) => Promise<unknown>): Promise<void> => {
    const database = openTable({ client, tableName });
    if ((await act(database)) !== false) erased[name] = (erased[name] ?? 0) + 1;
    await pace.use(database.consumption.readUnits + database.consumption.writeUnits);
  };
  const erase = async ({ pk, sk }: Key): Promise<void> => {
    if (sk === numbersSortKey) return;
    // The items of a log that stay.
    const log = sk === manifestSortKey ? parseLogPartition(pk) : parseSequencerKey({ pk, sk });
    if (log) logs.set(log.kind, log);
    else await count(nameOf({ pk, sk }), (database) => database.deleteItem({ pk, sk }));
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
  await forEach([...logs.values()], concurrency, (log) =>
    count('manifests of logs', (database) => emptyLog(database, log)),
  );
  return erased;
}

/**
 * Erases all items of a tenant, in passes until one finds nothing. Of each of its logs, the name and the number of positions stay.
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
