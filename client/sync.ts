import { pause, pauseOf, type RequestOptions } from './connection.ts';
import { ProblemError } from './problems.ts';
import type { ChangesPage } from './query.ts';

export interface SyncOptions extends RequestOptions {
  /** The cursor of the last page that the app has stored. Without it, the feed begins with all entities. */
  readonly since?: string | undefined;
  /** Milliseconds between two requests while nothing changes. Default: 5,000. */
  readonly interval?: number | undefined;
  /** Is called with each error after which the list is read again, for example offline. */
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

/** Reads one page after the other, until the signal is aborted or the service refuses the request. */
export async function* syncPages<Entity>(
  read: (cursor: string | undefined) => Promise<ChangesPage<Entity>>,
  { since, signal, interval = 5_000, onError }: SyncOptions,
): AsyncGenerator<SyncPage<Entity>, void, undefined> {
  let [cursor, isFirst, failures] = [since, since === undefined, 0];
  while (!signal?.aborted) {
    let waitMs = interval;
    const page = await read(cursor).catch((error: unknown) => {
      if (signal?.aborted) return undefined;
      failures += 1;
      const pauseMs = retryPause(error, failures);
      if (pauseMs === undefined) throw error;
      waitMs = pauseMs;
      onError?.(error);
      if (statusOf(error) === 410) [cursor, isFirst] = [undefined, true];
      return undefined;
    });
    if (signal?.aborted) return;
    if (page) {
      const { hasMore, ...rest } = page;
      yield { ...rest, isFirst, isComplete: !hasMore };
      [cursor, isFirst, failures] = [page.cursor, false, 0];
    }
    // The signal ends the pause with an error.
    if (!page?.hasMore) await pause(waitMs, signal).catch(() => undefined);
  }
}
