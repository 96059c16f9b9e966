/**
 * Writes what stays in a table as this release writes it: entities, deleted ones too, their long texts and unique values get its format and the keys of its
 * indexes. No version, time or position changes, and no record is written, so lists, feeds and events do not change. What is as this release writes it
 * is only read, so an interrupted pass can be repeated.
 */
import { isDeepStrictEqual } from 'node:util';
import { conditionHolds } from '../../functions/engine/model/errors.ts';
import { hasText, presentEntity, presentText } from '../../functions/engine/model/item-codec.ts';
import { formats, type StoredItem } from '../../functions/engine/model/stored-format.ts';
import { namesSameEntity, presentUniqueValue } from '../../functions/engine/model/unique-value.ts';
import { type Condition, hasVersion, type Item } from '../../functions/engine/model/writes.ts';
import type { Database } from '../../functions/engine/table/database.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { now } from '../../functions/runtime/time-and-chance.ts';
import { openTable, type ScannedTable, scanTable } from '../hosting/scan-table.ts';
import type { UnitPace } from '../hosting/unit-pace.ts';
import {
  formatOf,
  kindOfItem,
  kindsInTable,
  type LowestFormats,
  lowestFormatsItem,
} from './lowest-formats.ts';

/** Writes at the same time. */
const concurrency = 16;

interface Rewrite {
  readonly present: (item: Item) => Item;
  /** Returns the condition that an item is as it was read. */
  readonly isUnchanged: (item: Item) => Condition;
}

const rewrites: { readonly [Kind in StoredItem]?: Rewrite } = {
  entity: { present: presentEntity, isUnchanged: ({ version }) => hasVersion(version as number) },
  'long text': { present: presentText, isUnchanged: hasText },
  'unique value': { present: presentUniqueValue, isUnchanged: namesSameEntity },
};

/**
 * Writes an item again, unless it is as this release writes it. One that changes meanwhile is read again: a release with a lower format can have changed it.
 * @returns whether it was written.
 */
async function rewriteItem(database: Database, item: Item, rewrite: Rewrite): Promise<boolean> {
  const present = rewrite.present(item);
  if (isDeepStrictEqual(present, item)) return false;
  if (await conditionHolds(database.putItem(present, rewrite.isUnchanged(item)))) return true;
  const { pk, sk } = item;
  const changed = await database.get({ pk, sk }, { withDeleted: true });
  return changed !== undefined && rewriteItem(database, changed, rewrite);
}

/**
 * Makes one pass over a table, and then records the lowest format that is left of each kind. Of columns, records and jobs, which are not written again, it is
 * the lowest one that the pass finds.
 * @returns the number of items that were written, and the lowest formats.
 * @throws UnknownFormat for an item that this release does not read. Nothing is recorded then.
 */
export async function rewriteTable(
  scanned: ScannedTable,
  pace: UnitPace,
): Promise<LowestFormats & { readonly written: number }> {
  const beganAt = now();
  const lowest = new Map(kindsInTable.map((kind) => [kind, formats[kind].writes as number]));
  let written = 0;
  const visit = async (item: Item): Promise<void> => {
    const kind = kindOfItem(item);
    const rewrite = kind && rewrites[kind];
    if (kind && !rewrite) lowest.set(kind, Math.min(lowest.get(kind) ?? 0, formatOf(kind, item)));
    if (!rewrite) return;
    const database = openTable(scanned);
    if (await rewriteItem(database, item, rewrite)) written += 1;
    await pace.use(database.consumption.readUnits + database.consumption.writeUnits);
  };
  await scanTable(scanned, async (items, readUnits) => {
    await pace.use(readUnits);
    await forEach(items, concurrency, visit);
  });
  const found = { beganAt, lowest: Object.fromEntries(lowest) };
  await openTable(scanned).putItem(lowestFormatsItem(found));
  return { ...found, written };
}
