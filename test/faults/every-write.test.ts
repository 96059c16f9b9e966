import { forEach } from '#functions/runtime/for-each.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { runs } from '../support/runs.ts';
import { conflicts, type Injector, lostResponses } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import {
  growth,
  type Ids,
  makeEntities,
  makeEntity,
  makeTarget,
  request,
  successStatus,
  writes,
  writtenEntity,
} from './operations.ts';
import { printedSeed } from './seed.ts';

/**
 * Every write, with concurrent requests, on an engine that loses responses after the commit, and on one that rejects
 * conflicting transactions. Every write succeeds and is applied once. docs/reliability.md reports results with
 * `CALLS=200`. Fewer calls are enough to detect a regression.
 */

const calls = Number(process.env['CALLS'] ?? runs(4, 10));
const seed = printedSeed();

interface Fault {
  readonly title: string;
  readonly atOnce: number;
  injector(): Injector;
}

const faults: readonly Fault[] = [
  { title: 'three in ten responses are lost', atOnce: 10, injector: () => lostResponses(0.3, seed) },
  { title: 'conflicting transactions are rejected', atOnce: 50, injector: () => conflicts(8) },
];

/**
 * The number of calls after which a test starts another engine. Writes of the embedded engine get slower with the size of
 * its stream, which would dominate the results of 200 calls.
 */
const maxCallsOfEngine = 150;

let faulty: FaultyService;
let all: Ids;
let sent = 0;
let logged: jest.SpyInstance;

/** The duration of each operation under each fault. The test prints it and does not assert it. */
const figures: string[] = [];

/** Returns the 99th percentile of times in milliseconds (nearest rank). */
function percentile99(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0);
}

async function start(): Promise<void> {
  faulty = await startFaultyService();
  all = await makeEntities(faulty);
  sent = 0;
}

async function auditAndStop(): Promise<void> {
  const report = await auditTable(faulty.client, faulty.service.tableName, { pauseMs: 100 });
  await faulty.stop();
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
}

beforeAll(async () => {
  // The request log would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  await start();
});

afterEach(async () => {
  faulty.proxy.inject(undefined);
  if (sent < maxCallsOfEngine) return;
  await auditAndStop();
  await start();
});

afterAll(async () => {
  await auditAndStop();
  logged.mockRestore();
  process.stdout.write(`${figures.join('\n')}\n`);
});

describe.each(faults)('when $title', ({ title, atOnce, injector }) => {
  test.each(writes.map((contract) => [contract.operation, contract] as const))(
    '%s is applied once and succeeds',
    async (_, contract) => {
      const plural = contract.resource?.plural ?? '';
      const subjects: Ids[] = [];
      await forEach([...Array(calls).keys()], 10, async () => {
        // The subject of the request. A project also gets a task.
        const own = await makeTarget(faulty, contract, all);
        const hasTask = plural === 'projects' && growth(contract) <= 0;
        subjects.push(hasTask ? await makeEntity(faulty, 'tasks', own) : own);
      });
      expect(subjects.length).toBe(calls);
      sent += calls;
      const totalOf = async (): Promise<number> =>
        (await faulty.send<{ total: number }>('GET', `/v1/${plural}?limit=1`)).body.total;
      const before = await totalOf();

      faulty.proxy.inject(injector());
      const created = new Set<string>();
      const times: number[] = [];
      await forEach(subjects, atOnce, async (own) => {
        // A retry must not fail the If-Match of its own first attempt.
        const path = contract.path.includes('{id}') ? `/v1/${plural}/${own[plural]}` : undefined;
        const etag = path && (await faulty.send('GET', path)).headers.get('etag');
        const started = performance.now();
        const { status, body } = await request(faulty, contract, own, etag ? { 'if-match': etag } : {});
        times.push(performance.now() - started);
        expect([contract.operation, status]).toEqual([contract.operation, successStatus[contract.success]]);
        if (growth(contract) > 0) created.add(writtenEntity(contract, body)?.id ?? '');
        if (contract.success === 'deleted') expect((await faulty.send('GET', path ?? '')).status).toBe(404);
      });
      faulty.proxy.inject(undefined);
      figures.push(`${title}: ${contract.operation} p99 ${percentile99(times)} ms of ${times.length}`);

      expect(created.size).toBe(growth(contract) > 0 ? calls : 0);
      expect((await totalOf()) - before).toBe(calls * growth(contract));
    },
  );
});
