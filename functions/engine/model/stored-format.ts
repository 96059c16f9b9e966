/** Checks of what is stored: what this release does not know is an error that names it, and never gets another meaning. */
import { UnknownFormat } from './errors.ts';
import { formats, type StoredItem } from './formats.ts';

/** The number of a format whose items have no attribute for it. */
const firstFormat = 1;

/** Returns the attributes that tell the format of an item. */
export function formatAttributes(item: StoredItem): { readonly format?: number } {
  const { writes }: { readonly writes: number } = formats[item];
  return writes === firstFormat ? {} : { format: writes };
}

/** Returns whether this release reads a format. */
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
