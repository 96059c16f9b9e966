/**
 * `npm run bench -- live`: a thousand clients follow the tasks of one tenant on the local service, while one of them is changed each second. Measures when the change is on the
 * screens, and what the feed costs. Computes what a month costs on AWS. Writes `benchmarks/results/live.md`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';
import { createClient, type Task } from '../client/index.ts';
import { costOfMillion, total } from '../lib/costs/costs.ts';
import { prices } from '../lib/costs/prices.ts';
import { usualOrSmallest } from './form.ts';
import { measurePages } from './live-pages.ts';
import { median, milliseconds, publishPage, table } from './report.ts';

const readers = usualOrSmallest(1_000, 20);
const writes = usualOrSmallest(30, 2);

/** Milliseconds over which clients spread their requests. */
const spreads = usualOrSmallest([0, 500, 2_000], [0, 100]);

interface FeedRequest {
  readonly readUnits: number;
}

interface Measured {
  readonly spreadMs: number;
  /** Milliseconds from the write to each screen, and to the last one, of each write. */
  readonly screens: readonly number[];
  readonly last: readonly number[];
  readonly feed: readonly FeedRequest[];
}

/** Starts the service. @param onLine is called with each line of its request log. */
async function startService(spreadMs: number, onLine: (line: Record<string, unknown>) => void) {
  const args = [
    'bin/pm-api.mjs',
    'start',
    '--port',
    '0',
    '--database-file',
    ':memory:',
    '--request-log',
    'json',
  ];
  const process_: ChildProcess = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LIVE_SPREAD_MS: String(spreadMs) },
  });
  let ready = (_: string): void => {};
  const url = new Promise<string>((resolve) => {
    ready = resolve;
  });
  createInterface(process_.stdout as NodeJS.ReadableStream).on('line', (line) => {
    const found = /listens on (\S+)/.exec(line)?.[1];
    if (found) ready(found);
    if (line.startsWith('{')) onLine(JSON.parse(line) as Record<string, unknown>);
  });
  return {
    url: await url,
    stop: async () => {
      process_.kill('SIGTERM');
      await once(process_, 'exit');
    },
  };
}

async function measure(spreadMs: number): Promise<Measured> {
  let feed: FeedRequest[] = [];
  const service = await startService(spreadMs, ({ path, readUnits }) => {
    if (path === '/v1/tasks/changes') feed.push({ readUnits: Number(readUnits) });
  });
  const { url } = service;
  const writer = createClient({ url });
  const { id } = await writer.tasks.create({ name: 'before' });
  const stops: AbortController[] = [];
  let shows = (_: Task): void => {};
  let begun = 0;
  const follow = async (): Promise<void> => {
    const client = createClient({ url, webSocket: WebSocket as never });
    const stop = new AbortController();
    stops.push(stop);
    let isFirst = true;
    for await (const { data } of client.tasks.sync({}, { live: true, signal: stop.signal })) {
      if (isFirst) begun += 1;
      isFirst = false;
      for (const task of data) shows(task);
    }
  };
  const all = Array.from({ length: readers }, () => follow());
  while (begun < readers) await delay(100);
  // Each client asks once more when it is connected.
  await delay(5_000 + 2 * spreadMs);
  feed = [];
  const screens: number[] = [];
  const last: number[] = [];
  for (let count = 1; count <= writes; count += 1) {
    const started = performance.now();
    const name = `change ${count}`;
    let left = readers;
    const shown = new Promise<void>((resolve) => {
      shows = (task) => {
        if (task.name !== name) return;
        screens.push(performance.now() - started);
        left -= 1;
        if (left === 0) resolve();
      };
    });
    await writer.tasks.update(id, { name });
    await shown;
    last.push(performance.now() - started);
    await delay(Math.max(0, 1_000 - (performance.now() - started)));
  }
  for (const stop of stops) stop.abort();
  await Promise.all(all);
  await service.stop();
  return { spreadMs, screens, last, feed };
}

const highest = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(share * values.length) - 1] as number;

const unitsOf = ({ feed }: Measured): number => feed.reduce((sum, { readUnits }) => sum + readUnits, 0);

const results: Measured[] = [];
for (const spreadMs of spreads) results.push(await measure(spreadMs));

const pages = await (async () => {
  const service = await startService(0, () => {});
  const measured = await measurePages(service.url);
  await service.stop();
  return measured;
})();

const monthSeconds = 30 * 86_400;

/** Returns the dollars of requests of the feed. */
const feedCost = (requests: number, readUnits: number): number => {
  const usage = { readUnits, writeUnits: 0, billedMs: 15, memoryMb: 1_769, responseBytes: 600 };
  return (requests * total(costOfMillion(usage))) / 1_000_000;
};

/** Returns what a month costs with announcements, and by asking every five seconds. */
function month(clients: number, writesPerHour: number): (string | number)[] {
  const hours = monthSeconds / 3_600;
  const pokes = writesPerHour * hours;
  const operations = ((pokes + pokes * clients) * prices.liveOperations) / 1_000_000;
  const minutes = (clients * (monthSeconds / 60) * prices.connectionMinutes) / 1_000_000;
  // A client asks at most once for each poke, and every five minutes.
  const asked = clients * Math.max(pokes, monthSeconds / 300);
  const live = feedCost(asked, 1.5);
  const polled = feedCost((clients * monthSeconds) / 5, 1);
  const dollars = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
  return [clients, writesPerHour, dollars(operations + minutes), dollars(live), dollars(polled)];
}

const rows = results.map((result) => {
  const { spreadMs, screens, last, feed } = result;
  return [
    spreadMs,
    milliseconds(median(screens)),
    milliseconds(highest(screens, 0.95)),
    milliseconds(median(last)),
    milliseconds(Math.max(...last)),
    (feed.length / writes / readers).toFixed(2),
    (unitsOf(result) / feed.length).toFixed(2),
  ];
});

publishPage(
  'live.md',
  `${readers.toLocaleString('en')} clients of the package, in one process, follow all tasks with \`live: true\`, each on a connection of its own, and a task is changed ${writes} times, once a second. The local
service is another process on the same machine, and answers all of them: on AWS, each request would have a function of its own. Times are in milliseconds, from the begin of the write.

${table(
  [
    'spreadMs',
    'a screen: median',
    '95 %',
    'the last screen: median',
    'highest',
    'requests of the feed, for each client and change',
    'read units of a request',
  ],
  rows,
)}

A card is moved ${pages.shown.length} times on one page of the board, in Chromium, once a second: another page beside it shows it after ${milliseconds(median(pages.shown))} ms at the median, ${milliseconds(highest(pages.shown, 0.95))} ms at the 95th
percentile, and asks the feed ${(pages.requests / pages.shown.length).toFixed(2)} times for each change. In ${pages.quietMs / 1_000} seconds without a change, it asks ${pages.quietRequests} times.

What a month costs in US dollars, computed from the list prices of ${prices.date}: each delivery of a message is an operation. Clients are connected all the time. A request of the feed reads 1.5 units
if something has changed, and 1 otherwise.

${table(
  ['clients', 'changes an hour', 'AppSync Events', 'requests of the feed', 'instead, asking every 5 s'],
  [10, 100, 1_000].flatMap((clients) => [0, 10, 100, 3_600].map((changes) => month(clients, changes))),
)}
`,
);
