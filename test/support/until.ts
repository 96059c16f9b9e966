/** The places in which tests wait in real time: for what other processes do without an event, and for what a slow network does. */
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two checks. */
const interval = 10;

/** Waits until a condition holds. jest ends the test when it never holds. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await delay(interval);
}

export const wait = (milliseconds: number): Promise<void> => delay(milliseconds);
