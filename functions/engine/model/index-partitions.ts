/** Returns the query for a range of sort keys, both bounds included. */
export const byStatusBetween = (partition: string, first: string, last: string) =>
  ({
    IndexName: 'by-status',
    KeyConditionExpression: 'ofKind = :partition AND byStatus BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':partition': partition, ':first': first, ':last': last },
  }) as const;

/**
 * Returns the number of the partition of a text, from 0. Several partitions with items of all tenants share the writes: one takes 1,000 write units a
 * second.
 */
export function partitionNumber(text: string, partitions: number): number {
  let hash = 0;
  for (const character of text) hash = (31 * hash + (character.codePointAt(0) as number)) % 1_000_003;
  return hash % partitions;
}
