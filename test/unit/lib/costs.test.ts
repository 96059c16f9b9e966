import { coldShare, costOfMillion, idleMonth, total } from '#lib/costs/costs.ts';

test('a million requests cost their units, their time, and a line of each log', () => {
  const usage = { readUnits: 2, writeUnits: 10, billedMs: 100, memoryMb: 1_024, responseBytes: 1_000 };
  const cost = costOfMillion(usage);
  expect(cost.database).toBeCloseTo(6.5);
  expect(cost.lambda).toBeCloseTo(0.2 + 1.333_34);
  expect(cost.gateway).toBe(1);
  expect(cost.logs).toBeCloseTo(0.685);
  expect(cost.transfer).toBeCloseTo(0.09);
  expect(total(cost)).toBeCloseTo(9.808_34);
});

test('alarms cost 39 metrics of an idle month', () => {
  expect(idleMonth(true) - idleMonth(false)).toBeCloseTo(3.9);
});

test('a rare function starts for most requests, a busy one for few, and the share counts requests', () => {
  expect(coldShare([1])).toBeCloseTo(0.988, 3);
  expect(coldShare([400])).toBeCloseTo(0.007, 3);
  expect(coldShare([1, 399])).toBeCloseTo((0.988 + 399 * 0.006_82) / 400, 4);
});
