import { buildCreate } from '#functions/store/model/changes.ts';
import type { Fields } from '#functions/store/model/entity.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { listTags } from '#functions/tags/contract.ts';
import { setFunctionEnvironment } from '#lib/local/function-environment.ts';
import { startEngineStore, type TestStore } from '../support/local-store.ts';
import { type SeparateProcess, startSeparateProcess } from '../support/separate-process.ts';
import { type EngineProxy, startEngineProxy } from './engine-proxy.ts';

/** Requests that read more than any request should. The proxy reports many units for some calls, because no request of this service needs them. */

let store: TestStore;
let proxy: EngineProxy;
let one: SeparateProcess;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  store = await startEngineStore();
  proxy = await startEngineProxy(store.endpoint);
  setFunctionEnvironment({ endpoint: proxy.endpoint, tableName: store.tableName }, undefined);
  const organization = buildCreate(
    'organization',
    { name: 'A', status: 'active' } as unknown as Fields,
    Date.now(),
  );
  const organizationId = organization.after.entity.id;
  const tag = buildCreate(
    'tag',
    { name: 'B', status: 'active', organizationId } as unknown as Fields,
    Date.now(),
  );
  for (const change of [organization, tag])
    await applyChangeSet(store.session('public'), { changes: [change] });
  one = await startSeparateProcess(listTags as typeof listTags & { success: 'entity' });
});

beforeEach(() => {
  delete process.env['LOG_LEVEL'];
  process.env['REQUEST_METRICS'] = 'Test';
  lines.length = 0;
  jest
    .spyOn(process.stdout, 'write')
    .mockImplementation((line) => lines.push(JSON.parse(String(line)) as Record<string, unknown>) > 0);
});

afterEach(() => {
  jest.restoreAllMocks();
  proxy.inject(undefined);
  delete process.env['REQUEST_METRICS'];
});

afterAll(async () => {
  one.stop();
  await proxy.stop();
  await store.stop();
});

/** Reports units for the calls whose bodies have a text. */
function report(units: number, text: string): void {
  proxy.inject(async (call, pass) => {
    const response = await pass();
    if (!JSON.stringify(call.body).includes(text)) return response;
    const body = response.body.replaceAll(/"CapacityUnits":[\d.]+/g, `"CapacityUnits":${units}`);
    return { ...response, body };
  });
}

const metricNames = (): unknown =>
  JSON.stringify(lines.find(({ message }) => message === 'The request is finished.')?.['_aws']);

test.each([
  ['the page', '', 'by-creation'],
  ['those that "expand" adds', 'expand=organization', 'public#organization#'],
])('is a 400 that names "limit" when %s needs more than 20,000 units', async (_, query, text) => {
  report(20_001, text);
  const { status, body } = await one.call({ query });
  expect(status).toBe(400);
  expect(body).toMatchObject({
    errors: [
      { parameter: 'limit', detail: expect.stringMatching(/more than 20000 read units.* a lower "limit"/) },
    ],
  });
  expect(metricNames()).toContain('readBudgetExceeded');
  expect(lines.map(({ level }) => level)).toEqual(['INFO']);
});

test('is a 503 when the log needs them', async () => {
  report(20_001, 'public#tag#log');
  const { status, headers, body } = await one.call();
  expect([status, headers.get('retry-after')]).toEqual([503, '60']);
  expect(body).toMatchObject({ detail: expect.stringContaining('more than 20000 read units') });
  expect(metricNames()).toContain('readBudgetExceeded');
  expect(lines.map(({ level }) => level)).toEqual(['ERROR', 'INFO']);
});

test('has no metric below the budget', async () => {
  report(20_000, 'by-creation');
  // With the read of the log, it is above the budget, but not by its entities alone.
  expect((await one.call()).status).toBe(503);
  report(19_000, 'by-creation');
  lines.length = 0;
  expect((await one.call()).status).toBe(200);
  expect(metricNames()).not.toContain('readBudgetExceeded');
});
