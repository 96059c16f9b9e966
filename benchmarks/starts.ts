/**
 * `npm run bench:start`: how long a fresh process takes to import each function that ships, and to give its first
 * answer; beside it the SDK alone and other frameworks. Writes `docs/performance/starts.md` and its plot.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '../functions/routes.ts';
import type { Contract } from '../functions/shared/contract/contract.ts';
import { bars } from './bars.ts';
import { bundleContestants, peers, sdkAlone, sdkAsItComes } from './contestants.ts';
import { Host } from './host.ts';
import { median, publish, table } from './report.ts';
import { setStage } from './stage.ts';

const runs = 25;

const directory = mkdtempSync(join(tmpdir(), 'bench-start-'));
const contestants = await bundleContestants(directory);
const stage = await setStage();
const empty = join(directory, 'empty.cjs');
writeFileSync(empty, 'exports.handler = async () => ({ statusCode: 204 });');

interface Contestant {
  readonly name: string;
  readonly file: string;
  /** What it is asked first. */
  readonly contract: Contract | undefined;
  readonly imports: number[];
  readonly answers: number[];
}

const contestant = (name: string, file: string, contract?: Contract): Contestant => ({
  name,
  file,
  contract,
  imports: [],
  answers: [],
});
const contractOf = (operation: string): Contract => {
  const found = routes.find(({ contract }) => contract.operation === operation);
  if (!found) throw new Error(`There is no operation ${operation}.`);
  return found.contract;
};
const peerFile = (name: string): string => contestants.peers.get(name) ?? '';
const nothing = contestant('an empty module', empty);
const ours = routes.map(({ contract, file }) =>
  contestant(contract.operation, contestants.bundle(file), contract),
);
const others = [
  ...[sdkAlone, sdkAsItComes].map((name) => contestant(name, peerFile(name))),
  ...peers.flatMap((name) =>
    ['createProject', 'readProject'].map((operation) =>
      contestant(`${name}, ${operation}`, peerFile(name), contractOf(operation)),
    ),
  ),
];

/** Of the read that the service makes: what the SDK alone is asked first. */
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

async function start({ file, contract, imports, answers }: Contestant): Promise<void> {
  const event = contract ? await stage.event(contract) : sdkRead;
  const environment = { ...stage.environment(), LAMBDA_TASK_ROOT: join(file, '..') };
  const host = await Host.start(file, environment);
  imports.push(host.imported);
  answers.push((await host.run([event])).wall);
  await host.stop();
}

const all = [nothing, ...others, ...ours];
// One after the other and not each by itself, so that what the machine does meanwhile meets all of them.
for (let run = 0; run < runs; run += 1) {
  for (const one of all) await start(one);
  console.log(`run ${run + 1} of ${runs}`);
}

const importOf = ({ imports }: Contestant): number => median(imports) - median(nothing.imports);
const row = (one: Contestant) => [
  one.name,
  `${(statSync(one.file).size / 1_000).toFixed(0)} kB`,
  importOf(one).toFixed(1),
  median(one.answers).toFixed(1),
];
/** A peer was measured as often as it has operations: the faster counts. */
const importBy = (name: string): number =>
  Math.min(...others.filter((one) => one.name.startsWith(name)).map(importOf));
const slowest = ours.reduce((one, other) => (importOf(other) > importOf(one) ? other : one));
const ratio = (name: string): string => (importOf(slowest) / importBy(name)).toFixed(2);

const text = `<!-- Written by "npm run bench:start". -->

The median of ${runs} fresh processes each, in turn, on Node.js ${process.versions.node}: milliseconds to import the bundle, less those of
an empty module; and from there to the first answer, against the embedded engine. The peers do the same with the same
store and schemas, bundled as usual: minified, with the SDK as it comes.

The slowest import of all operations, ${slowest.name}, takes ${ratio(sdkAlone)} of the SDK alone without the providers, ${ratio(sdkAsItComes)} of the SDK
as it comes, ${peers.map((name) => `${ratio(name)} of ${name}`).join(', ')}.

${table(['', 'bundle', 'import, ms', 'first answer, ms'], [...others, ...ours].map(row))}
`;
publish('starts.md', text);
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
console.log(text);
await stage.stop();
rmSync(directory, { recursive: true, force: true });
