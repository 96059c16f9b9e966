/** Calls handlers again and again, as the EventBridge rule and the stream of `lib/infrastructure/jobs.ts` do in the cloud. */
import { setTimeout as delay } from 'node:timers/promises';

/** EventBridge calls the handler once a minute; users of the local service wait for the results of jobs. */
const scheduleIntervalMs = 1_000;

/**
 * Calls a handler at an interval, and never starts a call before the previous one has ended.
 * @returns what stops it, after the call in progress.
 */
export function startSchedule(call: () => Promise<void>, intervalMs = scheduleIntervalMs) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const run = async (): Promise<void> => {
    for (;;) {
      await delay(intervalMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await call();
      } catch (error) {
        console.error('The scheduled function failed:', error);
      }
    }
  };
  const ended = run();
  return {
    stop: () => {
      stopped.abort();
      return ended;
    },
  };
}
