/** Computes what a month of steady traffic costs, with the work that follows writes. */
import { readFileSync } from 'node:fs';
import { defaultSizes } from '../../functions/engine/columns/compact/sizes.ts';
import { logRecordsWindowMs, publishing } from '../hosting/functions.ts';
import { type Cost, costOfMillionEvents, type EventUsage, gigabyte, million, recordsGb } from './costs.ts';
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
  /** Read units that the first 60 lists of an environment need more than 60 warm ones (`benchmarks/results/lists.md`). */
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

/** The rates that `npm run bench -- writes` measures, by the seconds between two writes of a log. */
const rates: readonly (readonly [seconds: number, name: string])[] = [
  [0.1, 'ten writes a second'],
  [2, 'a write in two seconds'],
  [20, 'a write in 20 seconds'],
  [60, 'a write a minute'],
  [3_600, 'a write an hour'],
  [86_400, 'a create a day'],
];

interface Measured {
  readonly seconds: number;
  readonly withoutBus: Units;
  readonly withBus: Units;
}

/** Returns the background work of a write at each rate, as the page of the benchmark has it. @throws Error when a rate is missing. */
function readMeasured(): Measured[] {
  const page = readFileSync(new URL('../../benchmarks/results/writes.md', import.meta.url), 'utf8');
  return rates.map(([seconds, name]) => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${name} |`));
    const [writeUnits, readUnits, writeUnitsWithBus, readUnitsWithBus] = (row ?? '')
      .split('|')
      .slice(2, 6)
      .map(Number);
    if (readUnitsWithBus === undefined || writeUnits === undefined)
      throw new Error(`benchmarks/results/writes.md has no rate "${name}".`);
    return {
      seconds,
      withoutBus: { writeUnits, readUnits: readUnits ?? 0 },
      withBus: { writeUnits: writeUnitsWithBus ?? 0, readUnits: readUnitsWithBus },
    };
  });
}

/**
 * Returns the units of the background work of a write. Between two measured rates, they are interpolated by the logarithm of the interval.
 * @param seconds between two writes of a log.
 */
export function backgroundUnits(seconds: number, hasBus = false): Units {
  const measured = readMeasured().map((one) => ({
    seconds: one.seconds,
    ...(hasBus ? one.withBus : one.withoutBus),
  }));
  const above = measured.findIndex((one) => one.seconds >= seconds);
  const [low, high] = [measured.at(Math.max(above - 1, 0)), measured.at(above)];
  // Below the first rate and above the last one, the units stay.
  if (!low || !high || above <= 0)
    return { writeUnits: high?.writeUnits ?? 0, readUnits: high?.readUnits ?? 0 };
  const share = Math.log(seconds / low.seconds) / Math.log(high.seconds / low.seconds);
  const between = (name: keyof Units): number => low[name] + share * (high[name] - low[name]);
  return { writeUnits: between('writeUnits'), readUnits: between('readUnits') };
}

/** Read units that a list needs more for each write in a second of its log (`benchmarks/results/lists.md`: 3 with 50). */
const readUnitsOfWriteRate = 0.06;

/** The share of requests that start an environment. */
const coldShare = 0.01;

const secondsOfMonth = 30 * 86_400;

/** Bytes of a stored task of the usual size, with the 100 that DynamoDB adds. */
const taskBytes = 1_100;

/** The table and its two indexes have it. */
const copies = 3;

/**
 * The function that compacts. At most ten batches of a shard are handled at the same time, and one of a log. A table that is not large has about four
 * shards. The bytes of its lines and the milliseconds are estimates: the longest measured step takes 1.2 s (`benchmarks/results/compaction.md`).
 */
const stream = { maxBatches: 4 * 10, callMs: 150, stepMs: 1_600, memoryMb: 1_769, logBytes: 1_200 };

/** Returns the calls of the function in a second, and the milliseconds of all of them. @param windowMs for which a batch is collected. */
function streamCalls(
  tenants: number,
  writesPerSecond: number,
  windowMs: number,
): { calls: number; ms: number } {
  const batches = (1_000 / windowMs) * Math.min(stream.maxBatches, tenants);
  const calls = Math.min(writesPerSecond, batches);
  const steps = Math.min(writesPerSecond / defaultSizes.minChanges, batches);
  return { calls, ms: calls * stream.callMs + steps * stream.stepMs };
}

/** Returns what the calls of a month cost. */
const callsCost = ({ calls, ms }: { readonly calls: number; readonly ms: number }): number =>
  (calls * secondsOfMonth * prices.invocations) / million +
  (ms / 1_000) * secondsOfMonth * (stream.memoryMb / 1_024) * prices.gbSecond;

const readCost = (units: number): number => (units * prices.readUnits) / million;
const writeCost = (units: number): number => (units * prices.writeUnits) / million;

const costOfUnits = ({ writeUnits, readUnits }: Units): number => writeCost(writeUnits) + readCost(readUnits);

const shareOf = (kinds: readonly RequestKind[], isCounted: (kind: RequestKind) => boolean): number =>
  kinds.filter(isCounted).reduce((sum, { share }) => sum + share, 0);

const writesPerSecondOf = ({ requestsPerSecond }: Workload, kinds: readonly RequestKind[]): number =>
  requestsPerSecond * shareOf(kinds, ({ isWrite }) => isWrite);

/** Parts of the cost of a month, in US dollars. */
export interface MonthCost {
  readonly 'requests: database': number;
  readonly 'requests: Lambda': number;
  readonly 'requests: gateway': number;
  readonly 'requests: logs': number;
  readonly 'requests: transfer': number;
  readonly 'lists: new records': number;
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
  const requests = requestsPerSecond * secondsOfMonth;
  const lists = requests * shareOf(kinds, ({ isList }) => isList);
  const writesPerSecond = writesPerSecondOf(workload, kinds);
  const writesOfLog = writesPerSecond / tenants;
  const background = backgroundUnits(1 / writesOfLog);
  const calls = streamCalls(tenants, writesPerSecond, logRecordsWindowMs);
  const part = (name: keyof Cost): number =>
    kinds.reduce((sum, { share, cost }) => sum + (share * requests * cost[name]) / million, 0);
  const storage = prices.storageGb + prices.pointInTimeRecoveryGb;
  const writes = writesPerSecond * secondsOfMonth;
  return {
    'requests: database': part('database'),
    'requests: Lambda': part('lambda'),
    'requests: gateway': part('gateway'),
    'requests: logs': part('logs'),
    'requests: transfer': part('transfer'),
    'lists: new records': readCost(lists * readUnitsOfWriteRate * writesOfLog),
    'lists: columns of new environments': readCost(lists * coldShare * coldReadUnits),
    'background work of writes: database': writes * costOfUnits(background),
    'functions of the stream': callsCost(calls),
    'log lines of jobs': ((calls.calls * secondsOfMonth * stream.logBytes) / gigabyte) * prices.logsGb,
    'storage of tasks': ((tenants * tasks * copies * taskBytes) / gigabyte) * storage,
    'storage of records': recordsGb(writesPerSecond, historyDays) * storage,
  };
}

/**
 * Returns what an event bus adds to a month: the events with their archive, and that the stream reports records each second.
 * @param usage the events of a usual change.
 */
export function eventBusMonth(workload: Workload, kinds: readonly RequestKind[], usage: EventUsage): number {
  const { tenants } = workload;
  const writesPerSecond = writesPerSecondOf(workload, kinds);
  const writes = writesPerSecond * secondsOfMonth;
  const seconds = tenants / writesPerSecond;
  const work = costOfUnits(backgroundUnits(seconds, true)) - costOfUnits(backgroundUnits(seconds));
  const { database, bus, archive } = costOfMillionEvents(usage, {
    recordsPerCall: 1,
    billedMs: 0,
    memoryMb: 0,
  });
  const events = ((database + bus + archive) * writes * usage.events) / million;
  const [withBus, withoutBus] = [publishing.windowMs, logRecordsWindowMs].map((windowMs) =>
    callsCost(streamCalls(tenants, writesPerSecond, windowMs)),
  ) as [number, number];
  return writes * work + events + withBus - withoutBus;
}

/** Returns the cost of daily backups in a month. Each is a whole copy of the table, without its indexes. */
export const backupsMonth = (tasks: number, backupDays: number): number =>
  ((tasks * taskBytes) / gigabyte) * backupDays * prices.backupGb;

/**
 * Returns the cost of a key of your own in a month. DynamoDB keeps the key of the table for five minutes for each caller.
 * @param environments that call it all the time.
 */
export const ownKeyMonth = (environments: number): number =>
  prices.key + ((environments * secondsOfMonth) / 300 / 10_000) * prices.keyCalls;
