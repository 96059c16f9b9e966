/**
 * Writes what stays in a table again, as this release writes it: entities, deleted ones too, their long texts and unique values. Each gets the present format and
 * the present index keys, under a condition that nobody has changed it. No version, time or position changes, and no record is written, so lists,
 * feeds and events do not notice. An item that is as this release writes it is only read, so an interrupted pass can be repeated.
 */
import { isDeepStrictEqual } from 'node:util';
import { conditionHolds } from '../../functions/engine/model/errors.ts';
import { decodeAnyEntity, encodeEntity, presentText } from '../../functions/engine/model/item-codec.ts';
import { formats, type StoredItem } from '../../functions/engine/model/stored-format.ts';
import { table } from '../../functions/engine/model/table.ts';
import { presentUniqueValue } from '../../functions/engine/model/unique-value.ts';
import type { Condition, Item } from '../../functions/engine/model/writes.ts';
import type { Database } from '../../functions/engine/table/database.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { now } from '../../functions/runtime/time-and-chance.ts';
import { tenantOf } from '../audit/trees.ts';
import { openTable, type ScannedTable, scanTable } from '../hosting/scan-table.ts';
import type { UnitPace } from '../hosting/unit-pace.ts';
import {
  formatOf,
  kindOfItem,
  kindsInTable,
  type LowestFormats,
  lowestFormatsAttribute,
  lowestFormatsKey,
} from './lowest-formats.ts';

/** Writes at the same time. */
const concurrency = 16;

/** How a kind of item is written again. */
interface Rewrite {
  readonly present: (item: Item) => Item;
  /** The attributes that every change of such an item changes. */
  readonly changing: readonly string[];
}

const rewrites: { readonly [Kind in StoredItem]?: Rewrite } = {
  entity: {
    present: (item) => {
      const stored = decodeAnyEntity(item);
      return encodeEntity(tenantOf(item), stored, stored.logPosition as number);
    },
    changing: ['version'],
  },
  'long text': { present: presentText, changing: ['text', table.timeToLive] },
  'unique value': { present: presentUniqueValue, changing: ['kind', 'entityId'] },
};

/** Returns the condition that attributes of an item are as they were read. */
function isUnchanged(item: Item, attributes: readonly string[]): Condition {
  const known = attributes.filter((name) => name in item);
  const tests = attributes.map((name, at) =>
    name in item ? `#${at} = :${at}` : `attribute_not_exists(#${at})`,
  );
  return {
    expression: tests.join(' AND '),
    names: Object.fromEntries(attributes.map((name, at) => [`#${at}`, name])),
    values: Object.fromEntries(known.map((name) => [`:${attributes.indexOf(name)}`, item[name]])),
  };
}

const withoutAbsent = (item: Item): object =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));

/**
 * Writes an item again, unless it is as this release writes it. One that changes meanwhile is read again: the writer can be a release that writes a lower format.
 * @returns whether it was written.
 */
async function rewriteItem(
  database: Database,
  found: Item,
  { present, changing }: Rewrite,
): Promise<boolean> {
  const { pk, sk } = found;
  for (
    let item: Item | undefined = found;
    item;
    item = await database.get({ pk, sk }, { withDeleted: true })
  ) {
    const next = present(item);
    if (isDeepStrictEqual(withoutAbsent(next), item)) return false;
    if (await conditionHolds(database.putItem(next, isUnchanged(item, changing)))) return true;
  }
  return false;
}

/**
 * Makes one pass over a table, and then records the lowest format that is left of each kind. Columns, records and jobs are not written again: their
 * formats are recorded as they are found.
 * @returns the number of items that were written, and the lowest formats.
 * @throws UnknownFormat for an item that this release does not read. Nothing is recorded then.
 */
export async function rewriteTable(
  scanned: ScannedTable,
  pace: UnitPace,
): Promise<{ readonly written: number } & LowestFormats> {
  const beganAt = now();
  // What is created during the pass is written by releases that are deployed. The gate of formats compares the time with that of the last deployment.
  const lowest: Record<string, number> = Object.fromEntries(
    kindsInTable.map((kind) => [kind, formats[kind].writes]),
  );
  let written = 0;
  const visitItem = async (item: Item): Promise<void> => {
    const kind = kindOfItem(item);
    if (!kind) return;
    const rewrite = rewrites[kind];
    if (!rewrite) {
      lowest[kind] = Math.min(lowest[kind] as number, formatOf(kind, item));
      return;
    }
    const database = openTable(scanned);
    if (await rewriteItem(database, item, rewrite)) written += 1;
    await pace.use(database.consumption.readUnits + database.consumption.writeUnits);
  };
  await scanTable(scanned, async (items, readUnits) => {
    await pace.use(readUnits);
    await forEach(items, concurrency, visitItem);
  });
  const record = { beganAt, lowest };
  await openTable(scanned).putItem({ ...lowestFormatsKey, [lowestFormatsAttribute]: JSON.stringify(record) });
  return { written, ...record };
}
