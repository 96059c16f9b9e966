/**
 * `npm run bench -- creates`: measures creates of tasks at a fixed rate, while another process reads lists of the same tenant, over HTTP. Writes
 * `docs/performance/creates.md`.
 *
 * `--beside <folder>` measures another version at the same time: a checkout of it in which its packages are installed. Each version has an
 * engine of its own, which rejects conflicting transactions as DynamoDB does. The versions share the machine, so compare them with each other
 * only. `--beside-name <name>` names it in the tables. `--seconds 300` measures each rate for five minutes, instead of one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEngine } from '../lib/local/dynamodb-engine.ts';
import { type Call, conflicts, type EngineResponse, startEngineProxy } from './engine-proxy.ts';
import { formOption, isSmallest, usualOrSmallest } from './form.ts';
import { plot, type Series } from './plot.ts';
import { median, milliseconds, percentile, publish, publishPage, table } from './report.ts';

const { values: flags } = parseArgs({
  options: {
    beside: { type: 'string' },
    'beside-name': { type: 'string', default: 'the other version' },
    seconds: { type: 'string', default: usualOrSmallest('60', '1') },
    ...formOption,
  },
});
const durationMs = Number(flags.seconds) * 1_000;

/** Creates in a second. */
const rates = usualOrSmallest([1, 10, 50], [10]);

/** Tasks before the first create that is measured. */
const size = usualOrSmallest(2_000, 20);

/** Milliseconds for which a transaction holds its items. */
const holdMs = 8;

/** Milliseconds between two runs of the jobs. The stream of a busy table starts them as often. */
const jobIntervalMs = 15_000;

/** Milliseconds from the first query for jobs of a run to the last one. */
const jobQueriesMs = 500;

type Pass = () => Promise<EngineResponse>;

const isQueryForJobs = ({ operation, body }: Call): boolean =>
  operation === 'Query' && body['IndexName'] === 'by-status' && JSON.stringify(body).includes('"#job');

const noJobs = ({ body }: Call): EngineResponse => ({
  status: 200,
  body: JSON.stringify({
    Items: [],
    Count: 0,
    ScannedCount: 0,
    ConsumedCapacity: { TableName: body['TableName'], CapacityUnits: 0.5 },
  }),
});

/** Hides the jobs from a process, except every 15 seconds. */
function everyFifteenSeconds(): (call: Call, pass: Pass) => Promise<EngineResponse> {
  let began = performance.now();
  return async (call, pass) => {
    const now = performance.now();
    if (now - began > jobIntervalMs) began = now;
    return now - began < jobQueriesMs ? pass() : noJobs(call);
  };
}

interface Capacity {
  readonly CapacityUnits: number;
}

const unitsOf = ({ body }: EngineResponse): number => {
  const { ConsumedCapacity = [] } = JSON.parse(body) as { ConsumedCapacity?: Capacity | Capacity[] };
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
};

/** Runs `npm start` of a checkout as a process of its own. */
async function startProcess(folder: string, endpoint: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'bin/start.ts', '--port', '0'], {
    cwd: folder,
    env: { ...process.env, DYNAMODB_ENDPOINT: endpoint, LOG_LEVEL: 'ERROR', REQUEST_LOG: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill());
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const [found] = /http:\/\/localhost:\d+/.exec(line) ?? [];
      if (found) resolve(found);
    });
    lines.once('close', () => reject(new Error(`The service in ${folder} did not start.`)));
  });
  return {
    url,
    stop: async (): Promise<void> => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
/** A version: its engine, a process that writes and runs the jobs, and one that only reads lists. */
async function startVersion(name: string, folder: string) {
  const engine = await startEngine(':memory:');
  const writes = await startEngineProxy(engine.endpoint);
  const reads = await startEngineProxy(engine.endpoint);
  const rejecting = conflicts(holdMs);
  const jobs = everyFifteenSeconds();
  writes.inject((call, pass) => (isQueryForJobs(call) ? jobs(call, pass) : rejecting(call, pass)));
  let units = 0;
  reads.inject(async (call, pass) => {
    if (isQueryForJobs(call)) return noJobs(call);
    const response = await pass();
    units += unitsOf(response);
    return response;
  });
  const writer = await startProcess(folder, writes.endpoint);
  const reader = await startProcess(folder, reads.endpoint);
  return {
    name,
    rejecting,
    create: async (plural: string, fields: object): Promise<string> => {
      const response = await fetch(`${writer.url}/v1/${plural}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'x', ...fields }),
      });
      const { id } = (await response.json()) as { id?: string };
      if (!id) throw new Error(`${name}: the create has status ${response.status}.`);
      return id;
    },
    /** Reads a list. @returns its read units and milliseconds. */
    list: async (query: string) => {
      units = 0;
      const started = performance.now();
      const response = await fetch(`${reader.url}/v1/tasks?${query}`);
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${name}: ${response.status} ${query}`);
      return { units, ms: performance.now() - started };
    },
    stop: async () => {
      await Promise.all([writer.stop(), reader.stop()]);
      await Promise.all([writes.stop(), reads.stop()]);
      await engine.stop();
    },
  };
}

type Version = Awaited<ReturnType<typeof startVersion>>;

interface Parents {
  readonly projectId: string;
  readonly userId: string;
}

const statuses = ['planned', 'active', 'completed', 'archived'];

async function load({ create }: Version): Promise<Parents> {
  const organizationId = await create('organizations', {});
  const parents = {
    projectId: await create('projects', { organizationId }),
    userId: await create('users', {}),
  };
  let begun = 0;
  const worker = async (): Promise<void> => {
    while (begun < size) {
      begun += 1;
      await create('tasks', { ...parents, status: statuses[begun % statuses.length] });
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  return parents;
}

interface Result {
  readonly version: string;
  readonly rate: number;
  readonly perSecond: number;
  /** Milliseconds of each create that succeeded. */
  readonly createMs: readonly number[];
  /** Creates with an error. */
  readonly failed: number;
  readonly conflicts: number;
  readonly listMs: readonly number[];
  readonly units: readonly number[];
}

async function createAtRate({ create }: Version, parents: Parents, rate: number): Promise<number[]> {
  const durations: number[] = [];
  const pending: Promise<void>[] = [];
  const began = performance.now();
  for (let number = 0; number < (rate * durationMs) / 1_000; number += 1) {
    await delay(Math.max(0, began + (number * 1_000) / rate - performance.now()));
    const started = performance.now();
    const created = create('tasks', { ...parents, status: statuses[number % statuses.length] });
    const measured = created.then(
      () => void durations.push(performance.now() - started),
      // The result has the number of creates that are missing here.
      () => undefined,
    );
    pending.push(measured);
  }
  await Promise.all(pending);
  return durations;
}

async function measure(version: Version, parents: Parents, rate: number): Promise<Result> {
  const { projectId } = parents;
  const queries = ['', 'status=planned', `projectId=${projectId}`, `projectId=${projectId}&status=planned`];
  const before = version.rejecting.refused;
  const began = performance.now();
  const [listMs, units]: [number[], number[]] = [[], []];
  const readLists = async (): Promise<void> => {
    while (performance.now() - began < durationMs) {
      for (const query of queries) {
        const read = await version.list(query);
        listMs.push(read.ms);
        units.push(read.units);
      }
      await delay(1_000);
    }
  };
  const [createMs] = await Promise.all([createAtRate(version, parents, rate), readLists()]);
  const result = {
    version: version.name,
    rate,
    perSecond: createMs.length / ((performance.now() - began) / 1_000),
    createMs,
    failed: Math.floor((rate * durationMs) / 1_000) - createMs.length,
    conflicts: version.rejecting.refused - before,
    listMs,
    units,
  };
  if (isSmallest && result.failed > 0) throw new Error(`${version.name}: ${result.failed} creates failed.`);
  console.log(row(result).join(' | '));
  return result;
}

const row = ({ version, rate, perSecond, createMs, failed, conflicts: rejected, listMs, units }: Result) => [
  `${rate} in a second, ${version}`,
  perSecond.toFixed(1),
  failed,
  milliseconds(median(createMs)),
  milliseconds(percentile(createMs, 0.99)),
  rejected,
  median(units),
  percentile(units, 0.99),
  milliseconds(median(listMs)),
  milliseconds(percentile(listMs, 0.99)),
];

const seriesOf = (results: readonly Result[], name: string, y: (result: Result) => number): Series[] =>
  [...new Set(results.map(({ version }) => version))].map((version) => ({
    name: `${name}, ${version}`,
    points: results.filter((one) => one.version === version).map((one) => ({ x: one.rate, y: y(one) })),
  }));

function publishAll(results: readonly Result[]): void {
  const head = [
    'creates',
    'reached in a second',
    'failed',
    'create: median ms',
    'create: p99 ms',
    'rejected for a conflict',
    'list: median read units',
    'list: p99 read units',
    'list: median ms',
    'list: p99 ms',
  ];
  publishPage(
    'creates.md',
    `Creates of tasks, all in one project and of one user, for ${flags.seconds} seconds with each rate, beginning with ${size.toLocaleString('en')} tasks. Another
process reads first pages every second: all tasks, those of a status, those of the project, and both. Jobs run every 15 seconds.${
      flags.beside
        ? ` Both versions ran at the
same time, and share the machine.`
        : ''
    } Each transaction holds its items for ${holdMs} ms; another transaction on one of them is
rejected, as in DynamoDB.

${table(head, results.map(row))}

![Milliseconds of a create](creates.svg)

![Read units of a list](creates-lists.svg)
`,
  );
  publish(
    'creates.svg',
    plot('Creates beside lists', 'creates in a second', 'ms', [
      ...seriesOf(results, 'p99', ({ createMs }) => percentile(createMs, 0.99)),
      ...seriesOf(results, 'median', ({ createMs }) => median(createMs)),
    ]),
  );
  publish(
    'creates-lists.svg',
    plot('Lists beside creates', 'creates in a second', 'read units', [
      ...seriesOf(results, 'p99', ({ units }) => percentile(units, 0.99)),
      ...seriesOf(results, 'median', ({ units }) => median(units)),
    ]),
  );
}

const root = fileURLToPath(new URL('..', import.meta.url));
const versions = [await startVersion('this version', root)];
if (flags.beside) versions.push(await startVersion(flags['beside-name'], flags.beside));
const parents = await Promise.all(versions.map(load));
const results: Result[] = [];
for (const rate of rates) {
  results.push(
    ...(await Promise.all(
      versions.map((version, place) => measure(version, parents[place] as Parents, rate)),
    )),
  );
}
publishAll(results);
await Promise.all(versions.map(({ stop }) => stop()));
