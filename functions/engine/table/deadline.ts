import { delay, monotonic, random, startTimer } from '../../runtime/time-and-chance.ts';

/** Milliseconds that no request and no step of a job exceeds. The timeouts of functions are not above it. */
export const maxRequestMs = 30_000;

/** Milliseconds of the longest wait between two attempts, and of the first. */
const maxBackOffMs = 1_000;
const baseBackOffMs = 10;

/**
 * The time that a request has, or a transaction. Every call to DynamoDB ends with it, so that a response, if only 503, is sent before
 * the caller or Lambda stops waiting.
 */
export class Deadline {
  readonly #end: number;
  readonly #cancelled: AbortSignal | undefined;

  /** @param cancelled ends the time when it aborts, because nobody waits for the result any more. */
  constructor(timeMs: number, cancelled?: AbortSignal) {
    this.#end = monotonic() + timeMs;
    this.#cancelled = cancelled;
  }

  /**
   * Makes a call, and aborts it when the time is over. When the time is over already, nothing is sent. Each call has its own signal: the SDK
   * leaves its listeners on it, and a job makes thousands of calls.
   */
  async limit<Result>(call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    const remainingMs = this.remaining();
    if (remainingMs <= 0) controller.abort();
    const cancelTimer = startTimer(Math.max(0, remainingMs), () => controller.abort());
    const abort = (): void => controller.abort();
    this.#cancelled?.addEventListener('abort', abort);
    try {
      return await call(controller.signal);
    } finally {
      cancelTimer();
      this.#cancelled?.removeEventListener('abort', abort);
    }
  }

  /** Returns a deadline that ends some milliseconds before this one, or when half of its time is over. */
  before(milliseconds: number): Deadline {
    const leftMs = this.remaining();
    return new Deadline(Math.max(leftMs - milliseconds, leftMs / 2), this.#cancelled);
  }

  /** Returns the milliseconds left; a negative number when the time is over. */
  remaining(): number {
    const leftMs = this.#end - monotonic();
    return this.#cancelled?.aborted ? Math.min(0, leftMs) : leftMs;
  }

  /**
   * Waits before the next attempt, with full jitter, so that callers that collided do not collide again.
   * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
   * @param attempt number of attempts that failed.
   * @returns false, at once, when the wait would exceed the deadline, or when the time ends meanwhile.
   */
  async backOff(attempt: number): Promise<boolean> {
    const waitMs = random() * Math.min(maxBackOffMs, baseBackOffMs * 2 ** attempt);
    if (waitMs >= this.remaining()) return false;
    try {
      await delay(waitMs, this.#cancelled);
      return true;
    } catch {
      return false;
    }
  }
}
