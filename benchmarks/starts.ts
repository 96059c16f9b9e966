/**
 * `npm run bench -- starts`: measures how long a new process takes to import each deployed function and to send its first
 * response, compared with the SDK alone and with other frameworks. Writes `benchmarks/results/starts.md` and its plot.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contract } from '../functions/contract/contract.ts';
import { routes } from '../functions/routes.ts';
import { bars } from './bars.ts';
import { bundleContestants, peers, sdkAlone, sdkUnchanged } from './contestants.ts';
import { usualOrSmallest } from './form.ts';
import { Host } from './host.ts';
import { median, publish, publishPage, table } from './report.ts';
import { setStage } from './stage.ts';

const runs = usualOrSmallest(25, 1);

const directory = mkdtempSync(join(tmpdir(), 'bench-start-'));
const contestants = await bundleContestants(directory);
const stage = await setStage();
const empty = join(directory, 'empty.cjs');
writeFileSync(empty, 'exports.handler = async () => ({ statusCode: 204 });');

interface Contestant {
  readonly name: string;
  readonly file: string;
  /** Operation of the first request. */
  readonly contract: Contract | undefined;
  readonly importsMs: number[];
  readonly responsesMs: number[];
}

const contestant = (name: string, file: string, contract?: Contract): Contestant => ({
  name,
  file,
  contract,
  importsMs: [],
  responsesMs: [],
});
const contractOf = (operation: string): Contract => {
  const found = routes.find(({ contract }) => contract.operation === operation);
  if (!found) throw new Error(`The operation ${operation} does not exist.`);
  return found.contract;
};
const peerFile = (name: string): string => contestants.peers.get(name) ?? '';
const nothing = contestant('an empty module', empty);
const ours = routes.map(({ contract, file }) =>
  contestant(contract.operation, contestants.bundle(file), contract),
);
const others = [
  ...[sdkAlone, sdkUnchanged].map((name) => contestant(name, peerFile(name))),
  ...peers.flatMap((name) =>
    ['createProject', 'readProject'].map((operation) =>
      contestant(`${name}, ${operation}`, peerFile(name), contractOf(operation)),
    ),
  ),
];

/** Records the calls of a read. The SDK alone replays them. */
async function recordedRead(): Promise<unknown> {
  await stage.copyForReplay();
  const read = contractOf('readProject');
  const file = routes.find(({ contract }) => contract === read)?.file ?? '';
  const host = await Host.start(contestants.bundle(file), stage.environment(true));
  await host.run([await stage.event(read)]);
  await host.stop();
  return stage.recorded();
}
const sdkRead = await recordedRead();

async function start({ file, contract, importsMs, responsesMs }: Contestant): Promise<void> {
  const event = contract ? await stage.event(contract) : sdkRead;
  const environment = { ...stage.environment(), LAMBDA_TASK_ROOT: join(file, '..') };
  const host = await Host.start(file, environment);
  importsMs.push(host.importMs);
  responsesMs.push((await host.run([event])).wallMs);
  await host.stop();
}

const all = [nothing, ...others, ...ours];
// The contestants take turns, so that other load on the machine affects all of them.
for (let run = 0; run < runs; run += 1) {
  for (const one of all) await start(one);
  console.log(`run ${run + 1} of ${runs}`);
}

const importOf = ({ importsMs }: Contestant): number => median(importsMs) - median(nothing.importsMs);
const row = (one: Contestant) => [
  one.name,
  `${(statSync(one.file).size / 1_000).toFixed(0)} kB`,
  importOf(one).toFixed(1),
  median(one.responsesMs).toFixed(1),
];
/** Returns the import time of a peer. It is measured once per operation; the faster one counts. */
const importBy = (name: string): number =>
  Math.min(...others.filter((one) => one.name.startsWith(name)).map(importOf));
const slowest = ours.reduce((one, other) => (importOf(other) > importOf(one) ? other : one));
const ratio = (name: string): string => (importOf(slowest) / importBy(name)).toFixed(2);

publishPage(
  'starts.md',
  `Node.js ${process.versions.node}, medians of ${runs} new processes. "import" is the time in milliseconds to import the bundle, minus the
time of an empty module. "first response" is the time from then to the first response, with the embedded engine. The peers
use the same store and schemas. Their bundles are minified and contain the unchanged SDK.

The slowest import of all operations is ${slowest.name}. As a ratio to the others: ${ratio(sdkAlone)} of the SDK alone without unused
providers, ${[sdkUnchanged, ...peers].map((name) => `${ratio(name)} of ${name}`).join(', ')}.

${table(['', 'bundle', 'import, ms', 'first response, ms'], [...others, ...ours].map(row))}
`,
);
const bar = (one: Contestant, isOurs: boolean) => ({ name: one.name, value: importOf(one), isOurs });
publish(
  'starts.svg',
  bars('Import of a function', 'milliseconds', [
    {
      name: '',
      bars: [
        ...ours
          .filter(({ name }) => ['createProject', 'readProject'].includes(name))
          .map((one) => bar(one, true)),
        ...others.map((one) => bar(one, false)),
      ],
    },
  ]),
);
await stage.stop();
rmSync(directory, { recursive: true, force: true });
