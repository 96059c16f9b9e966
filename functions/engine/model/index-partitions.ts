/** Partitions of the index `by-status` that hold items of all tenants. Several share the writes: one partition takes 1,000 write units a second. */

/** Returns the number of the partition of a text, from 0. */
export function partitionNumber(text: string, partitions: number): number {
  let hash = 0;
  for (const character of text) hash = (31 * hash + (character.codePointAt(0) as number)) % 1_000_003;
  return hash % partitions;
}
