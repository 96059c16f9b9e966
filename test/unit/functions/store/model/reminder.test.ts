import fc from 'fast-check';
import { lastComparisonAt } from '#functions/store/cascades/compare-when-due.ts';
import { partitionNumber } from '#functions/store/model/index-partitions.ts';
import { maxLatenessMs } from '#functions/store/model/log-timing.ts';
import {
  decodeReminder,
  dueRemindersQuery,
  encodeReminder,
  isUnused,
  minReminderMs,
  nextLook,
  type Reminder,
  reminderIntervalMs,
  reminderPartitions,
  requestReminder,
  validUntil,
} from '#functions/store/model/reminder.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const dueAt = Date.parse('2026-02-03T04:05:06.789Z');
const log = { tenant: 'acme', kind: 'task' } as const;
const reminder = {
  ...log,
  dueAt,
  keptUntil: 7,
  late: ['r#1'],
  compared: { upTo: 3, at: 5, after: 'x' },
} as const;

test('the item of a reminder is found by its time', () => {
  const item = encodeReminder(reminder);
  const partition = partitionNumber('acme#task', reminderPartitions);
  expect(item).toEqual({
    pk: 'acme#reminder',
    sk: 'task',
    format: 2,
    ofKind: `#reminder#${partition}`,
    byStatus: '2026-02-03T04:05:06.789Z#acme#task',
    dueAt,
    keptUntil: 7,
    late: ['r#1'],
    compared: { upTo: 3, at: 5, after: 'x' },
  });
  const without = { ...reminder, late: [] };
  expect(encodeReminder(without)).not.toHaveProperty('late');
  expect(decodeReminder(encodeReminder(without))).toEqual(without);
  expect(decodeReminder(item)).toEqual(reminder);
  const { ExpressionAttributeValues: values, ...query } = dueRemindersQuery(partition, dueAt + 1);
  expect(query).toEqual({
    IndexName: 'by-status',
    KeyConditionExpression: 'ofKind = :reminders AND byStatus < :now',
  });
  expect(values).toEqual({ ':reminders': item['ofKind'], ':now': '2026-02-03T04:05:06.790Z' });
});

test('a reminder outlives all writers that rely on it, by an hour', () => {
  const requested = requestReminder(undefined, log, 0) as Reminder;
  expect(validUntil(requested)).toBe(8 * hourMs);
  expect(isUnused(requested, validUntil(requested) + hourMs - 1)).toBe(false);
  expect(isUnused(requested, validUntil(requested) + hourMs)).toBe(true);
});

test('the reminder of a lone write is not moved: nobody relies on it when it is due', () => {
  expect(minReminderMs).toBeLessThan(reminderIntervalMs);
});

describe('nextLook', () => {
  /** A reminder that was requested at 24 hours, some time after the last look. */
  const requestedAfter = (sinceLookMs: number): Reminder => ({
    ...reminder,
    keptUntil: 24 * hourMs + minReminderMs,
    compared: { upTo: 24 * hourMs - sinceLookMs - maxLatenessMs, at: 0 },
  });
  const atHour = 36 * hourMs;

  test('is half a day later while writers rely on the reminder', () => {
    const { keptUntil } = requestedAfter(12 * hourMs);
    const nowMs = keptUntil - 1;
    for (const hasRecords of [false, true]) {
      const next = nextLook(requestedAfter(12 * hourMs), nowMs, hasRecords);
      expect(next).toEqual({ dueAt: nowMs + reminderIntervalMs, keptUntil });
    }
  });

  test('is a day later when the log is written about once a day, and the reminder is kept until then', () => {
    const expected = { dueAt: atHour + 24 * hourMs, keptUntil: atHour + 24 * hourMs };
    for (const hours of [1, 12, 24])
      expect(nextLook(requestedAfter(hours * hourMs), atHour, true)).toEqual(expected);
  });

  test.each([
    ['the last look was more than a day and a half ago', requestedAfter(24 * hourMs + 1), true],
    ['there are no new records', requestedAfter(12 * hourMs), false],
    ['the reminder is new', requestReminder(undefined, log, 24 * hourMs) as Reminder, true],
  ])('is none when nobody relies on the reminder and %s', (_, before, hasRecords) => {
    expect(nextLook(before, atHour, hasRecords)).toBeUndefined();
  });
});

/** Two processes that write to one log, and the schedule, which looks each quarter of an hour. */
class Log {
  readonly reliedUntil = [0, 0];
  reminder: Reminder | undefined;
  nowMs = 0;
  /** The stamps of records that no look has compared. */
  waiting: number[] = [];
  /** Milliseconds from a record to the look that compared it. */
  readonly delays: number[] = [];

  runUntil(endMs: number): void {
    for (; this.nowMs < endMs; this.nowMs += 15 * minuteMs) {
      if (this.reminder && this.reminder.dueAt < this.nowMs) this.#look(this.reminder);
    }
  }

  #look(before: Reminder): void {
    const upTo = this.nowMs - maxLatenessMs;
    const compared = this.waiting.filter((stamp) => stamp <= upTo);
    this.delays.push(...compared.map((stamp) => this.nowMs - stamp));
    this.waiting = this.waiting.filter((stamp) => stamp > upTo);
    const at = before.compared.at + 30 * dayMs <= this.nowMs ? this.nowMs : before.compared.at;
    const after = { ...before, compared: { upTo, at } };
    const times = nextLook(before, this.nowMs, compared.length > 0);
    const comparisonAt = lastComparisonAt(before, after.compared);
    if (times) this.reminder = { ...after, ...times };
    else this.reminder = comparisonAt === undefined ? undefined : { ...after, dueAt: comparisonAt };
  }

  write(writer: number): void {
    if ((this.reliedUntil[writer] as number) <= this.nowMs) {
      this.reminder = requestReminder(this.reminder, log, this.nowMs) ?? this.reminder;
      this.reliedUntil[writer] = validUntil(this.reminder as Reminder);
    }
    this.waiting.push(this.nowMs);
  }
}

test('each record is compared by a look within 13 hours, and a run of the schedule, whenever writers write', () => {
  const writer = fc.integer({ min: 0, max: 1 });
  const hours = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 22, max: 26 }));
  const quarters = fc.integer({ min: 0, max: 3 });
  const writes = fc.array(fc.tuple(writer, hours, quarters), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(writes, (all) => {
      const one = new Log();
      for (const [number, afterHours, afterQuarters] of all) {
        one.runUntil(one.nowMs + afterHours * hourMs + afterQuarters * 15 * minuteMs);
        one.write(number);
      }
      one.runUntil(one.nowMs + 70 * dayMs);
      expect(one.delays).toHaveLength(all.length);
      expect(Math.max(...one.delays)).toBeLessThanOrEqual(13 * hourMs + 15 * minuteMs);
      // Nobody writes any more.
      expect(one.reminder).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});
