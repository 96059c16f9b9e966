import type { Contract } from '../../functions/shared/contract/contract.ts';
import { auditTable } from '../../lib/audit/audit-table.ts';
import { lostReplies } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Ids, makeEntities, request, writes } from './operations.ts';

/**
 * Three replies in ten are lost behind the commit. Every write is answered as if none were, and happens once.
 * `CALLS=200` is what docs/reliability.md speaks of; fewer are enough to notice a change.
 */

const calls = Number(process.env['CALLS'] ?? 30);
const atOnce = 10;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let faulty: FaultyService;
let logged: jest.SpyInstance;

beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  // Requests log what they did.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  faulty = await startFaultyService();
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
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const left = [...values];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let value = left.pop(); value !== undefined; value = left.pop()) await work(value);
    }),
  );
}

test.each(writes.map((contract) => [contract.operation, contract] as const))(
  '%s happens once, and says so',
  async (_, contract) => {
    const subjects: Ids[] = [];
    await forEach([...Array(calls).keys()], async () => {
      subjects.push(await makeEntities(faulty));
    });
    expect(subjects.length).toBe(calls);
    const plural = contract.resource?.plural ?? '';
    const totalOf = async (): Promise<number> =>
      (await faulty.send<{ total: number }>('GET', `/v1/${plural}?limit=1`)).body.total;
    const before = await totalOf();

    faulty.proxy.inject(lostReplies(0.3, seed));
    const made = new Set<string>();
    await forEach(subjects, async (ids) => {
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

test('the audit finds nothing wrong behind all of it', async () => {
  const report = await auditTable(faulty.client, faulty.service.tableName, { pause: 100 });
  expect(report).toMatchObject({ drifts: [], orphans: [], malformed: [], unsettled: [] });
});
