import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds for which an index that is behind is waited for. */
const longestLag = 3_000;

/** Milliseconds between two looks, at most. */
const longestPause = 400;

/**
 * Reads from an index until it has what the counters promise: indexes lag behind the table, by milliseconds as a
 * rule. What it does not have after three seconds is left out.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
 */
export async function readUntilComplete<Found>(
  read: () => Promise<Found>,
  isComplete: (found: Found) => boolean,
): Promise<Found> {
  const started = performance.now();
  for (let pause = 25; ; pause = Math.min(2 * pause, longestPause)) {
    const found = await read();
    if (isComplete(found) || performance.now() + pause > started + longestLag) return found;
    await delay(pause);
  }
}
