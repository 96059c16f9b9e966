/**
 * Manifests: which immutable items make up the state of a log at its watermark. Replacing the manifest is the only step of
 * compaction that readers see.
 */

import { randomBytes } from '../../../runtime/time-and-chance.ts';
import { manifestSortKey } from '../../model/change-log.ts';
import { deflate, inflate } from '../../model/deflate.ts';
import { formatAttributes, requireKnownFields, requireReadable } from '../../model/stored-format.ts';
import { wordsField } from '../../model/words.ts';
import type { Item } from '../../model/writes.ts';
import { firstPosition } from './binary-search.ts';
import type { DeletedRows } from './deleted-rows.ts';
import { chunkRows } from './ids.ts';

/** The column of versions. Field names do not begin with `$`. */
export const versionField = '$version';

/** The beginning of the version of a deleted row. It sorts before the versions of other rows. */
const deletedMark = '-';

/** The lowest text of the version of a row that is not deleted. */
export const firstVersion = '0';

/** Begins the number of a row whose long text is an item of its own: lists read it beside the entity. It does not change the number. */
const textMark = '0';

export const versionText = (version: number, isDeleted: boolean, hasTextItem: boolean): string =>
  `${isDeleted ? deletedMark : ''}${hasTextItem ? textMark : ''}${version}`;

/** Returns whether a row is known to have a long text in an item of its own. Columns of an earlier release do not tell. */
export const tellsTextItem = (value: string | null | undefined): boolean =>
  value?.startsWith(textMark, isDeletedVersion(value) ? deletedMark.length : 0) === true;

export const versionOf = (value: string | null | undefined): number => Math.abs(Number(value));

export const isDeletedVersion = (value: string | null | undefined): boolean =>
  value?.startsWith(deletedMark) === true;

/**
 * The name under which one compaction step writes its items: the step's sequence number and a random part, so that two steps never
 * write the same item.
 */
export type StepId = string;

/**
 * Rows that are adjacent in the order of ids. The set of its ids never changes. Values and deletions do: newer columns and patches have them.
 */
export interface Segment {
  /** The step that wrote its ids, and its number in that step. */
  readonly id: string;
  /** Ids from this one on, up to the next segment's, belong to the segment. */
  readonly first: string;
  /** The last id among its rows. */
  readonly last: string;
  /** Number of rows, deleted ones included. */
  readonly rows: number;
  readonly deleted: DeletedRows;
  /** By field: the step that wrote the column. The column has the values up to the manifest of the step's sequence number. */
  readonly columns: Readonly<Record<string, StepId>>;
  /** By field: the number of buckets of a column of ids, or of lists of ids, that has several. Other columns are one item. */
  readonly buckets: Readonly<Record<string, number>>;
  /** Whether lists were written as lists. Absent in a segment from before, whose largest item may be a column of lists as texts. */
  readonly hasLists?: true;
  /** By field: the number of values in patches that the column does not contain. */
  readonly patched: Readonly<Record<string, number>>;
  /**
   * Bytes of its largest item; more, if its words take a larger share of those that a segment may have than this item of an item's bytes. A segment is full
   * when one of both nearly is, however few rows it has.
   */
  readonly bytes: number;
  /** Number of waiting rows among its ids; absent without any. */
  readonly waiting?: number | undefined;
}

export interface WaitingItem {
  readonly name: ItemName;
  /** Number of its rows, with those that are gone. */
  readonly rows: number;
  readonly bytes: number;
  /** Those of them that are deleted or gone; absent without any. */
  readonly deleted?: DeletedRows;
  /** Whether another item has words that its rows do not show. */
  readonly hasWords?: boolean;
}

/** New values of some rows and fields, from one or more compaction steps. They replace those of older columns. */
export interface Patch {
  /** Its sequence number is that of the manifest of the newest step whose values it has. */
  readonly step: StepId;
  readonly values: number;
  readonly bytes: number;
  /** By field: the number of items that hold its values. A small patch is one item. */
  readonly items?: Readonly<Record<string, number>> | undefined;
}

/** The name of an immutable item: its partition within the log, and its sort key. */
export type ItemName = `${string}/${string}`;

export interface Manifest {
  /** Number of writes: the condition of the next one. */
  readonly version: number;
  /** The records up to this position are in the columns. */
  readonly watermark: number;
  /** In the order of ids. */
  readonly segments: readonly Segment[];
  /** The oldest first. */
  readonly patches: readonly Patch[];
  /** Rows that no segment has yet. The oldest first. */
  readonly waiting: readonly WaitingItem[];
}

/** Bytes of a column, and of an item of a patch, at most: an item of the table has at most 400 KB. */
export const maxItemBytes = 360 * 1024;

/** The state of a log that has never been compacted. */
export const emptyManifest: Manifest = {
  version: 0,
  watermark: 0,
  segments: [],
  patches: [],
  waiting: [],
};

/** Returns the sequence number of the compaction step that wrote a step. */
export const sequenceOf = (step: StepId): number => Number.parseInt(step, 36);

export const newStepId = (version: number): StepId =>
  `${version.toString(36)}-${randomBytes(3).toString('hex')}`;

const positionsPrefix = '$positions-';

/** Returns the name of the column with the positions of the ids of a field's lists. */
export const positionsField = (field: string): string => `${positionsPrefix}${field}`;

export const hasPositions = (name: ItemName): boolean => name.includes(`/${positionsPrefix}`);

/** Returns whether the column of a field is one of lists. One that a step has written again as texts leaves the positions of the step before. */
export const isOfLists = ({ columns }: Segment, field: string): boolean =>
  columns[positionsField(field)] !== undefined && columns[positionsField(field)] === columns[field];

/** Returns the fields of a segment. A field that is newer than the segment has values in patches and no column. */
export const storedFields = ({ columns, patched }: Segment): string[] =>
  Object.keys({ ...columns, ...patched }).filter((field) => !field.startsWith(positionsPrefix));

export const entityFields = (segment: Segment): string[] =>
  storedFields(segment).filter((field) => field !== versionField && field !== wordsField);

/** Returns the names of the items of a segment's column, in the order of the buckets. */
export function columnNames({ id, columns, buckets }: Segment, field: string): ItemName[] {
  const step = columns[field];
  if (step === undefined) return [];
  const name: ItemName = `${id}/${step}/${field}`;
  const count = buckets[field];
  if (count === undefined) return [name];
  return Array.from({ length: count }, (_, bucket): ItemName => `${bucketPrefix(name)}${bucket}`);
}

export const bucketPrefix = <Name extends string>(column: Name): `${Name}.` => `${column}.`;

/** The share of a column's buckets above which one query costs less than reads by key: a bucket costs half a unit by key, and about a third in a query. */
const shareOfQuery = 2 / 3;

/** Returns the columns of which nearly all buckets are among some names: a query reads the others too. */
export const queriedColumns = (segments: readonly Segment[], names: ReadonlySet<ItemName>) =>
  segments.flatMap((segment) =>
    Object.keys(segment.buckets)
      .map((field) => ({
        name: `${segment.id}/${segment.columns[field]}/${field}` as const,
        buckets: columnNames(segment, field),
      }))
      .filter(
        ({ buckets }) => buckets.filter((name) => names.has(name)).length >= shareOfQuery * buckets.length,
      ),
  );

/** Returns whether an item of a segment is a column or a bucket of one. The names of ids have two parts. */
export const isColumnName = (name: ItemName): boolean => name.split('/').length === 3;

/** Returns whether an item of a segment is a bucket of a column. The names of fields contain no point. */
export const isBucketName = (name: ItemName): boolean =>
  isColumnName(name) && name.includes('.', name.lastIndexOf('/'));

/** Returns whether an item has words of the rows of a segment; `first` if it has the first words of the others. */
export function wordIndexPart(name: ItemName): 'first' | 'other' | undefined {
  if (!name.includes(`/${wordsField}`)) return undefined;
  return name.endsWith('.0') ? 'first' : 'other';
}

export const idsName = ({ id }: Segment, chunk: number): ItemName => `${id}/ids${chunk}`;

/** Returns the name of the first ids of a segment's chunks. */
export const fenceName = ({ id }: Segment): ItemName => `${id}/fence`;

/** The beginning of the names of patches' items. Ids of segments contain no colon, so no item of a segment has it. */
const patchPrefix = 'patch:';

const waitingPrefix = 'waiting:';

export const waitingName = (step: StepId, number: number): ItemName => `${waitingPrefix}${step}/${number}`;

/** Returns the name of the item with words that the rows of another one do not show. */
export const wordsOfWaiting = (name: ItemName): ItemName => `${name}.words`;

export const waitingNames = ({ name, hasWords }: WaitingItem): ItemName[] =>
  hasWords ? [name, wordsOfWaiting(name)] : [name];

export const isWaitingName = (name: ItemName): boolean => name.startsWith(waitingPrefix);

export const smallPatchName = (step: StepId): ItemName => `${patchPrefix}${step}/all`;

export const patchName = (step: StepId, field: string, position: number): ItemName =>
  `${patchPrefix}${step}/${field}.${position}`;

export const isPatchName = (name: ItemName): boolean => name.startsWith(patchPrefix);

/** The partition of the lists of what the steps of compaction write and replace. Ids of segments begin with a number. */
export const stepPartition = 'steps';

export const isStepName = (name: ItemName): boolean => name.startsWith(`${stepPartition}/`);

/**
 * Returns the names of a patch's items.
 * @param wanted returns only those that hold the values of some fields.
 */
export function patchNames({ step, items }: Patch, wanted?: readonly string[]): ItemName[] {
  if (!items) return [smallPatchName(step)];
  return (wanted ?? Object.keys(items)).flatMap((field) =>
    Array.from({ length: items[field] ?? 0 }, (_, position) => patchName(step, field, position)),
  );
}

/** @param isNeeded whether the column of a field is; by default all are. */
export function segmentNames(segment: Segment, isNeeded = (_field: string) => true): ItemName[] {
  const chunks = Array.from({ length: Math.ceil(segment.rows / chunkRows) }, (_, chunk) =>
    idsName(segment, chunk),
  );
  const fields = Object.keys(segment.columns).filter((field) => isNeeded(field.replace(positionsPrefix, '')));
  const columns = fields.flatMap((field) => columnNames(segment, field));
  return [...columns, fenceName(segment), ...chunks];
}

export const manifestNames = ({ segments, patches, waiting }: Manifest): ItemName[] => [
  ...segments.flatMap((segment) => segmentNames(segment)),
  ...patches.flatMap((patch) => patchNames(patch)),
  ...waiting.flatMap(waitingNames),
];

/** Returns a function that tells whether a manifest has an item, or the column that something is derived from. */
export function namesItem(manifest: Manifest): (name: string) => boolean {
  const names = new Set<string>(manifestNames(manifest));
  return (name) => {
    const [column = ''] = /^[^/]+\/[^/]+\/[^/.+]+/.exec(name) ?? [];
    return [name, column, `${bucketPrefix(column)}0`].some((one) => names.has(one));
  };
}

/** Returns the position of the segment that an id belongs to. */
export const segmentOf = ({ segments }: Pick<Manifest, 'segments'>, id: string): number =>
  firstPosition(1, segments.length, (position) => (segments[position] as Segment).first > id) - 1;

/** Returns the same; the position after the last segment for ids that are greater than all of them. */
export const placeOf = (manifest: Pick<Manifest, 'segments'>, id: string): number =>
  id > (manifest.segments.at(-1)?.last ?? '') ? manifest.segments.length : segmentOf(manifest, id);

/** Returns the attributes of a manifest's item, without its key. */
export function encodeManifest({ version, ...state }: Manifest): Record<string, unknown> {
  return { ...formatAttributes('manifest'), version, state: deflate(JSON.stringify(state)) };
}

const itemFields = { version: true, state: true };

const { version: _version, ...stateFields } = emptyManifest;

const segmentFields: Readonly<Record<keyof Segment, true>> = {
  id: true,
  first: true,
  last: true,
  rows: true,
  deleted: true,
  columns: true,
  buckets: true,
  hasLists: true,
  patched: true,
  bytes: true,
  waiting: true,
};

const waitingFields: Readonly<Record<keyof WaitingItem, true>> = {
  name: true,
  rows: true,
  bytes: true,
  deleted: true,
  hasWords: true,
};

const patchFields: Readonly<Record<keyof Patch, true>> = {
  step: true,
  values: true,
  bytes: true,
  items: true,
};

/**
 * Returns the manifest that an item stores.
 * @throws UnknownFormat when another release has written it.
 */
export function decodeManifest(item: Item): Manifest {
  requireReadable('manifest', item, itemFields);
  const state = JSON.parse(inflate(item['state'] as Uint8Array).toString()) as Omit<Manifest, 'version'>;
  requireKnownFields('manifest', state, stateFields);
  for (const segment of state.segments) requireKnownFields('manifest', segment, segmentFields);
  for (const patch of state.patches) requireKnownFields('manifest', patch, patchFields);
  for (const rows of state.waiting) requireKnownFields('manifest', rows, waitingFields);
  return { version: item['version'] as number, ...state };
}

/** Returns the number of writes of a manifest, also of one that this release cannot read: the condition of the next write. */
export const manifestVersion = (item: Item): number => item['version'] as number;

export const isManifest = ({ sk }: Item): boolean => sk === manifestSortKey;
