/** Computes what a month of steady traffic costs, with the work that follows writes. */
import { type Cost, costOfMillion, gigabyte, million, recordsGb } from './costs.ts';
import { prices } from './prices.ts';

/** Steady traffic. Each tenant has the same share of it. */
export interface Workload {
  readonly tenants: number;
  /** Tasks of each tenant. */
  readonly tasks: number;
  /** Of all tenants together. */
  readonly requestsPerSecond: number;
  /** The setting. */
  readonly historyDays: number;
  /** Read units that the first list of an environment needs more than the following ones (`docs/performance/lists.md`). */
  readonly coldReadUnits: number;
}

/** One kind of request. */
export interface RequestKind {
  /** Of all requests. */
  readonly share: number;
  readonly cost: Cost;
  readonly isList: boolean;
  readonly isWrite: boolean;
}

interface Units {
  readonly writeUnits: number;
  readonly readUnits: number;
}

/** The units of the background work of a write, by the seconds between two writes of a log (`docs/performance/writes.md`). */
const backgroundByInterval: readonly (Units & { readonly seconds: number })[] = [
  { seconds: 0.1, writeUnits: 0.24, readUnits: 0.1 },
  { seconds: 2, writeUnits: 0.52, readUnits: 0.6 },
  { seconds: 20, writeUnits: 0.69, readUnits: 3 },
  { seconds: 60, writeUnits: 0.7, readUnits: 3 },
  { seconds: 3_600, writeUnits: 1.37, readUnits: 2.5 },
  { seconds: 86_400, writeUnits: 11.4, readUnits: 43.8 },
];

/** Returns the units of the background work of a write. Between two measured rates, they are interpolated by the logarithm of the interval. */
export function backgroundUnits(seconds: number): Units {
  const above = backgroundByInterval.findIndex((one) => one.seconds >= seconds);
  const [low, high] = [backgroundByInterval.at(Math.max(above - 1, 0)), backgroundByInterval.at(above)];
  if (!low || !high || above <= 0) return { ...(high ?? { writeUnits: 0, readUnits: 0 }) };
  const share = Math.log(seconds / low.seconds) / Math.log(high.seconds / low.seconds);
  const between = (name: keyof Units): number => low[name] + share * (high[name] - low[name]);
  return { writeUnits: between('writeUnits'), readUnits: between('readUnits') };
}

/** Read units that a list needs more for each write in a second of its log (`docs/performance/load.md`: 14.5 with 50). */
const readUnitsOfWriteRate = 0.3;

/** The share of requests that start an environment. */
const coldShare = 0.01;

const secondsOfMonth = 30 * 86_400;

/** Bytes of a stored task of the usual size, in the table and in its three indexes, with the 100 that DynamoDB adds to each. */
const taskBytes = 4 * 1_100;

/**
 * The function that compacts: collected for 15 seconds, ten batches of a shard at the same time. A table that is not large has about four shards.
 * The time of a call and the bytes of its lines are estimates.
 */
const stream = { maxCallsPerSecond: (4 * 10) / 15, billedMs: 150, memoryMb: 1_769, logBytes: 1_200 };

/** Parts of the cost of a month, in US dollars. */
export interface MonthCost {
  readonly 'requests: database': number;
  readonly 'requests: Lambda': number;
  readonly 'requests: gateway': number;
  readonly 'requests: logs': number;
  readonly 'requests: transfer': number;
  readonly 'lists: changes of the last seconds': number;
  readonly 'lists: columns of new environments': number;
  readonly 'background work of writes: database': number;
  readonly 'functions of the stream': number;
  readonly 'log lines of jobs': number;
  readonly 'storage of tasks': number;
  readonly 'storage of records': number;
}

/** Returns the cost of a month of steady traffic, without what an idle service costs. */
export function monthOfWorkload(workload: Workload, kinds: readonly RequestKind[]): MonthCost {
  const { tenants, tasks, requestsPerSecond, historyDays, coldReadUnits } = workload;
  const shareOf = (isCounted: (kind: RequestKind) => boolean): number =>
    kinds.filter(isCounted).reduce((sum, { share }) => sum + share, 0);
  const requests = requestsPerSecond * secondsOfMonth;
  const lists = requests * shareOf(({ isList }) => isList);
  const writesPerSecond = requestsPerSecond * shareOf(({ isWrite }) => isWrite);
  const writesOfLog = writesPerSecond / tenants;
  const background = backgroundUnits(1 / writesOfLog);
  const calls = Math.min(writesPerSecond, stream.maxCallsPerSecond) * secondsOfMonth;
  const call = costOfMillion({ ...stream, readUnits: 0, writeUnits: 0, responseBytes: 0 });
  const part = (name: keyof Cost): number =>
    kinds.reduce((sum, { share, cost }) => sum + (share * requests * cost[name]) / million, 0);
  const readCost = (units: number): number => (units * prices.readUnits) / million;
  const writeCost = (units: number): number => (units * prices.writeUnits) / million;
  const storage = prices.storageGb + prices.pointInTimeRecoveryGb;
  const writes = writesPerSecond * secondsOfMonth;
  return {
    'requests: database': part('database'),
    'requests: Lambda': part('lambda'),
    'requests: gateway': part('gateway'),
    'requests: logs': part('logs'),
    'requests: transfer': part('transfer'),
    'lists: changes of the last seconds': readCost(lists * readUnitsOfWriteRate * writesOfLog),
    'lists: columns of new environments': readCost(lists * coldShare * coldReadUnits),
    'background work of writes: database':
      writeCost(writes * background.writeUnits) + readCost(writes * background.readUnits),
    'functions of the stream': (calls / million) * call.lambda,
    'log lines of jobs': ((calls * stream.logBytes) / gigabyte) * prices.logsGb,
    'storage of tasks': ((tenants * tasks * taskBytes) / gigabyte) * storage,
    'storage of records': recordsGb(writesPerSecond, historyDays) * storage,
  };
}

/** Returns the cost of daily backups in a month. Each is a whole copy of the table, without its indexes. */
export const backupsMonth = (tasks: number, backupDays: number): number =>
  ((tasks * taskBytes) / 4 / gigabyte) * backupDays * prices.backupGb;

/**
 * Returns the cost of a key of your own in a month. DynamoDB keeps the key of the table for five minutes for each caller.
 * @param environments that call it all the time.
 */
export const ownKeyMonth = (environments: number): number =>
  prices.key + ((environments * secondsOfMonth) / 300 / 10_000) * prices.keyCalls;
