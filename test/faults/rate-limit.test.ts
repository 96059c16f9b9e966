import { windowMs } from '#functions/store/model/published-units.ts';
import { readTag } from '#functions/tags/contract.ts';
import { setFunctionEnvironment } from '#lib/local/function-environment.ts';
import { startEngineStore, type TestStore } from '../support/local-store.ts';
import { type SeparateProcess, startSeparateProcess } from '../support/separate-process.ts';
import { type EngineProxy, errorResponse, type Injector, startEngineProxy } from './engine-proxy.ts';

/** The rate limit when counts cannot be published or read: no request fails or waits, and each process limits what it serves itself. */

const quota = 20;
const id = '01890000-0000-7000-8000-7a2c4d8f0e36';

let store: TestStore;
let proxy: EngineProxy;
let one: SeparateProcess;
let windows = 2_000_000;

beforeAll(async () => {
  store = await startEngineStore();
  proxy = await startEngineProxy(store.endpoint);
  setFunctionEnvironment({ endpoint: proxy.endpoint, tableName: store.tableName }, undefined, quota / 10);
  one = await startSeparateProcess(readTag);
});

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(windows * windowMs + 1_000);
  windows += 10;
});

afterEach(() => {
  proxy.inject(undefined);
  jest.restoreAllMocks();
});

afterAll(async () => {
  one.stop();
  await proxy.stop();
  await store.stop();
});

const isAboutCounts = (body: object): boolean => JSON.stringify(body).includes('#rate#');

/** Applies an injector to the calls of the rate limit only. @returns the number of these calls. */
function injectIntoCounts(injector: Injector): () => number {
  let calls = 0;
  proxy.inject(async (call, pass) => {
    if (!isAboutCounts(call.body)) return pass();
    calls += 1;
    return injector(call, pass);
  });
  return () => calls;
}

test.each<[string, Injector]>([
  ['are lost', async () => undefined],
  ['are throttled', async () => errorResponse('ProvisionedThroughputExceededException')],
  ['are denied', async () => errorResponse('AccessDeniedException')],
  ['never return', () => new Promise(() => {})],
  ['lose their responses', async (_, pass) => void (await pass())],
  ['return what is not from DynamoDB', async () => ({ status: 200, body: '{}' })],
])('requests succeed up to the quota when counts %s', async (_, injector) => {
  const lines: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const calls = injectIntoCounts(injector);
  const statuses: number[] = [];
  for (let sent = 0; sent < quota + 5; sent += 1) statuses.push((await one.call({ id })).status);
  expect(statuses).toEqual([...Array(quota).fill(404), ...Array(5).fill(429)]);
  expect(calls()).toBeGreaterThan(0);
  // A call that never returns is given up after a second.
  while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'ERROR',
    message: 'The units of the tenant were not published.',
    operation: 'readTag',
    tenant: 'public',
  });
});
