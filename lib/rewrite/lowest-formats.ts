/** The lowest format that a table has of each kind of stored item, as the last complete pass of `rewrite` found it. */
import { kindOfImmutable } from '../../functions/engine/columns/dynamodb-storage.ts';
import { formatOfRecord, manifestSortKey, recordPrefix } from '../../functions/engine/model/change-log.ts';
import { jobSortKey } from '../../functions/engine/model/job.ts';
import { entitySortKey, textSortKey } from '../../functions/engine/model/keys.ts';
import { firstFormat, formats, type StoredItem } from '../../functions/engine/model/stored-format.ts';
import { uniqueSortKey } from '../../functions/engine/model/unique-value.ts';
import type { Item, Key } from '../../functions/engine/model/writes.ts';

export interface LowestFormats {
  /** When the pass began, in milliseconds since 1970: it can miss what a release with lower formats has written since. */
  readonly beganAt: number;
  readonly lowest: Readonly<Record<string, number>>;
}

/** The key of the item that has them. No tenant begins with "#". */
export const lowestFormatsKey: Key = { pk: '#formats', sk: 'formats' };

/** The attribute that has them, as JSON. */
export const lowestFormatsAttribute = 'lowest';

export const lowestFormatsItem = (found: LowestFormats): Item => ({
  ...lowestFormatsKey,
  [lowestFormatsAttribute]: JSON.stringify(found),
});

/** The kinds that the table has. Callers have the cursors. */
export const kindsInTable = (Object.keys(formats) as StoredItem[]).filter((kind) => !/^cursor/.test(kind));

const bySortKey: Readonly<Record<string, StoredItem>> = {
  [entitySortKey]: 'entity',
  [textSortKey]: 'long text',
  [uniqueSortKey]: 'unique value',
  [jobSortKey]: 'job',
  [manifestSortKey]: 'manifest',
  pace: 'pace',
};

/** Returns which kind of stored item the item of a key is; `undefined` for one without a format, such as a counter. */
export function kindOfItem(key: Key): StoredItem | undefined {
  const [, first, second] = key.pk.split('#');
  if (second === 'columns') return kindOfImmutable(key);
  if (first === 'idempotency') return 'idempotency record';
  if (first === 'reminder') return 'reminder';
  return key.sk.startsWith(recordPrefix) ? 'record' : bySortKey[key.sk];
}

/** Returns the number of the format of an item. */
export const formatOf = (kind: StoredItem, item: Item): number =>
  kind === 'record' ? formatOfRecord(item) : ((item['format'] as number | undefined) ?? firstFormat);
