/**
 * The formats of everything that is stored: which numbers this release reads, and which one it writes. The only list of them.
 * docs/decisions/0022-formats-and-releases.md says when a number may change.
 */
/**
 * By item. An item whose format is not in its bytes has it in the attribute `format`; without the attribute, it is 1. Wake-ups and counters
 * have none: their keys say everything of them.
 */
export const formats = {
  entity: { reads: [1], writes: 1 },
  'long text': { reads: [1], writes: 1 },
  'unique value': { reads: [1], writes: 1 },
  'idempotency record': { reads: [1], writes: 1 },
  job: { reads: [1], writes: 1 },
  pace: { reads: [1], writes: 1 },
  reminder: { reads: [1], writes: 1 },
  /** Its first byte is twice the number, and one more if its entries are deflated. */
  record: { reads: [1], writes: 1 },
  manifest: { reads: [1], writes: 1 },
  ids: { reads: [1], writes: 1 },
  column: { reads: [1], writes: 1 },
  bucket: { reads: [1], writes: 1 },
  words: { reads: [1], writes: 1 },
  patch: { reads: [1], writes: 1 },
  /** Their entries are encoded as those of records, which expire. These do not: what changes the encoding changes both numbers. */
  'waiting rows': { reads: [1], writes: 1 },
  /** The items that a step of compaction writes and replaces. */
  step: { reads: [1], writes: 1 },
  /** Callers store cursors. Their first byte is the number. */
  'cursor of changes': { reads: [1], writes: 1 },
  'cursor of a history': { reads: [1], writes: 1 },
  'cursor of a list': { reads: [1], writes: 1 },
} as const satisfies Readonly<Record<string, { reads: readonly number[]; writes: number }>>;

export type StoredItem = keyof typeof formats;
