import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { checkHealth } from '#functions/health/contract.ts';
import { windowMs } from '#functions/store/model/published-units.ts';
import { batchTags, createTag, readTag } from '#functions/tags/contract.ts';
import { setFunctionEnvironment } from '#lib/local/function-environment.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';
import { type SeparateProcess, startSeparateProcess } from '#test/support/separate-process.ts';

/** The rate limit over several processes on one table. The tests set the clock, so they do not depend on the speed of the machine. */

/** Capacity units per second, and in a window. A request for an unknown id reads one. */
const rate = 10;
const quota = 100;

const id = '01890000-0000-7000-8000-7a2c4d8f0e36';

let store: TestStore;
let now = 0;
/** The number of windows that tests have used: each begins in a window of its own. */
let windows = 1_000_000;

beforeAll(async () => {
  store = await startTestStore();
});

beforeEach(() => {
  setFunctionEnvironment(store, { tenantClaim: 'tenant' }, rate);
  now = windows * windowMs;
  windows += 10;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => store.stop());

function start(contract = readTag): Promise<SeparateProcess> {
  return startSeparateProcess(contract as typeof readTag);
}

const ofTenant = (tenant: string) => ({ id, claims: { tenant, sub: 'tester', scope: 'tags:read' } });

/** Sends requests one after the other. @returns how many were accepted. */
async function send({ call }: SeparateProcess, count: number, tenant: string): Promise<number> {
  let accepted = 0;
  for (let sent = 0; sent < count; sent += 1) {
    const { status } = await call(ofTenant(tenant));
    expect([404, 429]).toContain(status);
    if (status === 404) accepted += 1;
  }
  return accepted;
}

async function published(tenant: string): Promise<number[]> {
  const { Items = [] } = await store.client.send(
    new QueryCommand({
      TableName: store.tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `#rate#@${tenant}` },
    }),
  );
  return Items.map(({ units }) => units as number);
}

test('a response has the policy and the remaining units, also when it is an error', async () => {
  const one = await start();
  now += 6_500;
  const { status, headers } = await one.call(ofTenant('headers'));
  expect(status).toBe(404);
  expect(headers.get('ratelimit-policy')).toBe('"default";q=100;qu="capacity-units";w=10');
  expect(headers.get('ratelimit')).toBe('"default";r=99;t=4');
});

test('returns 429 with Retry-After above the limit, and accepts requests in the next window', async () => {
  const one = await start();
  expect(await send(one, quota + 20, 'single')).toBe(quota);
  now += 7_000;
  const { status, headers, body } = await one.call(ofTenant('single'));
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toBe('3');
  expect(headers.get('ratelimit')).toBe('"default";r=0;t=3');
  expect(body).toMatchObject({ type: '/docs/problems#too-many-requests', title: 'Too many requests' });
  now += 3_000;
  expect(await send(one, 1, 'single')).toBe(1);
});

test('each tenant has a limit of its own', async () => {
  const one = await start();
  expect(await send(one, quota + 1, 'busy')).toBe(quota);
  expect(await send(one, 1, 'quiet')).toBe(1);
});

const timingPattern = /^dynamodb;dur=[\d.]+;desc="calls=\d+, read=([\d.]+), write=([\d.]+)"(.*)$/;

/** Returns the units of a response by `Server-Timing`, and what follows them. */
function unitsOf(headers: Map<string, string>): { units: number; others: string } {
  const [, read, write, others = ''] = timingPattern.exec(headers.get('server-timing') ?? '') ?? [];
  return { units: Number(read) + Number(write), others };
}

const tagsOf = async (tenant: string): Promise<number> => {
  const { items } = await store.database().query({
    IndexName: 'by-creation',
    KeyConditionExpression: 'ofKind = :kind',
    ExpressionAttributeValues: { ':kind': `@${tenant}#tag` },
  });
  return items.length;
};

test('counts the units of requests: 43 batches of 25 do not pass a quota that four of them use up', async () => {
  const one = await start(batchTags as unknown as typeof readTag);
  const operations = Array.from({ length: 25 }, (_, tag) => ({
    operation: 'create',
    body: { name: `t${tag}` },
  }));
  const request = { body: { operations }, claims: { tenant: 'batches', sub: 'a', scope: 'tags:write' } };
  setFunctionEnvironment(store, { tenantClaim: 'tenant' }, 50);
  const accepted: number[] = [];
  for (let sent = 0; sent < 43; sent += 1) {
    const { status, headers } = await one.call(request);
    expect([200, 429]).toContain(status);
    if (status === 200) accepted.push(unitsOf(headers).units);
  }
  const used = accepted.reduce((sum, units) => sum + units, 0);
  // The last one began below the quota.
  expect(used).toBeGreaterThanOrEqual(500);
  expect(used - (accepted.at(-1) ?? 0)).toBeLessThan(500);
  expect(await tagsOf('batches')).toBe(25 * accepted.length);
});

test('writes nothing for a refused request', async () => {
  const one = await start(createTag as unknown as typeof readTag);
  const request = { body: { name: 'x' }, claims: { tenant: 'writer', sub: 'a', scope: 'tags:write' } };
  const statuses: number[] = [];
  for (let sent = 0; sent <= quota; sent += 1) statuses.push((await one.call(request)).status);
  expect(new Set(statuses)).toEqual(new Set([201, 429]));
  expect(await tagsOf('writer')).toBe(statuses.filter((status) => status === 201).length);
});

test("shows the calls of the limit apart from the request's own", async () => {
  const one = await start();
  await send(one, 1, 'shown');
  // The second request begins a publication, which ends with it or later.
  let shown = '';
  while (shown === '') {
    const { headers } = await one.call(ofTenant('shown'));
    const { units, others } = unitsOf(headers);
    expect(units).toBe(1);
    shown = others;
  }
  expect(shown).toMatch(/^, ratelimit;dur=[\d.]+;desc="calls=2, read=0\.5, write=1"$/);
});

test('logs the units of its own calls, which are no metric of the operation', async () => {
  const lines: Record<string, unknown>[] = [];
  jest
    .spyOn(process.stdout, 'write')
    .mockImplementation((line) => lines.push(JSON.parse(String(line)) as Record<string, unknown>) > 0);
  delete process.env['LOG_LEVEL'];
  process.env['REQUEST_METRICS'] = 'Test';
  const one = await start();
  do await one.call(ofTenant('logged'));
  while (lines.at(-1)?.['rateLimitUnits'] === undefined);
  delete process.env['REQUEST_METRICS'];
  expect(lines.at(-1)).toMatchObject({ readUnits: 1, rateLimitUnits: 1.5 });
  expect(JSON.stringify(lines.at(-1)?.['_aws'])).not.toContain('rateLimitUnits');
});

test('two processes together accept about the limit', async () => {
  const [one, other] = [await start(), await start()] as const;
  const acceptedByWindow: number[] = [];
  for (let window = 0; window < 2; window += 1) {
    let accepted = 0;
    for (let second = 0; second < 10; second += 1) {
      now += second === 0 ? 0 : 1_000;
      for (const process of [one, other]) accepted += await send(process, 15, 'shared');
    }
    now += 1_000;
    acceptedByWindow.push(accepted);
  }
  // Together they send 300 in each window. A process knows what the other one has published a second ago.
  for (const accepted of acceptedByWindow) {
    expect(accepted).toBeGreaterThanOrEqual(0.8 * quota);
    expect(accepted).toBeLessThanOrEqual(1.6 * quota);
  }
  // Each process has one item in each window, however many requests it served.
  expect(await published('shared')).toHaveLength(4);
});

test('a new process learns what others have served', async () => {
  const one = await start();
  await send(one, quota, 'cold');
  now += 1_000;
  await send(one, 1, 'cold');
  const other = await start();
  // It serves the requests that arrive until it has published its own and learnt of the others.
  let accepted = 0;
  while ((await other.call(ofTenant('cold'))).status === 404) accepted += 1;
  expect(accepted).toBeLessThan(quota);
});

test('costs nothing when it is off', async () => {
  setFunctionEnvironment(store, { tenantClaim: 'tenant' });
  const one = await start();
  expect(await send(one, quota + 1, 'off')).toBe(quota + 1);
  const { headers } = await one.call(ofTenant('off'));
  expect([...headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  expect(await published('off')).toEqual([]);
});

test('does not limit operations without a token, which have no tenant', async () => {
  const one = await start(checkHealth as unknown as typeof readTag);
  for (let sent = 0; sent <= quota; sent += 1) {
    const { status, headers } = await one.call();
    expect([status, headers.has('ratelimit')]).toEqual([200, false]);
  }
});
