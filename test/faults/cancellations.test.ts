import { forEach } from '#functions/runtime/for-each.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { runs } from '../support/runs.ts';
import { cancellations, conditionFailed, permanentCodes, secret, transientCodes } from './cancellations.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { growth, type Ids, makeEntities, makeTarget, request, successStatus, writes } from './operations.ts';
import { printedSeed } from './seed.ts';
import { measureWaiting } from './waiting-time.ts';

/** Every write, on an engine that cancels its transactions for each reason and for combinations of reasons. */

/** Milliseconds that a function may take. */
const timeout = 4_000;

/** Additional milliseconds for sending all writes at once. */
const slack = 3_000;

const seed = printedSeed();
let faulty: FaultyService;
let all: Ids;
let logged: jest.SpyInstance;

beforeAll(async () => {
  faulty = await startFaultyService({ timeout });
  all = await makeEntities(faulty);
  // The expected error lines would fill the output.
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

async function createSubjects(): Promise<Map<string, Ids>> {
  const subjects = new Map<string, Ids>();
  await forEach(writes, 4, async (contract) => {
    subjects.set(contract.operation, await makeTarget(faulty, contract, all));
  });
  return subjects;
}

const idsOf = (subjects: Map<string, Ids>, operation: string): Ids => subjects.get(operation) ?? all;

const titled = (lists: readonly (readonly string[])[]) =>
  lists.map((codes) => [codes.join(' and '), codes] as const);

/** Each transient reason alone, all of them together, and with a failed condition. */
const temporary: readonly (readonly string[])[] = [
  ...transientCodes.map((code) => [code]),
  [conditionFailed],
  transientCodes,
  [conditionFailed, ...transientCodes],
];

test.each(titled(temporary))(
  'a write is applied once when it is cancelled twice for %s',
  async (_, codes) => {
    const subjects = await createSubjects();
    const before = await totals();
    for (const contract of writes) {
      const injector = cancellations(codes, 2, seed);
      const { status } = await faulty.injectWithoutJobs(injector, () =>
        request(faulty, contract, idsOf(subjects, contract.operation)),
      );
      expect([contract.operation, status]).toEqual([contract.operation, successStatus[contract.success]]);
      expect([contract.operation, injector.cancelled]).toEqual([contract.operation, 2]);
      before[pluralOf(contract)] = (before[pluralOf(contract)] ?? 0) + growth(contract);
    }
    expect(await totals()).toEqual(before);
  },
);

test.each(titled(temporary))(
  'a write returns 503 in time when it is always cancelled for %s',
  async (_, codes) => {
    const subjects = await createSubjects();
    const before = await totals();
    faulty.proxy.inject(cancellations(codes, Number.POSITIVE_INFINITY, seed));
    await Promise.all(
      writes.map(async (contract) => {
        const { result, waitedMs } = await measureWaiting(() =>
          request(faulty, contract, idsOf(subjects, contract.operation)),
        );
        const { status, headers, body } = result;
        expect(waitedMs).toBeLessThan(timeout + slack);
        expect([contract.operation, status, body.status]).toEqual([contract.operation, 503, 503]);
        expect(headers.get('retry-after')).toMatch(/^\d+$/);
        expect(JSON.stringify(body)).not.toContain(secret);
      }),
    );
    // Still with the cancellations: the service ends a call with the time of its request, and the proxy may receive it only now.
    expect(await totals()).toEqual(before);
    faulty.proxy.inject(undefined);
  },
);

const permanent: readonly (readonly string[])[] = [
  ...permanentCodes.map((code) => [code]),
  ...permanentCodes.map((code) => [...transientCodes, code]),
];

test.each(titled(permanent))(
  'a write returns 500 without the cause when it is cancelled for %s',
  async (_, codes) => {
    const subjects = await createSubjects();
    const before = await totals();
    for (const contract of writes) {
      const ids = idsOf(subjects, contract.operation);
      const path = `/v1/${pluralOf(contract)}/${ids[pluralOf(contract)]}`;
      // Also that a restore has restored nothing: each 404 has a request id of its own.
      const stored = async () => ({ ...(await faulty.send<object>('GET', path)).body, requestId: '' });
      const original = await stored();
      // A retry would be cancelled again, so the service must not retry.
      const injector = cancellations(codes, Number.POSITIVE_INFINITY, seed);
      const { status, headers, body } = await faulty.injectWithoutJobs(injector, () =>
        request(faulty, contract, ids),
      );
      expect([contract.operation, status, body.status]).toEqual([contract.operation, 500, 500]);
      expect(headers.get('content-type')).toBe('application/problem+json');
      // A random request id can contain any of these words.
      expect(JSON.stringify({ ...body, requestId: '' })).not.toMatch(
        /secret|dynamo|transaction|cancel|table/i,
      );
      expect(await stored()).toEqual(original);
    }
    expect(await totals()).toEqual(before);
  },
);

test('the tests cover every reason and every write', () => {
  expect(writes.length).toBe(runs(10, 32));
  expect(new Set([...temporary, ...permanent].flat()).size).toBe(
    transientCodes.length + 1 + permanentCodes.length,
  );
});

test('the audit finds no errors afterwards', async () => {
  const report = await auditTable(faulty.client, faulty.service.tableName, { pauseMs: 50 });
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
});
