import { partitionNumber } from '#functions/store/model/index-partitions.ts';
import {
  decodeReminder,
  dueRemindersQuery,
  encodeReminder,
  isUnused,
  isValid,
  minReminderMs,
  reminderIntervalMs,
  reminderPartitions,
  validMs,
} from '#functions/store/model/reminder.ts';

const hourMs = 3_600_000;
const dueAt = Date.parse('2026-02-03T04:05:06.789Z');
const reminder = {
  tenant: 'acme',
  kind: 'task',
  dueAt,
  requestedAt: 7,
  late: ['r#1'],
  compared: { upTo: 3, at: 5, after: 'x' },
} as const;

test('the item of a reminder is found by its time', () => {
  const item = encodeReminder(reminder);
  const partition = partitionNumber('acme#task', reminderPartitions);
  expect(item).toEqual({
    pk: 'acme#reminder',
    sk: 'task',
    ofKind: `#reminder#${partition}`,
    byStatus: '2026-02-03T04:05:06.789Z#acme#task',
    dueAt,
    requestedAt: 7,
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
  const requested = { ...reminder, requestedAt: 0 };
  for (let nowMs = 0; nowMs < 24 * hourMs; nowMs += hourMs / 4) {
    const isReliedOn = [nowMs, nowMs - hourMs].some((time) => isValid(requested, time));
    expect([nowMs, isReliedOn && isUnused(requested, nowMs)]).toEqual([nowMs, false]);
  }
  expect(isUnused(requested, 9 * hourMs)).toBe(false);
  expect(isUnused(requested, 9 * hourMs + 1)).toBe(true);
});

test('the reminder of a lone write is not moved: nobody relies on it when it is due', () => {
  expect(validMs).toBeLessThan(minReminderMs);
  expect(minReminderMs).toBeLessThan(reminderIntervalMs);
});
