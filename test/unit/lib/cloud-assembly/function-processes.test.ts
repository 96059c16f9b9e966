import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuShare, FunctionProcesses } from '#lib/cloud-assembly/function-processes.ts';
import { functionContext } from '#lib/local/lambda-context.ts';

/** A function that uses CPU time, and tells how long that took. */
const source = `
let calls = 0;
const usedMs = (since) => { const { user, system } = process.cpuUsage(since); return (user + system) / 1000; };
exports.handler = async ({ burnMs = 0, fail, exit }, context) => {
  calls += 1;
  if (fail) throw new TypeError('The function failed.');
  if (exit) process.exit(1);
  const since = process.cpuUsage();
  const started = performance.now();
  while (usedMs(since) < burnMs);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    calls, pid: process.pid, wallMs: performance.now() - started, environment: { ...process.env },
    requestId: context.awsRequestId, remainingMs: context.getRemainingTimeInMillis(),
  };
};`;

interface Result {
  readonly calls: number;
  readonly pid: number;
  readonly wallMs: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly remainingMs: number;
}

const folder = mkdtempSync(join(tmpdir(), 'function-processes-'));
const bundle = {
  name: 'createTask',
  folder,
  handler: 'index.handler',
  runtime: 'nodejs24.x',
  timeoutMs: 10_000,
  memoryMb: 256,
  environment: { TABLE_NAME: 'tasks' },
};

beforeAll(() => writeFileSync(join(folder, 'index.js'), source));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  [256, 0.145],
  [1_769, 1],
  [10_240, 1],
])('%i MB are %d of a core', (memoryMb, share) => {
  expect(cpuShare(memoryMb)).toBeCloseTo(share, 3);
});

const isSupported = existsSync('/proc/self/schedstat');

/** Calls the function as one that has the memory of the bundle. */
async function withFunction(run: (call: (event: object) => Promise<Result>) => Promise<void>): Promise<void> {
  if (!isSupported) {
    expect(() => new FunctionProcesses()).toThrow('--lambda-cpu needs Linux, with /proc.');
    return;
  }
  const processes = new FunctionProcesses();
  const handler = processes.handler<object, Result>(bundle, { AWS_REGION: 'eu-central-1' });
  try {
    await run((event) => handler(event, functionContext('request-1', 5_000)));
  } finally {
    await processes.stop();
  }
}

test('a function runs in a process of its own, with its environment only', () =>
  withFunction(async (call) => {
    const { pid, environment, requestId, remainingMs } = await call({});
    expect(pid).not.toBe(process.pid);
    expect(requestId).toBe('request-1');
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(5_000);
    expect(environment).toMatchObject({
      TABLE_NAME: 'tasks',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'createTask',
    });
    expect(environment).not.toHaveProperty('HOME');
  }));

test('events one after the other use one process, events at the same time several', () =>
  withFunction(async (call) => {
    const first = await call({});
    const second = await call({});
    expect([second.pid, second.calls]).toEqual([first.pid, 2]);
    const [one, other] = await Promise.all([call({}), call({})]);
    expect(one?.pid).not.toBe(other?.pid);
  }));

test('an error of the function is the error of the call, and the process continues', () =>
  withFunction(async (call) => {
    await expect(call({ fail: true })).rejects.toThrow('The function failed.');
    expect((await call({})).calls).toBe(2);
    await expect(call({ exit: true })).rejects.toThrow('The process of the function has ended.');
    expect((await call({})).calls).toBe(1);
  }));

test('a function gets the CPU time of its memory', () =>
  withFunction(async (call) => {
    const burnMs = 300;
    const { wallMs } = await call({ burnMs });
    // 0.145 of a core. A busy machine gives less, and a late limiter a little more at the end.
    expect(burnMs / wallMs).toBeLessThan(0.2);
  }));
