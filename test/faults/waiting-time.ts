/** Milliseconds between two looks at the process. */
const lookMs = 20;

/**
 * Runs an action. Returns its result and the milliseconds that it took, without those in which this process could not run. The requests of a busy
 * machine are late although the service ends them in time; one that the service does not end waits while the process can run.
 */
export async function measureWaiting<Result>(
  action: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly waitedMs: number }> {
  const started = performance.now();
  let last = started;
  let stoppedMs = 0;
  const look = (): void => {
    const now = performance.now();
    const lateMs = now - last - lookMs;
    // Each timer is a little late.
    if (lateMs > lookMs) stoppedMs += lateMs;
    last = now;
  };
  const timer = setInterval(look, lookMs);
  try {
    const result = await action();
    look();
    return { result, waitedMs: performance.now() - started - stoppedMs };
  } finally {
    clearInterval(timer);
  }
}
