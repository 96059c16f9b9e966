/** What writes cost, estimated before they are sent. */
import { table } from './table.ts';
import type { Item, Write } from './writes.ts';

/** Returns the bytes of an item, about: as JSON, in which most values are a little larger than in DynamoDB. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    const size = value instanceof Uint8Array ? value.length : Buffer.byteLength(JSON.stringify(value) ?? '');
    bytes += name.length + size;
  }
  return bytes;
}

const kilobytes = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1_024));

const indexKey = (
  item: Item | undefined,
  { partitionKey, sortKey }: { partitionKey: string; sortKey: string },
) =>
  item && partitionKey in item && sortKey in item
    ? `${String(item[partitionKey])}\n${String(item[sortKey])}`
    : undefined;

/** Returns the units of a change in one index: one for each KB of the larger item, or of both when its key there changes. */
function indexUnits(oldKey: string | undefined, newKey: string | undefined, before: number, after: number) {
  if (oldKey === undefined || newKey === undefined) return (oldKey && before) || (newKey && after) || 0;
  return oldKey === newKey ? Math.max(before, after) : before + after;
}

/**
 * Returns the write units of one write of a transaction, about: in the table two for each KB of the larger of the items before and after it, and
 * those of each index.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes
 */
export function writeUnits(write: Write): number {
  const { replaced, replacedBytes = replaced ? itemBytes(replaced) : 0 } = write;
  const put = 'put' in write ? write.put : undefined;
  const before = kilobytes(replacedBytes);
  const after = kilobytes(put ? itemBytes(put) : 0);
  let units = 2 * Math.max(before, after);
  for (const index of Object.values(table.indexes))
    units += indexUnits(indexKey(replaced, index), indexKey(put, index), before, after);
  return units;
}
