/** The greatest number that entities of a kind have. It reads one field of all rows: with the rest of lists, the bundles of creates would be a sixth larger. */
import { openLogReader } from '../columns/dynamodb-storage.ts';
import type { Column } from '../columns/format/column.ts';
import { decodeItem } from '../columns/format/decode-item.ts';
import { columnNames, emptyManifest, type ItemName, patchNames } from '../columns/format/manifest.ts';
import type { PatchValues } from '../columns/format/patch.ts';
import type { WaitingRow } from '../columns/format/waiting-rows.ts';
import { StoreUnavailable } from '../model/errors.ts';
import { scalarOf } from '../model/row.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';

/**
 * Returns the greatest number in a field of the rows of a kind, also of deleted ones; 0 when none has one.
 * @throws StoreUnavailable when the log was compacted again and again meanwhile.
 */
export async function readGreatest(
  { tenant, database }: Session,
  kind: Kind,
  field: string,
): Promise<number> {
  const reader = openLogReader(database, tenant, kind);
  const { segments, patches, waiting, watermark } = (await reader.readManifest()) ?? emptyManifest;
  const columns = segments.flatMap((segment) => columnNames(segment, field));
  const ofPatches = patches.flatMap((patch) => patchNames(patch, [field]));
  const names = [...columns, ...ofPatches, ...waiting.map(({ name }) => name)];
  // Compaction deletes no record that is newer than the manifest was.
  const read = await Promise.all([reader.readItems(names, true), reader.oldestRecords(watermark)]);
  const [items, records] = read;
  if (items.size < names.length) throw new StoreUnavailable('Columns were replaced meanwhile.');
  const decoded = <Item>(name: ItemName) => decodeItem(name, items.get(name) as Uint8Array).value as Item;
  const rows = waiting.flatMap(({ name }) => decoded<readonly WaitingRow[]>(name));
  const patched = ofPatches.flatMap((name) => [...decoded<PatchValues>(name).values()]);
  const texts = [
    // A dictionary is in the order of its values.
    ...columns.map((name) => decoded<Column>(name).dictionary).map((values) => values.at(values.size - 1)),
    ...patched.flatMap((fields) => [...(fields.get(field)?.values() ?? [])]),
    ...rows.map(({ after }) => after?.[field]),
    ...records.flatMap(({ entries }) => entries.map(({ after }) => after?.[field])),
  ];
  return texts.reduce((greatest, text) => Math.max(greatest, Number(scalarOf(text ?? '0'))), 0);
}
