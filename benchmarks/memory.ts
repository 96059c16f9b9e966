/**
 * `npm run bench -- memory`: measures first and warm responses of the synthesized functions with the CPU share of several memory settings, as
 * `npx pm-api start-synthesized --lambda-cpu` gives it. Writes `benchmarks/results/memory.md`.
 *
 * `--runs 10` starts each function ten times, instead of five.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { App } from 'aws-cdk-lib';
import { SdkDynamoDb } from '../functions/engine/table/client.ts';
import { rebuildLogs } from '../lib/audit/change-logs.ts';
import { progressLines } from '../lib/cli/progress.ts';
import { assemblyFunctions } from '../lib/cloud-assembly/assembly-functions.ts';
import { readDeployment } from '../lib/cloud-assembly/deployment.ts';
import { cpuShare, FunctionProcesses } from '../lib/cloud-assembly/function-processes.ts';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import { service as synthesize } from '../lib/infrastructure/service.ts';
import { inMemory } from '../lib/local/dynamodb-engine.ts';
import { functionContext } from '../lib/local/lambda-context.ts';
import { type Service, startService } from '../lib/local/service.ts';
import { seed } from '../lib/seed/seed.ts';
import { requireResponse } from './available.ts';
import { formOption, usualOrSmallest } from './form.ts';
import { median, milliseconds, publishPage, table } from './report.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: usualOrSmallest('5', '1') }, ...formOption },
});
const runs = Number(values.runs);

const memorySettings = usualOrSmallest([256, 512, 1_024, 1_769], [1_769]);

/** Warm requests of each run, after five that V8 compiles. */
const warmRequests = usualOrSmallest(20, 2);
const warmUp = usualOrSmallest(5, 0);

const amounts = { organizations: 1, users: 20, tags: 12, projects: 30, tasks: usualOrSmallest(2_000, 50) };

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

interface Times {
  readonly first: number[];
  readonly warm: number[];
}

const folder = mkdtempSync(join(tmpdir(), 'bench-memory-'));
const assembly = join(folder, 'cdk.out');
// `npm run synth` validates the templates; it takes seconds.
process.env['CDK_VALIDATION'] = 'false';
const { context } = JSON.parse(readFileSync(new URL('../cdk.json', import.meta.url), 'utf8')) as {
  context: Record<string, unknown>;
};
const stacks = new App({
  outdir: assembly,
  // As the command line of CDK sets it: the paths of nested templates are in the metadata.
  context: { ...context, authentication: 'none', 'aws:cdk:enable-asset-metadata': true },
  analyticsReporting: false,
});
synthesize(stacks, await bundleFunctions(join(folder, 'functions')));
stacks.synth();

const hostOf = (processes: FunctionProcesses) =>
  assemblyFunctions({ assembly, withoutStream: true, processes, onPermissionReport: () => {} });

/** The service whose engine has the data. The measured services use the engine. */
const { tableName } = readDeployment(assembly);
const data = await startService({ port: 0, databaseFile: inMemory, tableName });
await seed({ amounts, seed: 1, url: data.url, concurrency: 8 }, progressLines(console.log));
const client = new DynamoDBClient({ endpoint: data.endpoint });
await rebuildLogs(new SdkDynamoDb(client), data.tableName);
client.destroy();

async function send(service: Service, { method, path, body }: Operation): Promise<number> {
  const started = performance.now();
  const response = await fetch(service.url + path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return performance.now() - started;
}

const list = (await (await requireResponse(`${data.url}/v1/tasks?limit=1`)).json()) as {
  data: { id: string }[];
};
const operations: readonly Operation[] = [
  { name: 'read a task', method: 'GET', path: `/v1/tasks/${list.data[0]?.id}` },
  { name: 'create a task', method: 'POST', path: '/v1/tasks', body: { name: 'A task' } },
  { name: 'list the first page of tasks', method: 'GET', path: '/v1/tasks' },
  {
    name: 'list tasks by priority, sorted by due date',
    method: 'GET',
    path: '/v1/tasks?priority=high&sortBy=dueDate',
  },
];

/** Sends the requests of one run to new environments with a memory setting. */
async function run(memoryMb: number, times: ReadonlyMap<string, Times>): Promise<void> {
  for (const operation of operations) {
    const processes = new FunctionProcesses({ memoryMb, isSilent: true });
    const host = hostOf(processes);
    const options = { port: 0, databaseFile: inMemory, endpoint: data.endpoint };
    const service = await startService(options, host);
    const { first, warm } = times.get(operation.name) as Times;
    const firstMs = await send(service, operation);
    // The schedule may have started a process as well, later.
    first.push(firstMs - (processes.startsMs[0] ?? 0));
    const measured: number[] = [];
    for (let number = 0; number < warmUp + warmRequests; number += 1)
      measured.push(await send(service, operation));
    warm.push(median(measured.slice(warmUp)));
    await service.stop();
  }
}

/** Milliseconds for which a busy function uses a core. */
const busyMs = usualOrSmallest(2_000, 200);

/** A function that uses a core, and returns its CPU time as a share of the time that passed. */
const busy = `exports.handler = async () => {
  const since = process.cpuUsage();
  const started = performance.now();
  while (performance.now() - started < ${busyMs});
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000 / (performance.now() - started);
};`;

/** Returns the share of a core that a busy function gets. */
async function measureShare(memoryMb: number): Promise<number> {
  const processes = new FunctionProcesses({ memoryMb });
  const own = { name: 'busy', folder, handler: 'busy.handler', runtime: '', timeoutMs: 10_000, memoryMb };
  const call = processes.handler<object, number>({ ...own, environment: {} }, {});
  const share = await call({}, functionContext('busy', 10_000));
  await processes.stop();
  return share;
}

const newTimes = (): Map<string, Times> =>
  new Map(operations.map(({ name }) => [name, { first: [], warm: [] }]));
writeFileSync(join(folder, 'busy.js'), busy);
const shares = new Map<number, number[]>(memorySettings.map((memoryMb) => [memoryMb, []]));
const bySetting = new Map(memorySettings.map((memoryMb) => [memoryMb, newTimes()]));
// The settings take turns, so that other load on the machine affects all of them.
for (let number = 0; number < runs; number += 1) {
  for (const [memoryMb, times] of bySetting) await run(memoryMb, times);
  for (const [memoryMb, reached] of shares) reached.push(await measureShare(memoryMb));
  console.log(`run ${number + 1} of ${runs}`);
}

const range = (numbers: readonly number[]): string =>
  [Math.min(...numbers), median(numbers), Math.max(...numbers)].map(milliseconds).join(', ');
const rows = operations.flatMap(({ name }) =>
  [...bySetting].map(([memoryMb, times]) => {
    const { first, warm } = times.get(name) as Times;
    return [name, memoryMb, cpuShare(memoryMb).toFixed(2), range(first), range(warm)];
  }),
);
const shareRows = [...shares].map(([memoryMb, reached]) => [
  memoryMb,
  cpuShare(memoryMb).toFixed(3),
  [Math.min(...reached), median(reached), Math.max(...reached)].map((one) => one.toFixed(3)).join(', '),
]);
publishPage(
  'memory.md',
  `Responses of the synthesized functions, each in a process of its own with the CPU share of its memory, as
\`npx pm-api start-synthesized --lambda-cpu\` gives it. The first response contains the import of the bundle and the
request, without the start of Node.js. The warm one is the median of ${warmRequests} requests, one after the other. ${runs} runs, each in new processes: lowest, median and highest, in
milliseconds. The embedded engine, with ${amounts.tasks.toLocaleString('en')} tasks, the gateway and the IAM proxy run on the same machine, without a limit. Node.js ${process.versions.node}.

A function that is busy for ${busyMs.toLocaleString('en')} ms got these shares of a core. Other programs on the machine lower them:

${table(['memory, MB', 'wanted', 'reached: lowest, median, highest'], shareRows)}

${table(['operation', 'memory, MB', 'share of a core', 'first response: lowest, median, highest', 'warm response: lowest, median, highest'], rows)}
`,
);
await data.stop();
rmSync(folder, { recursive: true, force: true });
