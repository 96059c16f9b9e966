/**
 * `npm run bench -- requests`: measures the CPU and wall time of a warm request for every operation, compared with the SDK
 * alone making the same calls and with other frameworks. Writes `benchmarks/results/requests.md` and its plot.
 *
 * `npm run bench -- requests createProject readTask` measures only these operations and writes nothing.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Contract } from '../functions/contract/contract.ts';
import { routes } from '../functions/routes.ts';
import { accessOf } from '../lib/infrastructure/table-access.ts';
import { bars } from './bars.ts';
import { bundleContestants, peers, sdkAlone } from './contestants.ts';
import { isSmallest, usualOrSmallest } from './form.ts';
import { type Duration, Host } from './host.ts';
import { median, publish, publishPage, requireFigures, shuffled, table } from './report.ts';
import { type Calls, type Stage, setStage } from './stage.ts';

const rounds = usualOrSmallest(9, 1);
/** Number of requests before the measurement, in which V8 compiles the code, and in each round. */
const reads = usualOrSmallest({ warmUp: 1_500, measured: 100 }, { warmUp: 0, measured: 5 });
const writes = usualOrSmallest({ warmUp: 800, measured: 40 }, { warmUp: 0, measured: 5 });

const directory = mkdtempSync(join(tmpdir(), 'bench-requests-'));
const contestants = await bundleContestants(directory);
const peerFile = (name: string): string => contestants.peers.get(name) ?? '';

/** Operations that use the database. */
const operations = routes.filter(({ contract }) => accessOf(contract).actions.length > 0);
/** Operations that the peers also have. */
const common = ['createProject', 'readProject', 'listProjects'];

const events = async (stage: Stage, contract: Contract, count: number): Promise<unknown[]> => {
  const made: unknown[] = [];
  while (made.length < count) made.push(await stage.event(contract));
  return made;
};

/** Records the calls of each request. */
async function record(stage: Stage, file: string, requests: readonly unknown[]): Promise<Calls[]> {
  const host = await Host.start(contestants.bundle(file), stage.environment(true));
  const recorded: Calls[] = [];
  for (const event of requests) {
    await host.run([event]);
    recorded.push(stage.recorded());
  }
  await host.stop();
  return recorded;
}

/** Time of one request, in microseconds. */
interface Measured {
  readonly cpuUs: number;
  readonly wallUs: number;
}

interface Row {
  readonly operation: string;
  readonly calls: number;
  readonly own: Measured;
  readonly sdk: Measured;
  readonly peers: ReadonlyMap<string, Measured>;
}

interface Contestant {
  readonly name: string;
  readonly on: Stage;
  readonly host: Host;
  readonly requests: readonly unknown[];
  readonly durations: Duration[];
}

/** Returns the median of the rounds for one request. */
const perRequest = (durations: readonly Duration[], requests: number): Measured => ({
  cpuUs: (median(durations.map(({ cpuMs }) => cpuMs)) / requests) * 1_000,
  wallUs: (median(durations.map(({ wallMs }) => wallMs)) / requests) * 1_000,
});

async function measure({ contract, file }: (typeof operations)[number]): Promise<Row> {
  const { warmUp, measured } = contract.method === 'GET' ? reads : writes;
  const all = warmUp + rounds * measured;
  const shared = common.includes(contract.operation) ? peers : [];
  // Each contestant has a stage of its own with the same amount of data: the cost of a write depends on it.
  const contest: Contestant[] = [];
  const enter = async (
    name: string,
    bundle: string,
    on: Stage,
    requests: readonly unknown[],
  ): Promise<void> => {
    const host = await Host.start(bundle, on.environment());
    await host.run(requests.slice(0, warmUp));
    contest.push({ name, on, host, requests, durations: [] });
  };
  const stage = await setStage();
  await enter('own', contestants.bundle(file), stage, await events(stage, contract, all));
  const replayed = await setStage();
  const asked = await events(replayed, contract, all);
  await replayed.copyForReplay();
  const calls = await record(replayed, file, asked);
  await enter('sdk', peerFile(sdkAlone), replayed, calls);
  for (const name of shared) {
    const on = await setStage();
    await enter(name, peerFile(name), on, await events(on, contract, all));
  }
  for (let round = 0; round < rounds; round += 1) {
    const from = warmUp + round * measured;
    for (const { host, requests, durations } of shuffled(contest)) {
      durations.push(await host.run(requests.slice(from, from + measured)));
    }
  }
  for (const { host, on } of contest) {
    await host.stop();
    await on.stop();
  }
  const results = new Map(contest.map(({ name, durations }) => [name, perRequest(durations, measured)]));
  const of = (name: string): Measured => results.get(name) ?? { cpuUs: Number.NaN, wallUs: Number.NaN };
  const row = {
    operation: contract.operation,
    calls: calls[0]?.waves.flat().length ?? 0,
    own: of('own'),
    sdk: of('sdk'),
    peers: new Map(shared.map((name) => [name, of(name)])),
  };
  console.log(
    row.operation,
    `${row.own.cpuUs.toFixed(0)} µs, the SDK alone ${row.sdk.cpuUs.toFixed(0)} µs (${(row.own.cpuUs / row.sdk.cpuUs).toFixed(2)})`,
    ...[...row.peers].map(([name, { cpuUs }]) => `${name} ${cpuUs.toFixed(0)} µs`),
  );
  return row;
}

const operationsTable = (rows: readonly Row[]): string =>
  table(
    ['operation', 'calls', 'CPU, µs', 'the SDK alone', 'ratio', 'wall, µs', 'the SDK alone'],
    rows.map(({ operation, calls, own, sdk }) => [
      operation,
      calls,
      own.cpuUs.toFixed(0),
      sdk.cpuUs.toFixed(0),
      // Without a call, there is nothing to compare.
      calls === 0 ? '' : (own.cpuUs / sdk.cpuUs).toFixed(2),
      own.wallUs.toFixed(0),
      sdk.wallUs.toFixed(0),
    ]),
  );

const peersTable = (rows: readonly Row[]): string =>
  table(
    ['CPU, µs', 'the SDK alone', 'this service', ...peers],
    rows
      .filter(({ operation }) => common.includes(operation))
      .map(({ operation, own, sdk, peers: others }) => [
        operation,
        sdk.cpuUs.toFixed(0),
        own.cpuUs.toFixed(0),
        ...peers.map((name) => others.get(name)?.cpuUs.toFixed(0) ?? ''),
      ]),
  );

const rows: Row[] = [];
const named = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const measuresAll = named.length === 0;
/** The operations to measure. The smallest form measures those that the peers also have. */
const chosen = operations.filter(({ contract: { operation } }) =>
  measuresAll ? !isSmallest || common.includes(operation) : named.includes(operation),
);
if (chosen.length === 0) {
  throw new InvalidArgumentError(`There is no operation "${named.join('", "')}" that uses the database.`);
}
for (const operation of chosen) rows.push(await measure(operation));

const text = `Node.js ${process.versions.node}. Each bundle runs warm in a process of its own, and the embedded engine in another. The values are medians of
${rounds} rounds in random order. The SDK alone repeats the recorded calls of the service, with the same parallelism and order, on a
copy of the same data.

${operationsTable(rows)}

The peers use the same store and schemas with their own routing, parsing and responses, and one unchanged client of the SDK
per process. They have no conditional requests, entity tags or idempotency keys.

${peersTable(rows)}
`;

/** Draws what the operations cost that the peers also have. */
function drawing(): string {
  const groups = rows
    .filter(({ operation }) => common.includes(operation))
    .map(({ operation, own, sdk, peers: others }) => ({
      name: operation,
      bars: [
        { name: 'the SDK alone', value: sdk.cpuUs, isOurs: false },
        { name: 'this service', value: own.cpuUs, isOurs: true },
        ...[...others].map(([name, { cpuUs }]) => ({ name, value: cpuUs, isOurs: false })),
      ],
    }));
  return bars('CPU of a warm request', 'microseconds', groups);
}

if (measuresAll) {
  publishPage('requests.md', text);
  publish('requests.svg', drawing());
} else {
  requireFigures('The report', operationsTable(rows));
  console.log(operationsTable(rows));
}
rmSync(directory, { recursive: true, force: true });
