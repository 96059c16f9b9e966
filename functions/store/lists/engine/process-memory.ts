/** What a process remembers of logs: decoded items, what is derived from them, and the last records that it has read. */

import { LRUCache } from 'lru-cache';
import { startTimer } from '../../../runtime/time-and-chance.ts';

/** What a process remembers of one log, by name. */
export interface LogMemory {
  get(name: string): unknown;
  /**
   * @param value `undefined` forgets the name.
   * @param maxMs milliseconds after which the value leaves by itself. Default: never.
   */
  set(name: string, value: unknown, bytes: number, maxMs?: number): void;
}

/** Bytes that all tenants share. A function of 1,769 MB needs the rest for the response and for columns that it decodes. */
const defaultMaxBytes = 512 * 1024 * 1024;

/** The share of the memory that one tenant may use, so that a large tenant does not displace all others. */
const shareOfOneTenant = 1 / 4;

/** Tenants of which a process remembers something. */
const maxTenants = 10_000;

/** Bytes of an entry beside its value. */
const entryBytes = 200;

interface Entry {
  readonly value: unknown;
  /** Cancels the timer that removes the entry. */
  readonly cancelTimer: (() => void) | undefined;
}

type Entries = LRUCache<string, Entry>;

/** The memory of all logs. Of one tenant, the least recently used entries leave first; of all, the least recently used tenants. */
export class ProcessMemory {
  readonly #maxBytes: number;
  readonly #tenants: LRUCache<string, Entries>;
  #bytes = 0;

  /** @param maxBytes of all tenants; one tenant may use a quarter of it. */
  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
    const dispose = (entries: Entries): void => {
      this.#bytes -= entries.calculatedSize;
      // Ends the timers of its entries.
      entries.clear();
    };
    // With `max`, the cache would allocate the places of all of them at once. An audit has a memory for each log.
    this.#tenants = new LRUCache({ maxSize: maxTenants, sizeCalculation: () => 1, dispose });
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  of(tenant: string, kind: string): LogMemory {
    return {
      get: (name) => this.#tenants.get(tenant)?.get(`${kind}#${name}`)?.value,
      set: (name, value, bytes, maxMs) => {
        const entries = this.#entriesOf(tenant);
        const key = `${kind}#${name}`;
        const remove = (): void => this.#set(entries, key, undefined, 0);
        const cancelTimer = maxMs === undefined ? undefined : startTimer(maxMs, remove);
        this.#set(entries, key, value === undefined ? undefined : { value, cancelTimer }, bytes);
        while (this.#bytes > this.#maxBytes) this.#tenants.pop();
      },
    };
  }

  #set(entries: Entries, key: string, entry: Entry | undefined, bytes: number): void {
    const before = entries.calculatedSize;
    entries.set(key, entry, { size: bytes + entryBytes });
    // An entry that is larger than the memory of a tenant is not kept.
    if (entry && !entries.has(key)) entry.cancelTimer?.();
    this.#bytes += entries.calculatedSize - before;
  }

  clear(): void {
    this.#tenants.clear();
  }

  #entriesOf(tenant: string): Entries {
    const known = this.#tenants.get(tenant);
    if (known) return known;
    const entries: Entries = new LRUCache({
      maxSize: Math.ceil(this.#maxBytes * shareOfOneTenant),
      dispose: ({ cancelTimer }) => cancelTimer?.(),
    });
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
