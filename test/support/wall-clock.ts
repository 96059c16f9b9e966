import type { Clock } from '#functions/store/dynamodb/clock.ts';

/** A clock that takes the time of this process for DynamoDB's. Tests set it by mocks of `Date.now`. */
export const wallClock: Clock = {
  read: () => ({ wall: Date.now(), monotonic: performance.now() }),
  observe: () => undefined,
  now: () => Date.now(),
  earliest: () => Date.now(),
  isContradictory: () => false,
};
