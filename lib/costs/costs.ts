/** Computes what requests cost, from their units and the list prices. */

import { jobPartitions } from '../../functions/engine/model/job.ts';
import { reminderPartitions } from '../../functions/engine/model/reminder.ts';
import { jobMetrics } from '../../functions/jobs/job-metrics.ts';
import { prices } from './prices.ts';

/** What one request uses. */
export interface Usage {
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Milliseconds that Lambda bills, with the share of cold starts. */
  readonly billedMs: number;
  readonly memoryMb: number;
  readonly responseBytes: number;
}

/** Bytes of the lines that function and gateway log for a request, with what CloudWatch adds. */
const logBytes = 1_370;

export const million = 1_000_000;
export const gigabyte = 1_000_000_000;

/** Parts of the cost of a million requests, in US dollars. */
export interface Cost {
  readonly database: number;
  readonly lambda: number;
  readonly gateway: number;
  readonly logs: number;
  readonly transfer: number;
}

/** Returns the cost of a million requests. */
export const costOfMillion = ({ readUnits, writeUnits, billedMs, memoryMb, responseBytes }: Usage): Cost => ({
  database: readUnits * prices.readUnits + writeUnits * prices.writeUnits,
  lambda: prices.invocations + million * (billedMs / 1_000) * (memoryMb / 1_024) * prices.gbSecond,
  gateway: prices.requests,
  logs: ((million * logBytes) / gigabyte) * prices.logsGb,
  transfer: ((million * responseBytes) / gigabyte) * prices.transferGb,
});

/** Returns the sum of the parts. */
export const total = (cost: Cost | EventCost): number =>
  Object.values(cost).reduce((sum: number, part: number) => sum + part, 0);

/** Metrics of all alarms (`lib/infrastructure/alarmed-symptoms.ts`). A test compares it with the template. */
export const alarmMetrics = 35;

/** Metrics that the functions for jobs write (`functions/jobs/job-metrics.ts`): two of them write that of the pending records. */
const scheduleMetrics = Object.keys(jobMetrics).length + 1;

/** Metrics of an operation that is called: its duration, and its read or write units. */
const metricsPerOperation = 2.5;

/** Runs of the schedule in a month, the milliseconds of each, and the read units of each: half a unit for each partition. */
const schedule = {
  runs: 60 * 24 * 30,
  billedMs: 30,
  memoryMb: 1_769,
  readUnits: (jobPartitions + reminderPartitions) / 2,
};

/** Returns the cost of a month without requests and without data. */
export function idleMonth(): number {
  const run = costOfMillion({ ...schedule, writeUnits: 0, responseBytes: 0 });
  const runs = ((run.database + run.lambda + run.logs) * schedule.runs) / million;
  const metrics = alarmMetrics * prices.alarmMetric + scheduleMetrics * prices.customMetric;
  return runs + metrics + prices.dashboard;
}

/**
 * Returns the cost of the metrics of requests in a month. CloudWatch charges a metric for the hours in which it has a value.
 * @param operations that are called.
 * @param share of the hours in which each is called.
 */
export const requestMetricsMonth = (operations: number, share: number): number =>
  operations * metricsPerOperation * prices.customMetric * share;

/** Returns the cost of cold starts, in US dollars for a million. */
export const coldStarts = (milliseconds: number, memoryMb: number): number =>
  million * (milliseconds / 1_000) * (memoryMb / 1_024) * prices.gbSecond;

/** Returns the cost of a client for programs in a month. @param tokens that it requests. */
export const machineClientMonth = (tokens: number): number =>
  prices.machineClient + (tokens / 1_000) * prices.machineTokens;

/** What the events of one record of the change log use, where there is an event bus. */
export interface EventUsage {
  /** The record is read, because the stream has only its key. */
  readonly readUnits: number;
  readonly events: number;
  /** Bytes of all its events. */
  readonly bytes: number;
}

/** How the function that publishes is called. */
export interface PublishingCalls {
  readonly recordsPerCall: number;
  readonly billedMs: number;
  readonly memoryMb: number;
}

/** Parts of the cost of a million events, in US dollars. */
export interface EventCost {
  readonly database: number;
  readonly bus: number;
  /** The archive, with a month of storage. */
  readonly archive: number;
  readonly lambda: number;
}

/** Bytes that EventBridge charges as one event. */
const eventBytes = 65_536;

/** Returns the cost of a million events. Their delivery to targets in the account is free, but not the targets. */
export function costOfMillionEvents(
  { readUnits, events, bytes }: EventUsage,
  { recordsPerCall, billedMs, memoryMb }: PublishingCalls,
): EventCost {
  const records = million / events;
  const calls = records / recordsPerCall;
  const seconds = (calls * billedMs) / 1_000;
  return {
    database: (records / million) * readUnits * prices.readUnits,
    bus: Math.ceil(bytes / events / eventBytes) * prices.events,
    archive: ((records * bytes) / gigabyte) * (prices.archivedGb + prices.archiveGb),
    lambda: (calls / million) * prices.invocations + seconds * (memoryMb / 1_024) * prices.gbSecond,
  };
}

/** Bytes of the record of one change: one read unit, of 4 KB, reads about 17 of them. DynamoDB stores 100 more for each item. */
const recordBytes = 4_096 / 17 + 100;

/**
 * Returns the gigabytes of the records of changes.
 * @param changesPerSecond transactions that change entities, on average.
 * @param historyDays the setting.
 */
export const recordsGb = (changesPerSecond: number, historyDays: number): number =>
  (changesPerSecond * 86_400 * historyDays * recordBytes) / gigabyte;

/** Number of requests of one user in a month, by operation. */
type Habits = Readonly<Record<string, number>>;

/** Returns the cost of a month: the service itself, the requests of its users, and their data. */
export function monthOf(
  users: number,
  habits: Habits,
  costs: Readonly<Record<string, Cost>>,
  storedGb: number,
): number {
  const requests = Object.entries(habits).map(([operation, count]) => {
    const cost = costs[operation];
    if (!cost) throw new TypeError(`There is no cost of "${operation}".`);
    return (total(cost) * count * users) / million;
  });
  const storage = storedGb * (prices.storageGb + prices.pointInTimeRecoveryGb);
  return idleMonth() + storage + users * prices.activeUser + requests.reduce((sum, one) => sum + one, 0);
}
