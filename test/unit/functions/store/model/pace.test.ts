import { decodePace, encodePace, newPace, type Pace, reserve } from '#functions/store/model/pace.ts';

const nowMs = Date.parse('2026-01-01T00:00:00.000Z');
const step = { nowMs, changes: 50, changesPerSecond: 100, isThrottled: false };
const pace: Pace = { tenant: 'acme', version: 3, freeAt: nowMs + 250, slowdown: 1 };

describe('reserve', () => {
  test('begins the first step at once, and reserves the time of its changes', () => {
    expect(reserve(newPace('acme'), step)).toEqual({
      pace: { tenant: 'acme', version: 1, freeAt: nowMs + 500, slowdown: 1 },
      waitMs: 0,
    });
  });

  test('begins a step when the previous reservations end', () => {
    expect(reserve(pace, step)).toEqual({
      pace: { tenant: 'acme', version: 4, freeAt: nowMs + 750, slowdown: 1 },
      waitMs: 250,
    });
  });

  test('saves no time that was not used', () => {
    const { pace: after, waitMs } = reserve({ ...pace, freeAt: nowMs - 60_000 }, step);
    expect([after.freeAt, waitMs]).toEqual([nowMs + 500, 0]);
  });

  test('ignores a reservation that only a wrong clock can have made', () => {
    const { pace: after, waitMs } = reserve({ ...pace, freeAt: nowMs + 600_001 }, step);
    expect([after.freeAt, waitMs]).toEqual([nowMs + 500, 0]);
  });

  test('doubles the time of a step after a throttle, up to sixteen times', () => {
    const slowdowns: number[] = [];
    let current = newPace('acme');
    for (let number = 0; number < 5; number += 1) {
      current = reserve({ ...current, freeAt: 0 }, { ...step, isThrottled: true }).pace;
      slowdowns.push(current.slowdown);
      expect(current.freeAt).toBe(nowMs + 500 * current.slowdown);
    }
    expect(slowdowns).toEqual([2, 4, 8, 16, 16]);
  });

  test('returns to the pace of the setting step by step without further throttles', () => {
    let current = { ...pace, slowdown: 16 };
    let steps = 0;
    for (; current.slowdown > 1; steps += 1) {
      const next = reserve(current, step).pace;
      expect(next.slowdown).toBeLessThan(current.slowdown);
      current = next;
    }
    expect([current.slowdown, steps]).toEqual([1, 10]);
  });
});

test('an item stores a pace, and expires an hour after its last reservation', () => {
  const item = encodePace(pace);
  expect(item).toEqual({
    pk: 'acme#pace',
    sk: 'pace',
    tenant: 'acme',
    version: 3,
    freeAt: nowMs + 250,
    slowdown: 1,
    expiresAt: nowMs / 1_000 + 3_601,
  });
  expect(decodePace(item)).toEqual(pace);
});
