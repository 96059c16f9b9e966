/** What a process remembers of logs: decoded items, what is derived from them, and the last records that it has read. */

import { settingsInUse } from '../model/schema.ts';
import { LruMap } from './lru-map.ts';

/** What a process remembers of one log, by name. */
export interface LogMemory {
  /** Rows of a segment whose columns are loaded for the first page, at most: they cost a few units. */
  readonly cheapRows: number;
  get(name: string): unknown;
  /** @param value `undefined` forgets the name. */
  set(name: string, value: unknown, bytes: number): void;
  /** Forgets the other items, and what is derived from them. */
  keepItems(isKept: (name: string) => boolean): void;
}

/** Returns whether a name is that of an item, or of what is derived from one. The others, such as the end of the log, are small, and each list needs them. */
const isItem = (name: string): boolean => name.includes('/');

/** Bytes that all tenants share, without a setting. A function of 1,769 MB needs the rest for the response and for columns that it decodes. */
const defaultMaxBytes = 512 * 1024 * 1024;

/** The share of the memory that one tenant may use, so that a large tenant does not displace all others. */
const shareOfOneTenant = 1 / 4;

const maxTenants = 10_000;

/** Bytes of an entry beside its value. */
const entryBytes = 200;

type Entries = LruMap<NonNullable<unknown>>;

/** The memory of all logs. Of one tenant, the least recently used entries leave first; of all, the least recently used tenants. */
export class ProcessMemory {
  readonly #maxBytes: () => number;
  readonly #tenants = new LruMap<Entries>();
  #bytes = 0;
  #readers = 0;
  cheapRows = 2_000;

  /** @param maxBytes of all tenants, by default those of the setting; one tenant may use a quarter of it. */
  constructor(maxBytes?: number) {
    this.#maxBytes = () => maxBytes ?? settingsInUse().columnBytes() ?? defaultMaxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the memory of a log for one list, or one step of compaction: what does not fit beside its other entries is not kept. */
  of(tenant: string, kind: string): LogMemory {
    this.#readers += 1;
    const reader = this.#readers;
    const prefix = `${kind}#`;
    return {
      cheapRows: this.cheapRows,
      get: (name) => this.#tenants.get(tenant)?.get(prefix + name, reader),
      set: (name, value, bytes) => {
        const entries = this.#entriesOf(tenant);
        const before = entries.size;
        // An entry that is larger than the memory of a tenant is not kept.
        if (value === undefined || value === null) entries.delete(prefix + name);
        else entries.set(prefix + name, value, bytes + entryBytes, isItem(name) ? reader : undefined);
        this.#bytes += entries.size - before;
        this.#makeRoom();
      },
      keepItems: (isKept) => {
        const entries = this.#entriesOf(tenant);
        const isOld = (name: string) =>
          name.startsWith(prefix) && isItem(name) && !isKept(name.slice(prefix.length));
        this.#bytes -= entries.deleteAll(isOld);
      },
    };
  }

  clear(): void {
    while (this.#tenants.size > 0) this.#dropTenant();
  }

  #dropTenant(): void {
    this.#bytes -= this.#tenants.pop()?.size ?? 0;
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes() || this.#tenants.size > maxTenants) this.#dropTenant();
  }

  #entriesOf(tenant: string): Entries {
    const known = this.#tenants.get(tenant);
    if (known) return known;
    const entries: Entries = new LruMap(Math.ceil(this.#maxBytes() * shareOfOneTenant));
    this.#tenants.set(tenant, entries);
    return entries;
  }
}

export const processMemory = new ProcessMemory();

export const logMemory = (
  { tableName }: { readonly tableName: string },
  tenant: string,
  kind: string,
): LogMemory => processMemory.of(`${tableName}#${tenant}`, kind);
