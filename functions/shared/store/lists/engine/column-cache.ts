/** What a process remembers of logs: immutable columns, and the last records that it has read. The least recently used entries leave first. */

/** Decoded columns of one log, and what else a process remembers of it, by name. */
export interface ColumnCache {
  get(name: string): unknown;
  set(name: string, value: unknown, bytes: number): void;
}

interface Entry {
  readonly tenant: string;
  readonly value: unknown;
  readonly bytes: number;
}

/** Bytes that all tenants share. A function of 1,769 MB needs the rest for the response and for columns that it decodes. */
const defaultMaxBytes = 512 * 1024 * 1024;

/** The share of the memory that one tenant may use, so that a large tenant does not displace all others. */
const shareOfOneTenant = 1 / 4;

/** Bytes of the entry itself. */
const entryBytes = 200;

/** Columns of all tenants that a process has read. Each key begins with the tenant. */
export class SharedColumnCache {
  /** In the order of use: the first one has not been used for the longest time. */
  readonly #entries = new Map<string, Entry>();
  readonly #bytesOfTenants = new Map<string, number>();
  readonly #maxBytes: number;
  #bytes = 0;

  /** @param maxBytes of all tenants; one tenant may use a quarter of it. */
  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the part of the cache for one log. */
  of(tenant: string, kind: string): ColumnCache {
    const keyOf = (name: string): string => `${tenant}#${kind}#${name}`;
    return {
      get: (name) => this.#get(keyOf(name)),
      set: (name, value, bytes) => this.#set(keyOf(name), { tenant, value, bytes: bytes + entryBytes }),
    };
  }

  /** Forgets all columns. */
  clear(): void {
    this.#entries.clear();
    this.#bytesOfTenants.clear();
    this.#bytes = 0;
  }

  #get(key: string): unknown {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  #set(key: string, entry: Entry): void {
    this.#remove(key);
    const maxTenantBytes = this.#maxBytes * shareOfOneTenant;
    if (entry.bytes > maxTenantBytes) return;
    this.#entries.set(key, entry);
    this.#count(entry, entry.bytes);
    this.#evict((this.#bytesOfTenants.get(entry.tenant) ?? 0) - maxTenantBytes, entry.tenant);
    this.#evict(this.#bytes - this.#maxBytes);
  }

  #count({ tenant }: Entry, bytes: number): void {
    this.#bytes += bytes;
    const left = (this.#bytesOfTenants.get(tenant) ?? 0) + bytes;
    if (left > 0) this.#bytesOfTenants.set(tenant, left);
    else this.#bytesOfTenants.delete(tenant);
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#count(entry, -entry.bytes);
  }

  /** Removes the least recently used entries, of one tenant or of all. */
  #evict(bytes: number, tenant?: string): void {
    let left = bytes;
    if (left <= 0) return;
    for (const [key, entry] of this.#entries) {
      if (left <= 0) return;
      if (tenant !== undefined && entry.tenant !== tenant) continue;
      this.#remove(key);
      left -= entry.bytes;
    }
  }
}

/** The columns that this process has read. */
export const sharedColumns = new SharedColumnCache();

/** Returns what this process remembers of a log. */
export const logCache = (
  { tableName }: { readonly tableName: string },
  tenant: string,
  kind: string,
): ColumnCache => sharedColumns.of(`${tableName}#${tenant}`, kind);
