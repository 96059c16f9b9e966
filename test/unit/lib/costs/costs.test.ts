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

test('rejects a habit without a cost', () => {
  expect(() => monthOf(1, { sleep: 1 }, {}, 0)).toThrow('There is no cost of "sleep".');
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
