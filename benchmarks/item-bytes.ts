import type { Item } from '../functions/engine/model/writes.ts';

/** Bytes of an item with these attributes, as DynamoDB counts them: names, texts, bytes, and half a byte for each digit of a number. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += name.length;
    if (typeof value === 'number') bytes += Math.ceil(String(value).length / 2) + 1;
    else bytes += (value as string | Uint8Array).length;
  }
  return bytes;
}
