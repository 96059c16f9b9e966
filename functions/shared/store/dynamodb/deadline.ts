import { setTimeout as delay } from 'node:timers/promises';

/**
 * The time that a piece of work has. Every database call carries its signal, so that an answer, if only "try
 * again", is on its way before whoever runs us stops waiting.
 */
export class Deadline {
  readonly #end: number;

  /** @param milliseconds how long from now. */
  constructor(milliseconds: number) {
    this.#end = performance.now() + milliseconds;
  }

  /**
   * Makes a call that is aborted when the time is over. Each has a signal of its own: the SDK leaves its
   * listeners on it, and a job makes thousands of calls.
   */
  async limit<Result>(call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), Math.max(0, this.remaining()));
    try {
      return await call(controller.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Milliseconds left; negative when it has passed. */
  remaining(): number {
    return this.#end - performance.now();
  }

  /**
   * Waits before try `attempt` (from 1): full jitter, so that those who collided do not collide again
   * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
   * @returns false, at once, when the wait would outlast the deadline.
   */
  async backOff(attempt: number): Promise<boolean> {
    const wait = Math.random() * Math.min(1_000, 10 * 2 ** attempt);
    if (wait >= this.remaining()) return false;
    await delay(wait);
    return true;
  }
}
