import { addNewestStamps, canHaveExpired } from '#functions/store/lists/engine/newest-stamps.ts';
import type { LogRecord } from '#functions/store/model/change-log.ts';

const dayMs = 86_400_000;

const record = (stamp: number, lifeDays?: number): LogRecord => ({ key: '', stamp, lifeDays, entries: [] });

describe('addNewestStamps', () => {
  test('has the newest record of each life', () => {
    expect(addNewestStamps({}, [record(3), record(5), record(4)])).toEqual({ 30: 5 });
    expect(addNewestStamps({ 7: 5 }, [record(6, 400), record(2, 7)])).toEqual({ 7: 5, 400: 6 });
  });

  test('leaves out those that a newer record with a shorter life covers', () => {
    expect(addNewestStamps({ 400: 5 }, [record(6, 7)])).toEqual({ 7: 6 });
    expect(addNewestStamps({ 7: 6 }, [record(5, 30)])).toEqual({ 7: 6 });
  });
});

describe('canHaveExpired', () => {
  const nowMs = 1_000 * dayMs;

  test.each([
    [{}, 900, 900, false],
    [{ 30: 980 }, 972, 972, false],
    [{ 30: 980 }, 970, 970, true],
    // No record is later than what was given.
    [{ 30: 960 }, 950, 960, false],
    // The records of a week are gone, although later ones live for a year.
    [{ 7: 950, 400: 999 }, 940, 940, true],
    [{ 7: 950, 400: 999 }, 960, 960, false],
  ])('with %j, above day %i and given day %i: %s', (days, above, given, expected) => {
    const newest = Object.fromEntries(Object.entries(days).map(([life, day]) => [life, day * dayMs]));
    expect(canHaveExpired(newest, { above: above * dayMs, given: given * dayMs, nowMs })).toBe(expected);
  });
});
