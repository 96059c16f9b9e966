import { isHidden, page, pause, pauseOf, type RequestOptions } from './connection.ts';
import type { Follower, LiveConnection } from './live.ts';
import { ProblemError } from './problems.ts';
import type { ChangesPage } from './query.ts';

export interface SyncOptions extends RequestOptions {
  /** The cursor of the last page that the app has stored. Without it, the feed begins with all entities. */
  readonly since?: string | undefined;
  /** Whether to ask only when the service announces a change, and every five minutes. Default: false. */
  readonly live?: boolean | undefined;
  /** Milliseconds between two requests while nothing changes. With `live`, while there is no connection. Default: 5,000. */
  readonly interval?: number | undefined;
  /** Is called with each error after which the list is read again, for example offline; and once if `live` has no `WebSocket`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A page of a list that is followed. */
export interface SyncPage<Entity> extends Omit<ChangesPage<Entity>, 'hasMore'> {
  /** Whether the page begins a new copy: empty the copy before you apply it. */
  readonly isFirst: boolean;
  /** Whether the copy with this page is equal to the list. If not, the next page follows at once. */
  readonly isComplete: boolean;
}

const statusOf = (error: unknown): number => (error instanceof ProblemError ? error.problem.status : 0);

/** Returns whether the same request would fail again. Not so a timeout, a cursor that is too old, and too many requests. */
const isFinal = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 410, 429].includes(status);

/**
 * Returns the milliseconds after which a request that has failed `failures` times is sent again; `undefined` if the service refuses it, or if it cannot be
 * sent.
 */
function retryPause(error: unknown, failures: number): number | undefined {
  if (error instanceof TypeError || isFinal(statusOf(error))) return undefined;
  return Math.max(pauseOf(failures, 1_000), error instanceof ProblemError ? error.retryAfterMs : 0);
}

/** Calls a function until it succeeds, with pauses of 1 to 60 s, or the service refuses the request. */
export async function retrying<Result>(
  call: () => Promise<Result>,
  onRetry: (error: unknown) => void,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      const pauseMs = retryPause(error, failures);
      if (pauseMs === undefined) throw error;
      onRetry(error);
      await pause(pauseMs, undefined);
    }
  }
}

const defaultIntervalMs = 5_000;

/** The pauses before a position is asked for again that was announced before an earlier write has ended. */
const holePausesMs = [1_000, 2_000, 5_000];

/** The pause before a write of this client is asked for that was not announced. */
const writePauseMs = 5_000;

/** The least time between two requests. */
const minPauseMs = 200;

/** The time after which changes are asked for in any case: an announcement can be lost. */
const maxIdleMs = 300_000;

/** Decides when to ask for the changes of a collection: not while the page is hidden, and once when it is shown. Its times are those of `performance`, because the clock of a device can be set back. */
export class LiveSchedule implements Follower {
  readonly collection: string;
  readonly #options: SyncOptions;
  readonly #unfollow: (() => void) | undefined;
  /** The position up to which the copy is complete, and a later one that was announced. */
  #position = -1;
  #poked = -1;
  /** Requests because of `#poked`. */
  #tries = 0;
  /** While changes are announced: the time over which clients spread their requests. */
  #spreadMs: number | undefined;
  /** Whether no page has been complete since the last request began. */
  #isAsking = true;
  #askedAt = 0;
  #endedAt = 0;
  #pokedAt = 0;
  #dueAt = Number.POSITIVE_INFINITY;
  #isStopped = false;
  #wake: () => void = () => undefined;

  constructor(connection: LiveConnection, collection: string, options: SyncOptions) {
    this.collection = collection;
    this.#options = options;
    options.signal?.addEventListener('abort', this.stop);
    page()?.addEventListener?.('visibilitychange', this.#show);
    try {
      if (options.live && !options.signal?.aborted) this.#unfollow = connection.follow(this);
    } catch (error) {
      options.onError?.(error);
    }
  }

  readonly stop = (): void => {
    this.#isStopped = true;
    this.#options.signal?.removeEventListener('abort', this.stop);
    page()?.removeEventListener?.('visibilitychange', this.#show);
    this.#unfollow?.();
    this.#wake();
  };

  /** Is called before a request. */
  begin(): void {
    this.#isAsking = true;
    this.#askedAt = performance.now();
    this.#endedAt = this.#askedAt;
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  /** Is called with the position of a page after which there are no more. */
  reach(position: number): void {
    this.#isAsking = false;
    this.#endedAt = performance.now();
    this.#position = position;
    if (this.#poked > position) this.#askForPoke();
    this.#wake();
  }

  /** Waits until it is time to ask. @param minMs after an error. */
  async wait(minMs = 0): Promise<void> {
    const notBefore = performance.now() + minMs;
    if (minMs > 0) this.#ask(minMs);
    while (!this.#isStopped) {
      const ms = Math.max(this.#waitMs(), notBefore - performance.now());
      if (ms <= 0 && !isHidden()) return;
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        // The end of a hidden page's wait is `visibilitychange`.
        if (!isHidden()) timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
    }
  }

  onLive(spreadMs: number | undefined): void {
    const hasChanged = (spreadMs === undefined) !== (this.#spreadMs === undefined);
    const spread = spreadMs ?? this.#spreadMs ?? 0;
    this.#spreadMs = spreadMs;
    // Announcements can have been lost until now, or are missing from now on.
    if (hasChanged) this.#ask(spread * Math.random());
  }

  onPoke(position: number): void {
    this.#pokedAt = performance.now();
    if (!(position > this.#position)) return;
    this.#poked = Math.max(this.#poked, position);
    this.#tries = 0;
    if (!this.#isAsking) this.#askForPoke();
  }

  onSight(): void {
    this.#ask((this.#spreadMs ?? 0) * Math.random());
  }

  onWrite(sentAt: number): void {
    // The announcement can come before the response.
    if (this.#spreadMs !== undefined && this.#pokedAt < sentAt) this.#ask(writePauseMs);
  }

  readonly #show = (): void => {
    if (!isHidden()) this.#ask(0);
  };

  #askForPoke(): void {
    const pauseMs = [(this.#spreadMs ?? 0) * Math.random(), ...holePausesMs][this.#tries];
    this.#tries += 1;
    if (pauseMs === undefined) this.#poked = -1;
    else this.#ask(pauseMs);
  }

  #ask(pauseMs: number): void {
    this.#dueAt = Math.min(this.#dueAt, performance.now() + pauseMs);
    this.#wake();
  }

  #waitMs(): number {
    const { interval = defaultIntervalMs } = this.#options;
    const restMs = this.#spreadMs === undefined || this.#isAsking ? interval : maxIdleMs;
    const minMs = this.#options.live ? Math.max(this.#spreadMs ?? 0, minPauseMs) : 0;
    return Math.max(Math.min(this.#dueAt, this.#endedAt + restMs), this.#askedAt + minMs) - performance.now();
  }
}

/** Reads one page after the other, until the signal is aborted or the service refuses the request. */
export async function* syncPages<Entity>(
  read: (cursor: string | undefined) => Promise<ChangesPage<Entity>>,
  options: SyncOptions,
  source: { schedule(options: SyncOptions): LiveSchedule },
): AsyncGenerator<SyncPage<Entity>, void, undefined> {
  const { since, signal, onError } = options;
  const schedule = source.schedule(options);
  try {
    let [cursor, isFirst, failures] = [since, since === undefined, 0];
    while (!signal?.aborted) {
      let errorPauseMs = 0;
      schedule.begin();
      const page = await read(cursor).catch((error: unknown) => {
        if (signal?.aborted) return undefined;
        failures += 1;
        const pauseMs = retryPause(error, failures);
        if (pauseMs === undefined) throw error;
        errorPauseMs = pauseMs;
        onError?.(error);
        if (statusOf(error) === 410) [cursor, isFirst] = [undefined, true];
        return undefined;
      });
      if (signal?.aborted) return;
      if (page) {
        const { hasMore, ...rest } = page;
        if (!hasMore) schedule.reach(page.position);
        yield { ...rest, isFirst, isComplete: !hasMore };
        [cursor, isFirst, failures] = [page.cursor, false, 0];
      }
      if (!page?.hasMore) await schedule.wait(errorPauseMs);
    }
  } finally {
    schedule.stop();
  }
}
