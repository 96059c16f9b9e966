/** What the list engine needs of the database. `dynamodb-storage.ts` implements it; the simulation has an implementation in memory. */
import type { LogRecord } from '../../model/change-log.ts';
import type { ItemName, Manifest } from './format/manifest.ts';

/** The newest part of a log. */
export interface LogHead {
  readonly manifest: Manifest | undefined;
  readonly records: readonly LogRecord[];
}

/** The next records of a range. */
interface RecordPage {
  /** In the order of their stamps. */
  readonly records: readonly LogRecord[];
  /** Whether the range has further records. */
  readonly hasMore: boolean;
}

export interface LogReader {
  /**
   * Reads the manifest and then the records downwards, consistently: what was committed earlier is read later.
   * @param above reads only records with a greater stamp.
   */
  readHead(above: number): Promise<LogHead>;
  /**
   * Reads the records with a stamp above one and not above another, downwards, consistently, without a gap.
   * @param max number of records after which it stops.
   */
  readRecords(above: number, upTo: number, max?: number): Promise<readonly LogRecord[]>;
  /** Reads immutable items. Those that do not exist are absent. */
  readItems(names: readonly ItemName[], isConsistent: boolean): Promise<ReadonlyMap<ItemName, Uint8Array>>;
  /**
   * Reads all buckets of a column in one query. It rounds their bytes together up to read units; reads by name round those of each bucket.
   * @param column the name of the column without the number of a bucket.
   */
  readBuckets(column: ItemName, isConsistent: boolean): Promise<ReadonlyMap<ItemName, Uint8Array>>;
  /**
   * Checks that time is left. Long computations call it between their parts: nothing else interrupts them.
   * @throws StoreUnavailable when the time of the request is over.
   */
  requireTime(): void;
}

export interface LogWriter extends LogReader {
  /** Reads the records with a stamp above one and not above another, the oldest first, one page of a query after the other. */
  oldestRecords(above: number, upTo: number): AsyncIterable<RecordPage>;
  /** Returns the milliseconds that are left. */
  remainingMs(): number;
  /** Reads the first items of a partition, in the order of their names. */
  listItems(partition: string, max: number): Promise<ReadonlyMap<ItemName, Uint8Array>>;
  putItems(items: ReadonlyMap<ItemName, Uint8Array>): Promise<void>;
  deleteItems(names: readonly ItemName[]): Promise<void>;
  /** Reads the version of the manifest, also of one that this release cannot read; 0 when there is none. */
  readManifestVersion(): Promise<number>;
  /**
   * Replaces the manifest if its version is the one before.
   * @returns false when another process has replaced it.
   */
  replaceManifest(manifest: Manifest): Promise<boolean>;
}
