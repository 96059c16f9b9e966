import { auditTable } from '../../lib/audit/audit-table.ts';
import { runs } from '../support/runs.ts';
import { conflicts, type Injector, lostReplies } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { forEach } from './for-each.ts';
import { growth, type Ids, makeEntities, makeEntity, request, successStatus, writes } from './operations.ts';
import { printedSeed } from './seed.ts';

/**
 * Every write, many at once, on an engine that loses replies behind the commit, and on one that refuses transactions
 * that meet. It is answered as if nothing failed, and happens once. `CALLS=200` is what docs/reliability.md speaks of;
 * fewer are enough to notice a change.
 */

const calls = Number(process.env['CALLS'] ?? runs(4, 15));
const seed = printedSeed();

interface Fault {
  readonly title: string;
  readonly atOnce: number;
  injector(): Injector;
}

const faults: readonly Fault[] = [
  { title: 'three replies in ten are lost', atOnce: 10, injector: () => lostReplies(0.3, seed) },
  { title: 'transactions that meet are refused', atOnce: 50, injector: () => conflicts(8) },
];

/**
 * Calls after which an engine is replaced: the embedded one takes the longer for each write the more its stream holds, and
 * with 200 calls of each operation nothing else would be measured.
 */
const fullEngine = 150;

let faulty: FaultyService;
let all: Ids;
let sent = 0;
let logged: jest.SpyInstance;

/** What is printed in the end: how long each operation took under each fault. It is to be read, not to be asserted. */
const figures: string[] = [];

/** The time, in milliseconds, that all but one request of a hundred stay under (the nearest rank). */
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
  const report = await auditTable(faulty.client, faulty.service.tableName, { pause: 100 });
  await faulty.stop();
  expect(report).toMatchObject({ drifts: [], orphans: [], malformed: [], unsettled: [] });
}

beforeAll(async () => {
  // Requests log what they did.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  await start();
});

afterEach(async () => {
  faulty.proxy.inject(undefined);
  if (sent < fullEngine) return;
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
    '%s happens once, and says so',
    async (_, contract) => {
      const plural = contract.resource?.plural ?? '';
      const subjects: Ids[] = [];
      await forEach([...Array(calls).keys()], 10, async () => {
        // Something to work on, and something that hangs on it.
        const own = await makeEntity(faulty, plural, all);
        subjects.push(plural === 'projects' ? await makeEntity(faulty, 'tasks', own) : own);
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
        // The entity is as it was made: a guard on that version must not find it changed by this very request.
        const path = contract.path.includes('{id}') ? `/v1/${plural}/${own[plural]}` : undefined;
        const etag = path && (await faulty.send('GET', path)).headers.get('etag');
        const started = performance.now();
        const { status, body } = await request(faulty, contract, own, etag ? { 'if-match': etag } : {});
        times.push(performance.now() - started);
        expect([contract.operation, status]).toEqual([contract.operation, successStatus[contract.success]]);
        if (contract.success === 'created') created.add(body.id);
        if (contract.success === 'deleted') expect((await faulty.send('GET', path ?? '')).status).toBe(404);
      });
      faulty.proxy.inject(undefined);
      figures.push(`${title}: ${contract.operation} p99 ${percentile99(times)} ms of ${times.length}`);

      expect(created.size).toBe(contract.success === 'created' ? calls : 0);
      expect((await totalOf()) - before).toBe(calls * growth(contract));
    },
  );
});
