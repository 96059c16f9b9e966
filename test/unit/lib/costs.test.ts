import { readFileSync } from 'node:fs';
import {
  coldStarts,
  costOfMillion,
  costOfMillionEvents,
  idleMonth,
  machineClientMonth,
  monthOf,
  requestMetricsMonth,
  total,
} from '#lib/costs/costs.ts';
import { backgroundUnits, backupsMonth, monthOfWorkload, ownKeyMonth } from '#lib/costs/workload.ts';

describe('costs', () => {
  const usage = { readUnits: 2, writeUnits: 10, billedMs: 100, memoryMb: 1_024, responseBytes: 1_000 };

  test('a million requests cost their units, their time, and a line of each log', () => {
    const cost = costOfMillion(usage);
    expect(cost.database).toBeCloseTo(6.5);
    expect(cost.lambda).toBeCloseTo(0.2 + 1.333_34);
    expect(cost.gateway).toBe(1);
    expect(cost.logs).toBeCloseTo(0.685);
    expect(cost.transfer).toBeCloseTo(0.09);
    expect(total(cost)).toBeCloseTo(9.808_34);
  });

  test('a month costs the idle service, its users, their requests and their data', () => {
    const costs = { create: costOfMillion(usage) };
    const expected = idleMonth() + 20 * 0.015 + (9.673_34 * 20 * 100) / 1_000_000 + 2 * 0.45;
    expect(monthOf(20, { create: 100 }, costs, 2)).toBeCloseTo(expected);
  });

  test('metrics cost by the operations and the hours with a call, tokens by the thousand, cold starts by their time', () => {
    expect(requestMetricsMonth(12, 0.25)).toBeCloseTo(2.25);
    expect(machineClientMonth(2_000)).toBeCloseTo(10.5);
    expect(coldStarts(1_000, 2_048)).toBeCloseTo(26.666_8);
  });

  test('a million events cost the reads of their records, the bus, the archive, and the calls that publish them', () => {
    const calls = { recordsPerCall: 10, billedMs: 100, memoryMb: 1_024 };
    const cost = costOfMillionEvents({ readUnits: 2, events: 4, bytes: 4_000 }, calls);
    expect(cost.database).toBeCloseTo(0.25 * 2 * 0.125);
    expect(cost.bus).toBe(1);
    expect(cost.archive).toBeCloseTo(0.123);
    expect(cost.lambda).toBeCloseTo(0.025 * 0.2 + 25_000 * 0.1 * 0.000_013_333_4);
    expect(total(cost)).toBeCloseTo(cost.database + cost.bus + cost.archive + cost.lambda);
    expect(costOfMillionEvents({ readUnits: 30, events: 1, bytes: 70_000 }, calls).bus).toBe(2);
  });
});

describe('workload', () => {
  const page = readFileSync('benchmarks/results/writes.md', 'utf8');

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

  /** The units of the page of the benchmark: without a bus, and with one. */
  function measuredUnits(rate: string): readonly number[] {
    const [, units = ''] = new RegExp(`^\\| ${rate} \\|(.*)\\|$`, 'm').exec(page) ?? [];
    return units.split('|').map(Number);
  }

  test.each([
    [0.01, 'ten writes a second'],
    [0.1, 'ten writes a second'],
    [20, 'a write in 20 seconds'],
    [86_400, 'a create a day'],
    [1_000_000, 'a create a day'],
  ])(
    'with %d seconds between two writes, the background work has the units that were measured',
    (seconds, rate) => {
      const [writeUnits, readUnits, ...withBus] = measuredUnits(rate);
      expect(backgroundUnits(seconds)).toEqual({ writeUnits, readUnits });
      expect(Object.values(backgroundUnits(seconds, true))).toEqual(withBus);
    },
  );

  test('between two rates, the background work is interpolated by the logarithm of the interval', () => {
    const [hour = 0, day = 0] = [3_600, 86_400].map((seconds) => backgroundUnits(seconds).writeUnits);
    expect(backgroundUnits(Math.sqrt(3_600 * 86_400)).writeUnits).toBeCloseTo((hour + day) / 2);
  });

  test('a month costs its requests, the work that follows its writes, and what it stores', () => {
    const month = monthOfWorkload(workload, kinds);
    const database = 0.1 * create.database + 0.9 * list.database;
    expect(month['requests: database']).toBeCloseTo((database * requests) / 1_000_000);
    expect(month['requests: gateway']).toBeCloseTo(requests / 1_000_000);
    // One write a second to one log.
    expect(month['lists: new records']).toBeCloseTo((0.9 * requests * 0.06 * 0.125) / 1_000_000);
    expect(month['lists: columns of new environments']).toBeCloseTo((0.9 * requests * 0.125) / 1_000_000);
    const { writeUnits, readUnits } = backgroundUnits(1);
    expect(month['background work of writes: database']).toBeCloseTo(
      2.592 * (writeUnits * 0.625 + readUnits * 0.125),
    );
    // The records of one log are one batch in 15 seconds.
    expect(month['log lines of jobs']).toBeCloseTo(((2_592_000 / 15) * 1_200 * 0.5) / 1_000_000_000);
    expect(month['storage of tasks']).toBeCloseTo(0.0044 * 0.45);
    expect(month['storage of records']).toBeCloseTo(0.88 * 0.45, 1);
  });

  test('backups cost their copies, and a key of your own its calls', () => {
    expect(backupsMonth(1_000_000, 35)).toBeCloseTo(1.1 * 35 * 0.1);
    expect(ownKeyMonth(100)).toBeCloseTo(1 + 86.4 * 0.03);
  });
});
