import { auditTable } from '../../lib/audit/audit-table.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { forEach } from './for-each.ts';
import { foreignAnswers, foreignAtFirst } from './foreign-answers.ts';
import {
  growth,
  type Ids,
  makeEntities,
  makeEntity,
  operations,
  request,
  successStatus,
  writes,
} from './operations.ts';

/**
 * Every operation, on an engine of which each call is answered by something else at first: what is asked again is
 * found done, or is done then, and nothing that another answered is taken for DynamoDB's word.
 */

let faulty: FaultyService;
let all: Ids;

beforeAll(async () => {
  faulty = await startFaultyService();
  all = await makeEntities(faulty);
});

afterAll(() => faulty.stop());

async function totals(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const plural of Object.keys(all)) {
    found[plural] = (await faulty.send<{ total: number }>('GET', `/v1/${plural}?limit=1`)).body.total;
  }
  return found;
}

const reads = operations.filter(({ method }) => method === 'GET');

describe.each(foreignAnswers)('when an answer is %s', (_, answer) => {
  // What is not a success cannot be taken for one, whether it was done or not: test/faults/outages.test.ts has those.
  const isSuccess = answer({ status: 200, body: '{}' })?.status === 200;
  const places = [
    ['behind the commit', true],
    ['instead of the commit', false],
  ] as const;
  test.each(isSuccess ? places : places.slice(0, 1))(
    '%s, every write happens once, and says so',
    async (_, isDone) => {
      const expected = await totals();
      const subjects: (readonly [(typeof writes)[number], Ids])[] = [];
      await forEach(writes, 4, async (contract) => {
        const plural = contract.resource?.plural ?? '';
        subjects.push([contract, await makeEntity(faulty, plural, all)]);
        expected[plural] = (expected[plural] ?? 0) + 1 + growth(contract);
      });
      const injector = foreignAtFirst(answer, isDone);
      faulty.proxy.inject(injector);
      await forEach(subjects, 4, async ([contract, ids]) => {
        const { status } = await request(faulty, contract, ids);
        expect([contract.operation, status]).toEqual([contract.operation, successStatus[contract.success]]);
      });
      faulty.proxy.inject(undefined);
      // One that begins a section of an index beside the write need not be done: it is tried once.
      const again = [...injector.tries].filter(([call, tries]) => /^TransactWrite/.test(call) && tries > 1);
      expect(again.length).toBeGreaterThanOrEqual(writes.length);
      expect(await totals()).toEqual(expected);
    },
  );

  test('every read is answered as if it had been the right one', async () => {
    for (const contract of reads) {
      const right = await request(faulty, contract, all);
      faulty.proxy.inject(foreignAtFirst(answer, true));
      const { status, headers, body } = await request(faulty, contract, all);
      expect([contract.operation, status, body]).toEqual([contract.operation, right.status, right.body]);
      expect(headers.get('etag')).toBe(right.headers.get('etag'));
      expect(status).toBe(200);
      faulty.proxy.inject(undefined);
    }
  });
});

test('the audit finds nothing wrong behind all of it', async () => {
  const report = await auditTable(faulty.client, faulty.service.tableName, { pause: 50 });
  expect(report).toMatchObject({ drifts: [], orphans: [], malformed: [], unsettled: [] });
});
