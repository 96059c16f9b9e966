/**
 * `npm run bench:load`: measures what lists and creates cost while others write into the same tenant and kind, with compaction running as in
 * AWS: every 15 seconds. Writes `docs/performance/load.md`.
 *
 * `-- --seconds 300` measures each rate for five minutes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SharedColumnCache } from '../functions/shared/store/lists/engine/column-cache.ts';
import { compact } from '../functions/shared/store/lists/engine/compaction/compact.ts';
import { openLog } from '../functions/shared/store/lists/engine/compaction/table-log-writer.ts';
import { listEntities } from '../functions/shared/store/lists/list-entities.ts';
import { ConditionFailed } from '../functions/shared/store/model/errors.ts';
import { busyIntervalMs } from '../functions/shared/store/model/job.ts';
import type { ListQuery } from '../functions/shared/store/model/list-query.ts';
import { startTestStore, type TestStore } from '../test/support/local-store.ts';
import { median, publish, table } from './report.ts';
import { TaskCollection, tenant } from './task-collection.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
const durationMs = Number(values.seconds) * 1_000;

const size = 10_000;

/** Writes per second. */
const rates = [1, 5, 10, 50];

/** Milliseconds between two rounds of lists. */
const listIntervalMs = 1_000;

const maxPageMs = 10_000;

interface Result {
  readonly rate: number;
  readonly writesPerSecond: number;
  readonly writeMs: readonly number[];
  /** By the name of the list. */
  readonly readUnits: ReadonlyMap<string, number[]>;
  readonly listMs: readonly number[];
}

const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(share * (numbers.length - 1))] ?? 0;

const listsOf = ({ frequent }: TaskCollection): Readonly<Record<string, ListQuery['filters']>> => ({
  'by creation': [],
  'a status': [['status', 'todo']],
  'a project': [['projectId', frequent.project]],
  'a project and a status': [
    ['projectId', frequent.project],
    ['status', 'todo'],
  ],
  'a priority': [['priority', 'high']],
});

async function write(collection: TaskCollection, rate: number, endMs: number): Promise<number[]> {
  const durations: number[] = [];
  const pending: Promise<void>[] = [];
  const began = performance.now();
  for (let number = 0; Date.now() < endMs; number += 1) {
    await delay(Math.max(0, began + (number * 1_000) / rate - performance.now()));
    const started = performance.now();
    pending.push(
      collection.writeAny(number).then(
        () => {
          durations.push(performance.now() - started);
        },
        (error: unknown) => {
          // Another write of this benchmark has changed the same task meanwhile.
          if (!(error instanceof ConditionFailed)) throw error;
        },
      ),
    );
  }
  await Promise.all(pending);
  return durations;
}

async function compactUntil(store: TestStore, endMs: number): Promise<void> {
  const cache = new SharedColumnCache().of(tenant, 'task');
  while (Date.now() < endMs) {
    const writer = openLog(store.database(600_000), tenant, 'task');
    await compact({ writer, cache, nowMs: Date.now() });
    await delay(Math.min(busyIntervalMs, Math.max(0, endMs - Date.now())));
  }
}

async function readLists(
  store: TestStore,
  collection: TaskCollection,
  endMs: number,
): Promise<Pick<Result, 'readUnits' | 'listMs'>> {
  const readUnits = new Map<string, number[]>();
  const listMs: number[] = [];
  while (Date.now() < endMs) {
    for (const [name, filters] of Object.entries(listsOf(collection))) {
      const database = store.database(maxPageMs);
      const started = performance.now();
      const query: ListQuery = { filters, sortBy: 'createdAt', sortOrder: 'desc', page: 1, limit: 20 };
      await listEntities({ tenant, database }, 'task', query);
      listMs.push(performance.now() - started);
      readUnits.set(name, [...(readUnits.get(name) ?? []), database.consumption.readUnits]);
    }
    await delay(listIntervalMs);
  }
  return { readUnits, listMs };
}

async function measure(store: TestStore, collection: TaskCollection, rate: number): Promise<Result> {
  const began = Date.now();
  const endMs = began + durationMs;
  const [writeMs, lists] = await Promise.all([
    write(collection, rate, endMs),
    readLists(store, collection, endMs),
    compactUntil(store, endMs),
  ]);
  return { rate, writeMs, writesPerSecond: (1_000 * writeMs.length) / (Date.now() - began), ...lists };
}

const store = await startTestStore();
const collection = new TaskCollection(store, size);
await collection.load(() => {});
const results: Result[] = [];
for (const rate of rates) {
  const result = await measure(store, collection, rate);
  results.push(result);
  console.log(rate, result.writesPerSecond, percentile(result.writeMs, 0.99));
  for (const [name, units] of result.readUnits) console.log(name, median(units), Math.max(...units));
}
await store.stop();

const head = [
  'writes per second, wanted',
  'reached',
  'write: p99 ms',
  'list: p99 ms',
  ...[...(results[0]?.readUnits.keys() ?? [])].map((name) => `${name}: read units, median and highest`),
];
const rows = results.map(({ rate, writesPerSecond, writeMs, listMs, readUnits }) => [
  rate,
  writesPerSecond.toFixed(1),
  percentile(writeMs, 0.99).toFixed(0),
  percentile(listMs, 0.99).toFixed(0),
  ...[...readUnits.values()].map((units) => `${median(units)}, ${Math.max(...units)}`),
]);
publish(
  'load.md',
  `<!-- Written by "npm run bench:load". -->

First pages of 20 tasks, newest first, while others write: mixed writes as in \`npm run bench:writes\`, into a collection of
${size.toLocaleString('en')} tasks, for ${values.seconds} seconds at each rate. Compaction takes a step every ${busyIntervalMs / 1_000} seconds, as in AWS. One process reads all lists, each once a
second. The read units are those of warm lists and of the first one, on the embedded engine.

${table(head, rows)}
`,
);
