/**
 * `npm run bench:requests`: what a warm request costs the process that answers it, for every operation, beside the
 * SDK alone making the same calls and beside other frameworks; and how many requests a second the gateway of this
 * machine serves, beside Express. Writes `docs/performance/requests.md` and its plot, and `throughput.md`.
 *
 * `-- createProject readTask` measures these only, and writes nothing; `-- throughput` measures and writes that only.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '../functions/routes.ts';
import type { Contract } from '../functions/shared/contract/contract.ts';
import { bars } from './bars.ts';
import { bundleContestants, peers, sdkAlone } from './contestants.ts';
import { Host, type Taken } from './host.ts';
import { median, publish, shuffled, table } from './report.ts';
import { type Calls, type Stage, setStage } from './stage.ts';
import { measureThroughput } from './throughput.ts';

const rounds = 9;
/** Requests of a kind before the measurement, so that V8 has compiled what it will, and in each round of it. */
const reads = { warm: 1_500, measured: 100 };
const writes = { warm: 800, measured: 40 };

const directory = mkdtempSync(join(tmpdir(), 'bench-requests-'));
const contestants = await bundleContestants(directory);
const peerFile = (name: string): string => contestants.peers.get(name) ?? '';

/** Every operation that talks to the database. */
const operations = routes.filter(({ contract }) => contract.access.actions.length > 0);
/** What the peers have too. */
const common = ['createProject', 'readProject', 'listProjects'];

const events = async (stage: Stage, contract: Contract, count: number): Promise<unknown[]> => {
  const made: unknown[] = [];
  while (made.length < count) made.push(await stage.event(contract));
  return made;
};

/** The calls of requests, one after the other. */
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

interface Measured {
  readonly cpu: number;
  readonly wall: number;
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
  readonly taken: Taken[];
}

/** The median of the rounds, for one request, in microseconds. */
const perRequest = (taken: readonly Taken[], requests: number): Measured => ({
  cpu: (median(taken.map(({ cpu }) => cpu)) / requests) * 1_000,
  wall: (median(taken.map(({ wall }) => wall)) / requests) * 1_000,
});

async function measure({ contract, file }: (typeof operations)[number]): Promise<Row> {
  const { warm, measured } = contract.method === 'GET' ? reads : writes;
  const all = warm + rounds * measured;
  const shared = common.includes(contract.operation) ? peers : [];
  // Each on a stage of its own, with as much in it at each request: what a write costs depends on what is there.
  const contest: Contestant[] = [];
  const enter = async (
    name: string,
    bundle: string,
    on: Stage,
    requests: readonly unknown[],
  ): Promise<void> => {
    const host = await Host.start(bundle, on.environment());
    await host.run(requests.slice(0, warm));
    contest.push({ name, on, host, requests, taken: [] });
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
    const from = warm + round * measured;
    for (const { host, requests, taken } of shuffled(contest)) {
      taken.push(await host.run(requests.slice(from, from + measured)));
    }
  }
  for (const { host, on } of contest) {
    await host.stop();
    await on.stop();
  }
  const results = new Map(contest.map(({ name, taken }) => [name, perRequest(taken, measured)]));
  const of = (name: string): Measured => results.get(name) ?? { cpu: Number.NaN, wall: Number.NaN };
  const row = {
    operation: contract.operation,
    calls: calls[0]?.waves.flat().length ?? 0,
    own: of('own'),
    sdk: of('sdk'),
    peers: new Map(shared.map((name) => [name, of(name)])),
  };
  console.log(
    row.operation,
    `${row.own.cpu.toFixed(0)} µs, the SDK alone ${row.sdk.cpu.toFixed(0)} µs (${(row.own.cpu / row.sdk.cpu).toFixed(2)})`,
    ...[...row.peers].map(([name, { cpu }]) => `${name} ${cpu.toFixed(0)} µs`),
  );
  return row;
}

const operationsTable = (rows: readonly Row[]): string =>
  table(
    ['operation', 'calls', 'CPU, µs', 'the SDK alone', 'ratio', 'wall, µs', 'the SDK alone'],
    rows.map(({ operation, calls, own, sdk }) => [
      operation,
      calls,
      own.cpu.toFixed(0),
      sdk.cpu.toFixed(0),
      (own.cpu / sdk.cpu).toFixed(2),
      own.wall.toFixed(0),
      sdk.wall.toFixed(0),
    ]),
  );

const peersTable = (rows: readonly Row[]): string =>
  table(
    ['CPU, µs', 'the SDK alone', 'this service', ...peers],
    rows
      .filter(({ operation }) => common.includes(operation))
      .map(({ operation, own, sdk, peers: others }) => [
        operation,
        sdk.cpu.toFixed(0),
        own.cpu.toFixed(0),
        ...peers.map((name) => others.get(name)?.cpu.toFixed(0) ?? ''),
      ]),
  );

const rows: Row[] = [];
const only = process.argv.slice(2);
for (const operation of operations) {
  if (only.length === 0 || only.includes(operation.contract.operation)) rows.push(await measure(operation));
}

const text = `<!-- Written by "npm run bench:requests". -->

On Node.js ${process.versions.node}, each bundle warm in a process of its own, the embedded engine in another. The median of ${rounds} rounds,
each in an order of its own. The SDK alone makes the very calls that the service made, recorded on the wire: those at once that the service
makes at once, and in their order, on a copy of what was there, so that they find and do the same.

${operationsTable(rows)}

The peers have the same store and the same schemas behind routing, parsing and answering of their own, and the SDK's client
as it comes, one for the process; they check no conditions, make no entity tags and keep no keys of repeated requests.

${peersTable(rows)}
`;
if (only.length === 0) {
  publish('requests.md', text);
  const groups = rows
    .filter(({ operation }) => common.includes(operation))
    .map(({ operation, own, sdk, peers: others }) => ({
      name: operation,
      bars: [
        { name: 'the SDK alone', value: sdk.cpu, isOurs: false },
        { name: 'this service', value: own.cpu, isOurs: true },
        ...[...others].map(([name, { cpu }]) => ({ name, value: cpu, isOurs: false })),
      ],
    }));
  publish('requests.svg', bars('CPU of a warm request', 'microseconds', groups));
}
console.log(text);
if (only.length === 0 || only.includes('throughput')) await measureThroughput(contestants.expressServer);
rmSync(directory, { recursive: true, force: true });
