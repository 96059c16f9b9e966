import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two checks. */
const interval = 10;

/** Waits in real time until a condition holds, for what another process does without an event. jest ends the test when it never holds. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await delay(interval);
}
