/** Measures the requests per second of the local gateway, and of Express with the same store. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inMemory, startEngine } from '../lib/local/dynamodb-engine.ts';
import { setCredentials } from '../lib/local/engine-environment.ts';
import { packagesFolder } from './contestants.ts';
import { usualOrSmallest } from './form.ts';
import { median, publishPage, shuffled, table } from './report.ts';

const execute = promisify(execFile);

const rounds = usualOrSmallest(11, 1);
/** Durations in seconds. V8 compiles the code during the warm-up. */
const seconds = usualOrSmallest({ warmUp: 5, measured: 3 }, { warmUp: 0, measured: 1 });
const connections = 16;
const description = 'x'.repeat(164);

interface Throughput {
  readonly what: string;
  /** Requests per second. */
  readonly own: number;
  readonly express: number;
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a Node.js program and waits until it prints its address. */
async function startProgram(
  program: readonly string[],
  environment: Record<string, string> = {},
): Promise<Server> {
  const child = spawn(process.execPath, program, {
    env: { ...process.env, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const listening = /listening on (.*)/;
  let url = '';
  for await (const text of createInterface(child.stdout)) {
    url = listening.exec(text)?.[1] ?? '';
    if (url) break;
  }
  child.stdout.resume();
  return {
    url,
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGINT');
      await gone;
    },
  };
}

const startOwn = (environment: Record<string, string> = {}): Promise<Server> =>
  startProgram(['--import', 'tsx', fileURLToPath(new URL('own-server.ts', import.meta.url))], environment);

/** Ids of the created entities. */
interface Contents {
  readonly organizationId: string;
  readonly projectId: string;
}

async function fill({ url }: Server): Promise<Contents> {
  const make = async (path: string, body: object): Promise<string> => {
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { id: string }).id;
  };
  const organizationId = await make('organizations', { name: 'Measured' });
  let projectId = '';
  for (let made = 0; made < 100; made += 1) {
    projectId = await make('projects', { name: 'Measured', organizationId, description });
  }
  return { organizationId, projectId };
}

/** A server with data. */
interface Filled extends Contents, Server {}

async function prepareOwn(): Promise<Filled> {
  const server = await startOwn();
  return { ...server, ...(await fill(server)) };
}

/** Starts Express on data that the service created, in an engine of the same kind. */
async function prepareExpress(bundle: string): Promise<Filled> {
  const engine = await startEngine(inMemory);
  setCredentials(engine.endpoint);
  const maker = await startOwn({ DYNAMODB_ENDPOINT: engine.endpoint });
  const contents = await fill(maker);
  await maker.stop();
  const server = await startProgram([bundle], {
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    TABLE_NAME: 'project-management',
  });
  return {
    url: server.url,
    ...contents,
    stop: async () => {
      await server.stop();
      await engine.stop();
    },
  };
}

/** Returns the requests per second. @throws Error when a request fails. */
async function requestsPerSecond(url: string, duration: number, body?: string): Promise<number> {
  const program = join(packagesFolder, 'autocannon/autocannon.js');
  const args = ['--json', '--connections', String(connections), '--duration', String(duration)];
  if (body) args.push('--method', 'POST', '--headers', 'content-type=application/json', '--body', body);
  const { stdout } = await execute(process.execPath, [program, ...args, url], {
    maxBuffer: 16 * 1024 * 1024,
  });
  const { requests, non2xx, errors } = JSON.parse(stdout) as {
    requests: { average: number };
    non2xx: number;
    errors: number;
  };
  if (non2xx + errors > 0)
    throw new Error(`${url}: ${non2xx} requests got an error response, ${errors} failed.`);
  return requests.average;
}

/** The measured requests. */
const kinds = {
  'read a project': ({ projectId }: Contents) => ({ path: `/v1/projects/${projectId}` }),
  'list 20 of 100 projects': () => ({ path: '/v1/projects' }),
  'create a project': ({ organizationId }: Contents) => ({
    path: '/v1/projects',
    body: JSON.stringify({ name: 'Measured', organizationId, description }),
  }),
};

async function measure(expressServer: string): Promise<Throughput[]> {
  // Both servers run all the time and take turns, so that other load on the machine affects both.
  const servers = { own: await prepareOwn(), express: await prepareExpress(expressServer) };
  const measured: Throughput[] = [];
  for (const [what, kind] of Object.entries(kinds)) {
    const ask = (which: 'own' | 'express', duration: number): Promise<number> => {
      const { path, body } = { body: undefined, ...kind(servers[which]) };
      return requestsPerSecond(servers[which].url + path, duration, body);
    };
    const taken = { own: [] as number[], express: [] as number[] };
    for (const which of ['own', 'express'] as const) {
      if (seconds.warmUp > 0) await ask(which, seconds.warmUp);
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const which of shuffled(['own', 'express'] as const)) {
        taken[which].push(await ask(which, seconds.measured));
      }
    }
    console.log(`${what}: ${taken.own.join(' ')} and ${taken.express.join(' ')} per second`);
    measured.push({ what, own: median(taken.own), express: median(taken.express) });
  }
  await servers.own.stop();
  await servers.express.stop();
  return measured;
}

/**
 * Measures the throughput and writes `docs/performance/throughput.md`.
 * @param expressServer bundle of the Express server.
 */
export async function measureThroughput(expressServer: string): Promise<void> {
  const rows = (await measure(expressServer)).map(({ what, own, express }) => [
    what,
    own.toFixed(0),
    express.toFixed(0),
    (own / express).toFixed(2),
  ]);
  publishPage(
    'throughput.md',
    `Node.js ${process.versions.node}. The local gateway with the handlers behind it, and an Express server with the same store, bundled for
production. autocannon with ${connections} connections; each server has an embedded engine of its own. Both servers run all the
time and take turns of ${seconds.measured} seconds in random order. The values are medians of ${rounds} turns.

${table(['requests per second', 'this service', 'Express', 'ratio'], rows)}
`,
  );
}
