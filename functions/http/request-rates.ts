/** Counts the requests of tenants in this process, and estimates those of the other processes. Pure: the caller passes the time. */
import { type PublishedCount, windowMs } from '../store/model/request-counts.ts';

/** Milliseconds between two publications of a process for one tenant. */
const publicationMs = 1_000;

/** Milliseconds for which other processes are assumed to continue as before. Processes learn of each other more often. */
const maxExtrapolationMs = 2 * publicationMs;

interface Knowledge {
  /** Requests of this process, the refused ones too. */
  own: number;
  /** Requests of the other processes, at `knownAtMs` of the window. */
  others: number;
  knownAtMs: number;
  /** Requests of the other processes in a millisecond. In a new window, that of the window before. */
  othersPerMs: number;
  /** Time of the last publication, in milliseconds since 1970. */
  publishedMs: number;
}

interface Allowance {
  readonly isAllowed: boolean;
  /** Requests until the limit. */
  readonly remaining: number;
  /** Whole seconds until the next window. */
  readonly resetSeconds: number;
}

export interface Publication extends PublishedCount {
  /** When it began, in milliseconds of the window. */
  readonly beganMs: number;
}

export class RequestRates {
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
   * Counts a request. All processes count refused requests as well: then they agree on the moment in which the limit is reached.
   * @param quota requests of a tenant in a window.
   */
  count(tenant: string, quota: number, nowMs: number): Allowance {
    const known = this.#knowledge(tenant, nowMs);
    const elapsedMs = nowMs % windowMs;
    known.own += 1;
    const ageMs = Math.min(elapsedMs - known.knownAtMs, maxExtrapolationMs);
    const remaining = Math.floor(quota - known.own - known.others - known.othersPerMs * ageMs);
    return {
      isAllowed: remaining >= 0,
      remaining: Math.max(0, remaining),
      resetSeconds: Math.ceil((windowMs - elapsedMs) / 1_000),
    };
  }

  /** Returns the count to publish; `undefined` when this process has published one in the last second. */
  beginPublication(tenant: string, nowMs: number): Publication | undefined {
    const known = this.#knowledge(tenant, nowMs);
    if (Math.abs(nowMs - known.publishedMs) < publicationMs) return undefined;
    known.publishedMs = nowMs;
    const { own: count } = known;
    return { tenant, process: this.#process, window: this.#window, count, beganMs: nowMs % windowMs };
  }

  /** Adds what the other processes have published. @param others their requests in the window of the publication. */
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
