/** Adds up what the requests of tenants use in this process, and estimates it for the other processes. Pure: the caller passes the time. */
import { type PublishedUnits, windowMs } from '../engine/model/published-units.ts';

/** Milliseconds between two publications of a process for one tenant. */
const publicationMs = 1_000;

/** Milliseconds for which other processes are assumed to continue as before. Processes learn of each other more often. */
const maxExtrapolationMs = 2 * publicationMs;

/** A process whose requests used less than this share of the quota does not publish: a tenant far below its limit pays nothing for it. */
const minPublishedShare = 0.001;

interface Knowledge {
  /** Units of this process. */
  own: number;
  /** Units of the other processes, at `knownAtMs` of the window. */
  others: number;
  knownAtMs: number;
  /** Units of the other processes in a millisecond. In a new window, that of the window before. */
  othersPerMs: number;
  /** Time of the last publication, in milliseconds since 1970. */
  publishedMs: number;
}

interface Allowance {
  readonly isAllowed: boolean;
  /** Units until the limit, rounded down. */
  readonly remaining: number;
  /** Whole seconds until the next window. */
  readonly resetSeconds: number;
}

export interface Publication extends PublishedUnits {
  /** When it began, in milliseconds of the window. */
  readonly beganMs: number;
}

export class TenantRates {
  readonly #process: string;
  #window = 0;
  #current = new Map<string, Knowledge>();
  /** Tenants of the window before. Older ones are forgotten, so a process remembers few tenants. */
  #previous = new Map<string, Knowledge>();

  /** @param process unique among all processes. */
  constructor(process: string) {
    this.#process = process;
  }

  /**
   * Returns whether a tenant may send a request, by what its earlier requests have used.
   * @param quota units of a tenant in a window.
   */
  allowance(tenant: string, quota: number, nowMs: number): Allowance {
    const known = this.#knowledge(tenant, nowMs);
    const elapsedMs = nowMs % windowMs;
    const ageMs = Math.min(elapsedMs - known.knownAtMs, maxExtrapolationMs);
    const remaining = quota - known.own - known.others - known.othersPerMs * ageMs;
    return {
      isAllowed: remaining > 0,
      remaining: Math.max(0, Math.floor(remaining)),
      resetSeconds: Math.ceil((windowMs - elapsedMs) / 1_000),
    };
  }

  /** Adds the units of a request that has ended. Those of a refused request count too: all processes then agree on how much arrives. */
  add(tenant: string, units: number, nowMs: number): void {
    this.#knowledge(tenant, nowMs).own += units;
  }

  /**
   * Returns the units to publish; `undefined` when this process has published in the last second, or has too little to publish.
   * @param quota units of a tenant in a window.
   */
  beginPublication(tenant: string, quota: number, nowMs: number): Publication | undefined {
    const known = this.#knowledge(tenant, nowMs);
    if (known.own < quota * minPublishedShare) return undefined;
    if (Math.abs(nowMs - known.publishedMs) < publicationMs) return undefined;
    known.publishedMs = nowMs;
    const { own: units } = known;
    return { tenant, process: this.#process, window: this.#window, units, beganMs: nowMs % windowMs };
  }

  /** Adds what the other processes have published. @param others their units in the window of the publication. */
  learn({ tenant, window, beganMs }: Publication, others: number): void {
    const known = this.#current.get(tenant);
    if (!known || window !== this.#window) return;
    known.others = others;
    known.knownAtMs = beganMs;
    // At the beginning of a window, hardly any process has published.
    if (beganMs >= publicationMs) known.othersPerMs = others / beganMs;
  }

  #knowledge(tenant: string, nowMs: number): Knowledge {
    this.#advance(Math.floor(nowMs / windowMs));
    const before = this.#previous.get(tenant);
    const known = this.#current.get(tenant) ?? {
      own: 0,
      others: 0,
      knownAtMs: 0,
      othersPerMs: before?.othersPerMs ?? 0,
      publishedMs: before?.publishedMs ?? 0,
    };
    this.#current.set(tenant, known);
    return known;
  }

  #advance(window: number): void {
    if (window === this.#window) return;
    this.#previous = window === this.#window + 1 ? this.#current : new Map();
    this.#current = new Map();
    this.#window = window;
  }
}
