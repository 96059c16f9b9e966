/** Computes what requests cost, from their units and the list prices. */

import { jobPartitions } from '../../functions/engine/model/job.ts';
import { reminderPartitions } from '../../functions/engine/model/reminder.ts';
import { jobMetrics } from '../../functions/jobs/job-metrics.ts';
import { prices } from './prices.ts';

/** What one request uses. */
export interface Usage {
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Milliseconds that Lambda bills. */
  readonly billedMs: number;
  readonly memoryMb: number;
  readonly responseBytes: number;
}

/** Bytes of the lines that function and gateway log for a request, with what CloudWatch adds. */
const logBytes = 1_370;

const million = 1_000_000;
const gigabyte = 1_000_000_000;

/** Returns the parts of the cost of a million requests, in US dollars. */
export const costOfMillion = ({ readUnits, writeUnits, billedMs, memoryMb, responseBytes }: Usage) => ({
  database: readUnits * prices.readUnits + writeUnits * prices.writeUnits,
  lambda: prices.invocations + million * (billedMs / 1_000) * (memoryMb / 1_024) * prices.gbSecond,
  gateway: prices.requests,
  logs: ((million * logBytes) / gigabyte) * prices.logsGb,
  transfer: ((million * responseBytes) / gigabyte) * prices.transferGb,
});

export const total = (cost: ReturnType<typeof costOfMillion>): number =>
  Object.values(cost).reduce((sum, part) => sum + part, 0);

/** Metrics of all alarms (`lib/infrastructure/alarmed-symptoms.ts`). A test compares it with the template. */
export const alarmMetrics = 39;

/**
 * Metrics that the functions for jobs write (`functions/jobs/job-metrics.ts`): two of them write that of the pending records, and none that of logs that are not
 * compacted while there are none.
 */
const scheduleMetrics = Object.keys(jobMetrics).length;

/** Metrics that filters make of the log of the functions: requests that write, and pending records. */
const logMetrics = 2;

/** Runs of the schedule in a month, the milliseconds of each, and the read units of each: half a unit for each partition, and for the place of the daily visit. */
const schedule = {
  runs: 60 * 24 * 30,
  billedMs: 30,
  memoryMb: 1_769,
  readUnits: (jobPartitions + reminderPartitions + 1) / 2,
};

/** Returns the cost of a month without requests and without data. */
export function idleMonth(hasAlarms: boolean): number {
  const run = costOfMillion({ ...schedule, writeUnits: 0, responseBytes: 0 });
  const runs = ((run.database + run.lambda + run.logs) * schedule.runs) / million;
  const alarms = hasAlarms ? alarmMetrics * prices.alarmMetric : 0;
  return runs + alarms + (scheduleMetrics + logMetrics) * prices.customMetric + prices.dashboard;
}

/** Hours for which Lambda keeps an environment without requests: an estimate. AWS does not document it. */
const keptHours = 0.1;

/** Hours in which the users of a team work on a day. */
const workingHours = 8;

/**
 * Returns the share of requests that start an environment, when the requests of a function come at random within the working hours.
 * @param requestsPerDay of each function.
 */
export function coldShare(requestsPerDay: readonly number[]): number {
  const cold = requestsPerDay.map((requests) => requests * Math.exp((-requests / workingHours) * keptHours));
  const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
  return sum(cold) / sum(requestsPerDay);
}
