import { randomUUID } from 'node:crypto';
import { auditTable } from '../../lib/audit/audit-table.ts';
import type { Injector } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { makeEntities, request, writes } from './operations.ts';

/** Every write, stopped behind each of its calls in turn: nothing is half done, and doing it again ends it. */

let faulty: FaultyService;
let logged: jest.SpyInstance;

beforeAll(() => {
  // Each crash is logged, as it should be.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

// An audit reads the whole table: what the others left there would take most of the time.
beforeEach(async () => {
  faulty = await startFaultyService();
});

afterEach(() => faulty.stop());

afterAll(() => logged.mockRestore());

const ofRequests = new Set(['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems']);

/** Stops whoever makes the k-th call behind it: the call was made, and nothing comes after. */
function stopBehind(call: number): Injector & { isStopped: boolean } {
  let calls = 0;
  const injector = async (
    { operation }: { operation: string },
    pass: () => Promise<{ status: number; body: string }>,
  ) => {
    const reply = await pass();
    if (!ofRequests.has(operation)) return reply;
    calls += 1;
    if (calls !== call) return reply;
    injector.isStopped = true;
    return { status: 400, body: JSON.stringify({ __type: 'x#ProcessStopped', message: 'stopped here' }) };
  };
  injector.isStopped = false;
  return injector;
}

const totalOf = async (plural: string): Promise<number> =>
  (await faulty.send<{ total: number }>('GET', `/v1/${plural}?limit=1`)).body.total;

const audit = () => auditTable(faulty.client, faulty.service.tableName, { pause: 50 });
const clean = { drifts: [], orphans: [], malformed: [], unsettled: [] };

test.each(writes.map((contract) => [contract.operation, contract] as const))(
  '%s leaves nothing half done, wherever it stops',
  async (_, contract) => {
    const plural = contract.resource?.plural ?? '';
    for (let call = 1; ; call += 1) {
      const ids = await makeEntities(faulty);
      const name = `made ${randomUUID()}`;
      const headers = contract.method === 'POST' ? { 'idempotency-key': name } : {};
      const before = await totalOf(plural);
      const injector = stopBehind(call);
      faulty.proxy.inject(injector);
      const first = await request(faulty, contract, ids, headers);
      faulty.proxy.inject(undefined);
      if (!injector.isStopped) {
        expect(first.status).toBeLessThan(300);
        expect(call).toBeGreaterThan(2);
        return;
      }
      expect([contract.operation, call, await audit()]).toMatchObject([contract.operation, call, clean]);
      const again = await request(faulty, contract, ids, headers);
      // What was deleted before the stop is not there any more.
      const isGone = contract.success === 'deleted' && again.status === 404;
      expect([contract.operation, call, isGone || again.status < 300]).toEqual([
        contract.operation,
        call,
        true,
      ]);
      const third = await request(faulty, contract, ids, headers);
      if (contract.success === 'created') {
        expect(third.body.id).toBe(again.body.id);
        // What was promised is there, and once: also when the stop was between any two of its writes.
        expect((await faulty.send('GET', `/v1/${plural}/${again.body.id}`)).status).toBe(200);
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
