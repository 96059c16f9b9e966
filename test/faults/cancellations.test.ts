import { auditTable } from '../../lib/audit/audit-table.ts';
import { runs } from '../support/runs.ts';
import { cancellations, condition, lasting, passing, secret } from './cancellations.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { forEach } from './for-each.ts';
import { growth, type Ids, makeEntities, makeEntity, request, successStatus, writes } from './operations.ts';
import { printedSeed } from './seed.ts';

/** Every write, on an engine that cancels its transactions, for each reason and for several at once. */

/** Milliseconds that a function may take. */
const timeout = 4_000;

/** Milliseconds that this machine may take to send all writes at once, and to read their answers. */
const slack = 3_000;

const seed = printedSeed();
let faulty: FaultyService;
let all: Ids;
let logged: jest.SpyInstance;

beforeAll(async () => {
  faulty = await startFaultyService({ timeout });
  all = await makeEntities(faulty);
  // Each failure is logged, as it should be.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(async () => {
  await faulty.stop();
  logged.mockRestore();
});

const pluralOf = ({ resource }: (typeof writes)[number]): string => resource?.plural ?? '';

async function totals(): Promise<Record<string, number>> {
  const counted = Object.keys(all).map(async (plural) => {
    const { body } = await faulty.send<{ total: number }>('GET', `/v1/${plural}?limit=1`);
    return [plural, body.total] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

/** Something of its own for each write to work on. */
async function subjects(): Promise<Map<string, Ids>> {
  const made = new Map<string, Ids>();
  await forEach(writes, 4, async (contract) => {
    made.set(contract.operation, await makeEntity(faulty, pluralOf(contract), all));
  });
  return made;
}

const idsOf = (made: Map<string, Ids>, operation: string): Ids => made.get(operation) ?? all;

const titled = (lists: readonly (readonly string[])[]) =>
  lists.map((codes) => [codes.join(' and '), codes] as const);

/** Alone, with each other, and with a condition that fails. */
const temporary: readonly (readonly string[])[] = [
  ...passing.map((code) => [code]),
  [condition],
  passing,
  [condition, ...passing],
];

test.each(titled(temporary))('a write that is cancelled twice for %s is done once', async (_, codes) => {
  const made = await subjects();
  const before = await totals();
  for (const contract of writes) {
    const injector = cancellations(codes, 2, seed);
    faulty.proxy.inject(injector);
    const { status } = await request(faulty, contract, idsOf(made, contract.operation));
    faulty.proxy.inject(undefined);
    expect([contract.operation, status]).toEqual([contract.operation, successStatus[contract.success]]);
    expect([contract.operation, injector.cancelled]).toEqual([contract.operation, 2]);
    before[pluralOf(contract)] = (before[pluralOf(contract)] ?? 0) + growth(contract);
  }
  expect(await totals()).toEqual(before);
});

test.each(titled(temporary))(
  'a write that is cancelled for ever for %s is answered in time',
  async (_, codes) => {
    const made = await subjects();
    const before = await totals();
    faulty.proxy.inject(cancellations(codes, Number.POSITIVE_INFINITY, seed));
    await Promise.all(
      writes.map(async (contract) => {
        const started = performance.now();
        const { status, headers, body } = await request(faulty, contract, idsOf(made, contract.operation));
        expect(performance.now() - started).toBeLessThan(timeout + slack);
        expect([contract.operation, status, body.status]).toEqual([contract.operation, 503, 503]);
        expect(headers.get('retry-after')).toMatch(/^\d+$/);
        expect(JSON.stringify(body)).not.toContain(secret);
      }),
    );
    faulty.proxy.inject(undefined);
    expect(await totals()).toEqual(before);
  },
);

const permanent: readonly (readonly string[])[] = [
  ...lasting.map((code) => [code]),
  ...lasting.map((code) => [...passing, code]),
];

test.each(titled(permanent))(
  'a write that is cancelled for %s fails, and says nothing of it',
  async (_, codes) => {
    const made = await subjects();
    const before = await totals();
    for (const contract of writes) {
      const ids = idsOf(made, contract.operation);
      const path = `/v1/${pluralOf(contract)}/${ids[pluralOf(contract)]}`;
      const untouched = (await faulty.send('GET', path)).body;
      // Asked again it would be cancelled again: it must not be.
      const injector = cancellations(codes, Number.POSITIVE_INFINITY, seed);
      faulty.proxy.inject(injector);
      const { status, headers, body } = await request(faulty, contract, ids);
      faulty.proxy.inject(undefined);
      expect([contract.operation, status, body.status]).toEqual([contract.operation, 500, 500]);
      expect(headers.get('content-type')).toBe('application/problem+json');
      // The id of a request is made of any letters.
      expect(JSON.stringify({ ...body, requestId: '' })).not.toMatch(
        /secret|dynamo|transaction|cancel|table/i,
      );
      expect((await faulty.send('GET', path)).body).toEqual(untouched);
    }
    expect(await totals()).toEqual(before);
  },
);

test('every reason is tried with every write', () => {
  expect(writes.length).toBe(runs(8, 22));
  expect(new Set([...temporary, ...permanent].flat()).size).toBe(passing.length + 1 + lasting.length);
});

test('the audit finds nothing wrong behind all of it', async () => {
  const report = await auditTable(faulty.client, faulty.service.tableName, { pause: 50 });
  expect(report).toMatchObject({ drifts: [], orphans: [], malformed: [], unsettled: [] });
});
