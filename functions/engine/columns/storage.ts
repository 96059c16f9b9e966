/** What the list engine needs of the database. `dynamodb-storage.ts` and `compact/dynamodb-compaction-storage.ts` implement it. */
import type { LogRecord } from '../model/change-log.ts';
import type { ItemName, Manifest } from './format/manifest.ts';

/** The newest part of a log, as of one moment. */
export interface LogHead {
  readonly manifest: Manifest | undefined;
  readonly records: readonly LogRecord[];
  /** Whether these are all records that were asked for. The others exceed one page of a query, which is what shows one moment. */
  readonly isComplete: boolean;
}

export interface LogReader {
  /** Reads the manifest and then the records downwards, consistently, in one page: see `read/read-state.ts`. */
  readHead(above: number): Promise<LogHead>;
  /** Reads the manifest consistently. */
  readManifest(): Promise<Manifest | undefined>;
  /**
   * Reads the records with a position above one, the oldest first, consistently, one page of a query after the other.
   * @param isEnough returns whether no further page is needed. By default, all are read.
   */
  oldestRecords(above: number, isEnough?: (records: readonly LogRecord[]) => boolean): Promise<LogRecord[]>;
  /** Reads the records at some positions, consistently. Those that do not exist are absent. */
  recordsAt(positions: readonly number[]): Promise<readonly LogRecord[]>;
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
  readonly requireTime: () => void;
}

export interface LogWriter extends LogReader {
  /** Fills those of some positions that have no record. Returns the records that they have then. */
  fill(positions: readonly number[]): Promise<readonly LogRecord[]>;
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
