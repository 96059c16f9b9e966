import type { Contract } from '../../functions/shared/contract/contract.ts';
import { auditTable } from '../../lib/audit/audit-table.ts';
import { conflicts, type Injector, lostReplies } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Ids, makeEntities, makeEntity, request, writes } from './operations.ts';

/**
 * Every write, many at once, on an engine that loses replies behind the commit, and on one that refuses transactions
 * that meet. It is answered as if nothing failed, and happens once. `CALLS=200` is what docs/reliability.md speaks of;
 * fewer are enough to notice a change.
 */

const calls = Number(process.env['CALLS'] ?? 15);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

interface Fault {
  readonly title: string;
  readonly atOnce: number;
  injector(): Injector;
}

const faults: readonly Fault[] = [
  { title: 'three replies in ten are lost', atOnce: 10, injector: () => lostReplies(0.3, seed) },
  { title: 'transactions that meet are refused', atOnce: 50, injector: () => conflicts(8) },
];

let faulty: FaultyService;
let all: Ids;
let logged: jest.SpyInstance;

beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  // Requests log what they did.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  faulty = await startFaultyService();
  all = await makeEntities(faulty);
});

afterAll(async () => {
  await faulty.stop();
  logged.mockRestore();
});

const usual: Readonly<Record<Contract['success'], number>> = {
  list: 200,
  entity: 200,
  created: 201,
  deleted: 204,
  health: 200,
  page: 200,
};

/** Does something for each, a few at a time. */
async function forEach<Value>(
  values: readonly Value[],
  atOnce: number,
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const left = [...values];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let value = left.pop(); value !== undefined; value = left.pop()) await work(value);
    }),
  );
}

describe.each(faults)('when $title', ({ atOnce, injector }) => {
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
      const totalOf = async (): Promise<number> =>
        (await faulty.send<{ total: number }>('GET', `/v1/${plural}?limit=1`)).body.total;
      const before = await totalOf();

      faulty.proxy.inject(injector());
      const made = new Set<string>();
      await forEach(subjects, atOnce, async (ids) => {
        // The entity is as it was made: a guard on that version must not find it changed by this very request.
        const path = contract.path.includes('{id}') ? `/v1/${plural}/${ids[plural]}` : undefined;
        const etag = path && (await faulty.send('GET', path)).headers.get('etag');
        const { status, body } = await request(faulty, contract, ids, etag ? { 'if-match': etag } : {});
        expect([contract.operation, status]).toEqual([contract.operation, usual[contract.success]]);
        if (contract.success === 'created') made.add(body.id);
        if (contract.success === 'deleted') expect((await faulty.send('GET', path ?? '')).status).toBe(404);
      });
      faulty.proxy.inject(undefined);

      const change = { created: calls, deleted: -calls }[contract.success as string] ?? 0;
      expect(made.size).toBe(contract.success === 'created' ? calls : 0);
      expect((await totalOf()) - before).toBe(change);
    },
  );
});

test('the audit finds nothing wrong behind all of it', async () => {
  const report = await auditTable(faulty.client, faulty.service.tableName, { pause: 100 });
  expect(report).toMatchObject({ drifts: [], orphans: [], malformed: [], unsettled: [] });
});
