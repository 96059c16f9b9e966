import { randomUUID } from 'node:crypto';
import { auditTable } from '#lib/audit/audit-table.ts';
import { runs } from '../support/runs.ts';
import { stopAfter } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { growth, makeEntities, prepareTarget, request, writes, writtenEntity } from './operations.ts';

/** Every write, stopped after each of its calls: the data stays consistent, and a repeated request completes the write. */

let faulty: FaultyService;
let logged: jest.SpyInstance;

beforeAll(() => {
  // The expected error lines would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

// Each test has its own table, because an audit reads the whole table.
beforeEach(async () => {
  faulty = await startFaultyService();
});

afterEach(() => faulty.stop());

afterAll(() => logged.mockRestore());

const totalOf = async (plural: string): Promise<number> =>
  (await faulty.send<{ total: number }>('GET', `/v1/${plural}?limit=1`)).body.total;

const audit = () => auditTable(faulty.client, faulty.service.tableName, { pauseMs: 50 });
const clean = { orphans: [], malformed: [], texts: [], subjects: [], logs: [] };

test.each(writes.map((contract) => [contract.operation, contract] as const))(
  '%s leaves consistent data when it stops after any call',
  async (_, contract) => {
    const plural = contract.resource?.plural ?? '';
    for (let call = 1; ; call += runs(3, 1)) {
      const ids = await makeEntities(faulty);
      await prepareTarget(faulty, contract, ids);
      const name = `created ${randomUUID()}`;
      const headers = contract.method === 'POST' ? { 'idempotency-key': name } : {};
      const before = await totalOf(plural);
      const injector = stopAfter(call);
      const first = await faulty.injectWithoutJobs(injector, () => request(faulty, contract, ids, headers));
      if (!injector.isStopped) {
        expect(first.status).toBeLessThan(300);
        expect(call).toBeGreaterThan(2);
        return;
      }
      expect([contract.operation, call, await audit()]).toMatchObject([contract.operation, call, clean]);
      const again = await request(faulty, contract, ids, headers);
      // If the first attempt deleted the entity, the second one returns 404.
      const isDeleted = contract.success === 'deleted' && again.status === 404;
      expect([contract.operation, call, isDeleted || again.status < 300]).toEqual([
        contract.operation,
        call,
        true,
      ]);
      const third = await request(faulty, contract, ids, headers);
      if (contract.success !== 'deleted') {
        // The description that the response shows is the one that is stored.
        const shown = writtenEntity(contract, third.body);
        const { body } = await faulty.send('GET', `/v1/${plural}/${shown?.id}`);
        expect([contract.operation, call, body]).toEqual([contract.operation, call, shown]);
      }
      if (growth(contract) > 0) {
        const id = writtenEntity(contract, again.body)?.id;
        expect(writtenEntity(contract, third.body)?.id).toBe(id);
        // The recorded entity exists exactly once, also after a stop between two writes.
        expect((await faulty.send('GET', `/v1/${plural}/${id}`)).status).toBe(200);
        expect([contract.operation, call, (await totalOf(plural)) - before]).toEqual([
          contract.operation,
          call,
          1,
        ]);
      }
      if (contract.success === 'deleted') {
        expect((await faulty.send('GET', `/v1/${plural}/${ids[plural]}`)).status).toBe(404);
      }
      expect([contract.operation, call, await audit()]).toMatchObject([contract.operation, call, clean]);
    }
  },
);
