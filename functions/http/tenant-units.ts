/** The units that the requests of tenants have used in a window, as one process knows them. The caller passes the time. */
import type { Key } from '../engine/model/writes.ts';

/** Milliseconds of a window. Windows begin at multiples of it since 1970, so they are the same in all processes. */
export const windowMs = 10_000;

/** A process publishes units at once when they are this share of the quota. */
const maxUnpublishedShare = 0.01;

/** Otherwise it publishes after so many milliseconds, unless they are less than this share: a tenant far below its limit pays nothing for it. */
const publicationMs = 1_000;
const minPublishedShare = 0.001;

/** The beginning of the partition keys. No tenant begins with "#". Roles permit keys with this beginning only. */
export const ratePrefix = '#rate#';

const retentionSeconds = 60;

export class TenantUnits {
  readonly #tenant: string;
  readonly #window: number;
  /** Those of all processes, as of the last publication of this one. */
  #published = 0;
  /** Those of this process that are not published. */
  #own = 0;
  #isPublishing = false;
  /** When the last publication began, or the window, in milliseconds since 1970. */
  #beganMs: number;

  constructor(tenant: string, window: number) {
    this.#tenant = tenant;
    this.#window = window;
    this.#beganMs = window * windowMs;
  }

  /** The key of the counter of all processes. */
  get key(): Key {
    return { pk: ratePrefix + this.#tenant, sk: `units#${this.#window}` };
  }

  /** When DynamoDB may delete the counter, in seconds since 1970. */
  get expiresAt(): number {
    return this.endMs / 1_000 + retentionSeconds;
  }

  /** When the window ends, in milliseconds since 1970. */
  get endMs(): number {
    return (this.#window + 1) * windowMs;
  }

  /** The units of all processes, as far as this one knows. */
  get used(): number {
    return this.#published + this.#own;
  }

  add(units: number): void {
    this.#own += units;
  }

  /**
   * Adds units to the counter, if that is due.
   * @param count adds units to the counter. Returns the units of all processes.
   */
  async publish(quota: number, nowMs: number, count: (units: number) => Promise<number>): Promise<void> {
    const units = this.#own;
    const minShare = nowMs - this.#beganMs < publicationMs ? maxUnpublishedShare : minPublishedShare;
    if (this.#isPublishing || units < minShare * quota) return;
    this.#isPublishing = true;
    this.#beganMs = nowMs;
    try {
      this.#published = await count(units);
      this.#own -= units;
    } finally {
      this.#isPublishing = false;
    }
  }
}

/** The units of the tenants of a process in the present window. */
export class WindowUnits {
  #window = 0;
  #tenants = new Map<string, TenantUnits>();

  of(tenant: string, nowMs: number): TenantUnits {
    const window = Math.floor(nowMs / windowMs);
    if (window !== this.#window) this.#tenants = new Map();
    this.#window = window;
    const units = this.#tenants.get(tenant) ?? new TenantUnits(tenant, window);
    this.#tenants.set(tenant, units);
    return units;
  }
}
