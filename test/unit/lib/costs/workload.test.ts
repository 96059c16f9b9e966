import { costOfMillion } from '#lib/costs/costs.ts';
import { backgroundUnits, backupsMonth, monthOfWorkload, ownKeyMonth } from '#lib/costs/workload.ts';

const create = costOfMillion({
  readUnits: 2,
  writeUnits: 7,
  billedMs: 20,
  memoryMb: 1_024,
  responseBytes: 300,
});
const list = costOfMillion({
  readUnits: 3,
  writeUnits: 0,
  billedMs: 40,
  memoryMb: 1_769,
  responseBytes: 9_000,
});
const kinds = [
  { share: 0.1, cost: create, isList: false, isWrite: true },
  { share: 0.9, cost: list, isList: true, isWrite: false },
];
const workload = { tenants: 1, tasks: 1_000, requestsPerSecond: 10, historyDays: 30, coldReadUnits: 100 };
const requests = 10 * 30 * 86_400;

test.each([
  [0.01, 0.24, 0.1],
  [0.1, 0.24, 0.1],
  [20, 0.69, 3],
  [86_400, 11.4, 43.8],
])(
  'with %d seconds between two writes, the background work has the units that were measured',
  (seconds, writeUnits, readUnits) => {
    const found = backgroundUnits(seconds);
    expect(found.writeUnits).toBeCloseTo(writeUnits);
    expect(found.readUnits).toBeCloseTo(readUnits);
  },
);

test('between two rates, the background work is interpolated, and above the last one it stays', () => {
  expect(backgroundUnits(Math.sqrt(3_600 * 86_400)).writeUnits).toBeCloseTo((1.37 + 11.4) / 2);
  expect(backgroundUnits(1_000_000)).toMatchObject({ writeUnits: 11.4, readUnits: 43.8 });
});

test('a month costs its requests, the work that follows its writes, and what it stores', () => {
  const month = monthOfWorkload(workload, kinds);
  const database = 0.1 * create.database + 0.9 * list.database;
  expect(month['requests: database']).toBeCloseTo((database * requests) / 1_000_000);
  expect(month['requests: gateway']).toBeCloseTo(requests / 1_000_000);
  // One write a second to one log.
  expect(month['lists: changes of the last seconds']).toBeCloseTo((0.9 * requests * 0.3 * 0.125) / 1_000_000);
  expect(month['lists: columns of new environments']).toBeCloseTo((0.9 * requests * 0.125) / 1_000_000);
  const { writeUnits, readUnits } = backgroundUnits(1);
  expect(month['background work of writes: database']).toBeCloseTo(
    2.592 * (writeUnits * 0.625 + readUnits * 0.125),
  );
  // A call for each write: fewer than the stream can have.
  expect(month['log lines of jobs']).toBeCloseTo((2_592_000 * 1_200 * 0.5) / 1_000_000_000);
  expect(month['storage of tasks']).toBeCloseTo(0.0044 * 0.45);
  expect(month['storage of records']).toBeCloseTo(0.88 * 0.45, 1);
});

test('the functions of the stream are called at most as often as batches are collected', () => {
  const calls = (requestsPerSecond: number): number =>
    monthOfWorkload({ ...workload, requestsPerSecond }, kinds)['functions of the stream'];
  expect(calls(1_000)).toBe(calls(100));
  expect(calls(10)).toBeLessThan(calls(100));
});

test('backups cost their copies, and a key of your own its calls', () => {
  expect(backupsMonth(1_000_000, 35)).toBeCloseTo(1.1 * 35 * 0.1);
  expect(ownKeyMonth(100)).toBeCloseTo(1 + 86.4 * 0.03);
});
