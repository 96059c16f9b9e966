/**
 * Manifests: which immutable items make up the state of a log at its watermark. Replacing the manifest is the only step of
 * compaction that readers see.
 */
import { randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { manifestSortKey } from '../../../model/change-log.ts';
import type { Item } from '../../../model/writes.ts';
import { chunkRows } from './ids.ts';

/** The column of versions; version 0 marks a deleted row. Field names do not begin with `$`. */
export const versionField = '$version';

export const deletedVersion = '0';

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
  readonly deleted: number;
  /** By field: the step that wrote the column. */
  readonly columns: Readonly<Record<string, StepId>>;
  /** By field: the number of buckets of a column of ids that has several. Other columns are one item. */
  readonly buckets: Readonly<Record<string, number>>;
  /** By field: the number of values in patches that the column does not contain. */
  readonly patched: Readonly<Record<string, number>>;
}

/** New values of some rows and fields, from one or more compaction steps. They replace those of older columns. */
export interface Patch {
  readonly step: StepId;
  /** Number of values. */
  readonly values: number;
  /** By field: the number of items that hold its values. A small patch is one item. */
  readonly items?: Readonly<Record<string, number>> | undefined;
}

/** The name of an immutable item: its partition within the log, and its sort key. */
export type ItemName = `${string}/${string}`;

export interface Manifest {
  /** Number of writes: the condition of the next one. */
  readonly version: number;
  /** Records with this stamp or an earlier one are in the columns. Milliseconds since 1970. */
  readonly watermark: number;
  /** The greatest stamp of a record that the columns contain: later records are pending. Milliseconds since 1970. */
  readonly newestStamp: number;
  /**
   * A random number of the last rebuild; 0 if the columns were never built from entities. Records from before it do not lead to the rows of the
   * columns.
   */
  readonly generation: number;
  /** When compaction looked for late records the last time. Milliseconds since 1970. */
  readonly healedAt: number;
  /**
   * Compaction looks for late records above this stamp only: the columns were built from entities that were read later. 0 if they were never
   * built from entities. Milliseconds since 1970.
   */
  readonly rebuiltUpTo: number;
  /** In the order of ids. */
  readonly segments: readonly Segment[];
  /** The oldest first. */
  readonly patches: readonly Patch[];
}

/** Bytes of a column, and of an item of a patch, at most: an item of the table has at most 400 KB. */
export const maxItemBytes = 360 * 1024;

/** The state of a log that has never been compacted. */
export const emptyManifest: Manifest = {
  version: 0,
  watermark: 0,
  newestStamp: 0,
  generation: 0,
  healedAt: 0,
  rebuiltUpTo: 0,
  segments: [],
  patches: [],
};

/** Returns the sequence number of the compaction step that wrote a step. */
export const sequenceOf = (step: StepId): number => Number.parseInt(step, 36);

/** Returns a new name for the items of the step that writes a version of the manifest. */
export const newStepId = (version: number): StepId =>
  `${version.toString(36)}-${randomBytes(3).toString('hex')}`;

/** Returns the fields of a segment. A field that is newer than the segment has values in patches and no column. */
export const storedFields = ({ columns, patched }: Segment): string[] =>
  Object.keys({ ...columns, ...patched });

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

/** A column in buckets, with the names of all of them. */
interface BucketedColumn {
  readonly name: ItemName;
  readonly buckets: readonly ItemName[];
}

/** Returns the columns of which all buckets are among some names. */
export const wholeColumns = (segments: readonly Segment[], names: ReadonlySet<ItemName>): BucketedColumn[] =>
  segments.flatMap((segment) =>
    Object.keys(segment.buckets)
      .map((field) => ({
        name: `${segment.id}/${segment.columns[field]}/${field}` as const,
        buckets: columnNames(segment, field),
      }))
      .filter(({ buckets }) => buckets.every((name) => names.has(name))),
  );

/** Returns whether an item of a segment is a column or a bucket of one. The names of ids have two parts. */
export const isColumnName = (name: ItemName): boolean => name.split('/').length === 3;

/** Returns whether an item of a segment is a bucket of a column. The names of fields contain no point. */
export const isBucketName = (name: ItemName): boolean =>
  isColumnName(name) && name.includes('.', name.lastIndexOf('/'));

export const idsName = ({ id }: Segment, chunk: number): ItemName => `${id}/ids${chunk}`;

/** Returns the name of the first ids of a segment's chunks. */
export const fenceName = ({ id }: Segment): ItemName => `${id}/fence`;

/**
 * The beginning of the stored names of patches' items. Patches were called runs when this format was made. Ids of segments contain no colon,
 * so no item of a segment has it.
 */
const patchPrefix = 'run:';

export const smallPatchName = (step: StepId): ItemName => `${patchPrefix}${step}/all`;

export const patchName = (step: StepId, field: string, position: number): ItemName =>
  `${patchPrefix}${step}/${field}.${position}`;

export const isPatchName = (name: ItemName): boolean => name.startsWith(patchPrefix);

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

export function segmentNames(segment: Segment): ItemName[] {
  const chunks = Array.from({ length: Math.ceil(segment.rows / chunkRows) }, (_, chunk) =>
    idsName(segment, chunk),
  );
  const columns = Object.keys(segment.columns).flatMap((field) => columnNames(segment, field));
  return [...columns, fenceName(segment), ...chunks];
}

export const manifestNames = ({ segments, patches }: Manifest): ItemName[] => [
  ...segments.flatMap(segmentNames),
  ...patches.flatMap((patch) => patchNames(patch)),
];

/** Returns the position of the segment that an id belongs to. */
export function segmentOf({ segments }: Manifest, id: string): number {
  let low = 0;
  let high = segments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((segments[middle] as Segment).first <= id) low = middle;
    else high = middle - 1;
  }
  return low;
}

const format = 5;

/** The stored name of the patches. They were called runs when this format was made. */
const patchesName = 'runs';

type StoredState = Omit<Manifest, 'version' | 'patches'> & {
  readonly [patchesName]: Manifest['patches'];
};

/** Returns the attributes of a manifest's item, without its key. */
export function encodeManifest({ version, patches, ...rest }: Manifest): Record<string, unknown> {
  const state: StoredState = { ...rest, [patchesName]: patches };
  return { format, version, state: deflateRawSync(JSON.stringify(state)) };
}

/**
 * Returns the manifest that an item stores.
 * @throws TypeError when another version of the service has written it.
 */
export function decodeManifest(item: Item): Manifest {
  if (item['format'] !== format) throw new TypeError(`Unknown format of a manifest: ${item['format']}.`);
  const state = JSON.parse(inflateRawSync(item['state'] as Uint8Array).toString()) as StoredState;
  const { [patchesName]: patches, ...rest } = state;
  return { version: item['version'] as number, ...rest, patches };
}

export const isManifest = ({ sk }: Item): boolean => sk === manifestSortKey;
