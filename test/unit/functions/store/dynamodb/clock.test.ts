import fc from 'fast-check';
import { type Clock, CorrectedClock } from '#functions/store/dynamodb/clock.ts';
import { maxClockErrorMs } from '#functions/store/model/log-timing.ts';

const startMs = Date.parse('2026-02-03T04:05:06.300Z');
const dayMs = 86_400_000;

/** DynamoDB's time, which is right. */
let trueMs: number;
/** The error of the wall clock, and the time that the monotonic clock does not count. */
let errorMs: number;
let suspendedMs: number;
let clock: Clock;

function start(timeMs: number): void {
  [trueMs, errorMs, suspendedMs] = [timeMs, 0, 0];
  clock = new CorrectedClock({ wall: () => trueMs + errorMs, monotonic: () => trueMs - suspendedMs });
}

beforeEach(() => start(startMs));

/** Makes a call that DynamoDB responds to half-way. */
function call(roundTripMs = 10): void {
  const sent = clock.read();
  trueMs += roundTripMs / 2;
  const date = Math.floor(trueMs / 1_000) * 1_000;
  trueMs += roundTripMs / 2;
  clock.observe(sent, date);
}

function jumpTo(milliseconds: number): void {
  errorMs = milliseconds;
}

function suspend(milliseconds: number): void {
  trueMs += milliseconds;
  suspendedMs += milliseconds;
}

function pause(milliseconds: number): void {
  trueMs += milliseconds;
}

/** Returns the error of the corrected time. */
const errorLeft = (): number => (clock.now() as number) - trueMs;

test('does not tell the time before the first response', () => {
  expect(clock.now()).toBeUndefined();
  call();
  expect(clock.now()).toBeDefined();
});

test('leaves a right clock as it is', () => {
  call();
  expect(errorLeft()).toBe(0);
});

test.each([3_000, -3_000, 3_600_000, -3_600_000, 40 * dayMs, -40 * dayMs])(
  'corrects a clock with an error of %i ms to within the bound, at once',
  (error) => {
    errorMs = error;
    call();
    expect(Math.abs(errorLeft())).toBeLessThanOrEqual(maxClockErrorMs);
  },
);

test('becomes more exact with each response', () => {
  errorMs = 3_600_000;
  for (let number = 0; number < 40; number += 1) {
    call();
    trueMs += 137;
  }
  expect(Math.abs(errorLeft())).toBeLessThanOrEqual(60);
});

test('learns from the second in which DynamoDB responds, not from a moment in it', () => {
  trueMs = Math.ceil(trueMs / 1_000) * 1_000 - 10;
  call();
  expect(Math.abs(errorLeft())).toBeLessThanOrEqual(maxClockErrorMs);
});

test('ignores responses without a time, and those that took so long that they prove too little', () => {
  const sent = clock.read();
  clock.observe(sent, Number.NaN);
  expect(clock.now()).toBeUndefined();
  call(900);
  expect(clock.now()).toBeUndefined();
});

test.each([
  ['jumps ahead', () => jumpTo(3_600_000)],
  ['jumps back', () => jumpTo(-3_600_000)],
  ['stands still while the machine is suspended', () => suspend(900_000)],
])('does not trust earlier responses after the clock %s', (_, change) => {
  call();
  change();
  expect(clock.now()).toBeUndefined();
  call();
  expect(Math.abs(errorLeft())).toBeLessThanOrEqual(maxClockErrorMs);
});

test('ignores a response during whose round trip the clock jumped, or the machine was suspended', () => {
  const sent = clock.read();
  const date = Math.floor(trueMs / 1_000) * 1_000;
  errorMs += 500;
  clock.observe(sent, date);
  expect(clock.now()).toBeUndefined();
});

test('forgets responses after a minute', () => {
  call();
  trueMs += 59_000;
  expect(clock.now()).toBeDefined();
  trueMs += 1_000;
  expect(clock.now()).toBeUndefined();
});

test('never goes back', () => {
  errorMs = 2_000;
  call();
  const before = clock.now() as number;
  trueMs += 1;
  errorMs = -2_000;
  call();
  expect(clock.now()).toBeGreaterThanOrEqual(before);
});

test('does not tell the time while responses contradict each other by more than the bound', () => {
  call();
  const sent = clock.read();
  clock.observe(sent, Math.floor(trueMs / 1_000) * 1_000 + 5_000);
  expect([clock.now(), clock.isContradictory()]).toEqual([undefined, true]);
  trueMs += 60_000;
  call();
  expect([clock.now() === undefined, clock.isContradictory()]).toEqual([false, false]);
});

test('tolerates responses that contradict each other by less', () => {
  call();
  clock.observe(clock.read(), Math.floor(trueMs / 1_000) * 1_000 + 1_000);
  expect(Math.abs(errorLeft())).toBeLessThanOrEqual(2 * maxClockErrorMs);
  expect(clock.isContradictory()).toBe(false);
});

/** Returns something that happens, and its duration or size. */
const event = (happen: (milliseconds: number) => void, min: number, max: number) =>
  fc.integer({ min, max }).map((milliseconds) => () => happen(milliseconds));

test('is within the bound whatever the clocks do', () => {
  const events = fc.oneof(
    { weight: 6, arbitrary: event((halfMs) => call(2 * halfMs), 0, 600) },
    { weight: 4, arbitrary: event(pause, 0, 30_000) },
    { weight: 1, arbitrary: event(jumpTo, -5_000, 5_000) },
    { weight: 1, arbitrary: event(jumpTo, -dayMs, dayMs) },
    { weight: 1, arbitrary: event(suspend, 0, 900_000) },
  );
  const histories = fc.array(events, { maxLength: 60 });
  fc.assert(
    fc.property(histories, fc.integer({ min: 0, max: 999 }), (history, phase) => {
      start(startMs + phase);
      let last = 0;
      for (const happen of history) {
        happen();
        const now = clock.now() ?? Math.max(last, trueMs);
        expect(now).toBeGreaterThanOrEqual(last);
        expect(Math.abs(now - trueMs)).toBeLessThanOrEqual(maxClockErrorMs);
        const earliest = clock.earliest() ?? trueMs;
        expect(earliest).toBeLessThanOrEqual(trueMs);
        expect(earliest).toBeGreaterThanOrEqual(trueMs - 2 * maxClockErrorMs);
        last = clock.now() ?? last;
      }
    }),
    { numRuns: 500 },
  );
});
