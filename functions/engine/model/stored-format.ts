/** Checks of what is stored: what this release does not know is an error that names it, and never gets another meaning. */
import { UnknownFormat } from './errors.ts';

/**
 * The formats of everything that is stored: which numbers this release reads, and which one it writes. The only list of them.
 * docs/decisions/0022-formats-and-releases.md says when a number may change. An item whose format is not in its bytes has it in the attribute `format`;
 * without the attribute, it is 1. Wake-ups and counters have none: their keys say everything of them.
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
  /** In format 2, rows can have several ids: those of a list. */
  bucket: { reads: [1, 2], writes: 2 },
  positions: { reads: [1], writes: 1 },
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

/** The number of a format whose items have no attribute for it. */
export const firstFormat = 1;

/** Returns the attributes that tell the format of an item. */
export function formatAttributes(item: StoredItem): { readonly format?: number } {
  const { writes }: { readonly writes: number } = formats[item];
  return writes === firstFormat ? {} : { format: writes };
}

export const isReadFormat = (item: StoredItem, format: unknown): format is number =>
  (formats[item].reads as readonly unknown[]).includes(format);

/**
 * Returns the number of a format that this release reads.
 * @param format the attribute `format`, or what bytes begin with.
 * @throws UnknownFormat when it reads other ones.
 */
export function requireFormat(item: StoredItem, format: unknown = firstFormat): number {
  if (isReadFormat(item, format)) return format;
  throw new UnknownFormat(
    `The format of a stored item (${item}) is ${String(format)}, and this release reads ${formats[item].reads.join(' and ')}.`,
  );
}

/** The attributes that a stored item can have beside its own. */
const commonAttributes: ReadonlySet<string> = new Set(['pk', 'sk', 'format']);

/**
 * Checks that an item, or an object in it, has no other fields.
 * @throws UnknownFormat that names the field.
 */
export function requireKnownFields(item: StoredItem, value: object, known: object): void {
  for (const name in value) {
    if (!Object.hasOwn(known, name) && !commonAttributes.has(name))
      throw new UnknownFormat(
        `A stored item (${item}) has the field "${name}", which this release does not know.`,
      );
  }
}

/**
 * Checks that an item is in a format that this release reads, and has no other attributes.
 * @param known the names of its attributes, without those that every item can have.
 */
export function requireReadable(
  item: StoredItem,
  attributes: Readonly<Record<string, unknown>>,
  known: object,
): void {
  requireFormat(item, attributes['format']);
  requireKnownFields(item, attributes, known);
}
