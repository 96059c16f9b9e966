/** Random choices, all of them from a seeded source. */
import type { Faker } from '@faker-js/faker';

/** What there is to draw from, and how often each comes among all. */
export type Shares<Value> = readonly (readonly [share: number, value: Value])[];

export const draw = <Value>(faker: Faker, shares: Shares<Value>): Value =>
  faker.helpers.weightedArrayElement(shares.map(([weight, value]) => ({ weight, value })));

/** A position below `amount`: low ones come far more often, as few projects are large and many are small. */
export const skewed = (faker: Faker, amount: number): number =>
  Math.floor(amount * faker.number.float({ min: 0, max: 0.999_999 }) ** 2);

/** A working day, as `YYYY-MM-DD`. */
export function workingDay(
  faker: Faker,
  today: Date,
  [min, max]: readonly [earliest: number, latest: number],
): string {
  const date = new Date(today);
  date.setUTCDate(date.getUTCDate() + faker.number.int({ min, max }));
  const afterWeekend = { 0: 1, 6: 2 }[date.getUTCDay()] ?? 0;
  date.setUTCDate(date.getUTCDate() + afterWeekend);
  return date.toISOString().slice(0, 10);
}

/** One of some patterns, its braces filled in. */
export const phrase = (faker: Faker, patterns: readonly string[]): string =>
  faker.helpers.fake(faker.helpers.arrayElement(patterns));

/** Several different patterns, filled in. */
export const prose = (faker: Faker, patterns: readonly string[], count: number): string =>
  faker.helpers
    .arrayElements(patterns, count)
    .map((pattern) => faker.helpers.fake(pattern))
    .join(' ');
