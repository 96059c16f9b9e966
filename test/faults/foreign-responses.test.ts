import { forEach } from '#functions/runtime/for-each.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { foreignFirstResponse, foreignResponses } from './foreign-responses.ts';
import {
  growth,
  type Ids,
  makeEntities,
  makeTarget,
  operations,
  request,
  successStatus,
  writes,
} from './operations.ts';

/**
 * Every operation, on an engine whose first response to each call is replaced. Responses that are not from DynamoDB are
 * rejected and retried, and every write is applied once.
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

describe.each(foreignResponses)('when the first response is %s', (_, replace) => {
  // An error response cannot be mistaken for a success. test/faults/outages.test.ts covers errors without a commit.
  const isSuccess = replace({ status: 200, body: '{}' })?.status === 200;
  const places = [
    ['after the commit', true],
    ['instead of the commit', false],
  ] as const;
  test.each(isSuccess ? places : places.slice(0, 1))(
    '%s, every write is applied once and succeeds',
    async (_, isApplied) => {
      const expected = await totals();
      const subjects: (readonly [(typeof writes)[number], Ids])[] = [];
      await forEach(writes, 4, async (contract) => {
        const plural = contract.resource?.plural ?? '';
        subjects.push([contract, await makeTarget(faulty, contract, all)]);
        const isThere = growth(contract) > 0 && contract.success === 'entity' ? 0 : 1;
        expected[plural] = (expected[plural] ?? 0) + isThere + growth(contract);
      });
      const injector = foreignFirstResponse(replace, isApplied);
      faulty.proxy.inject(injector);
      await forEach(subjects, 4, async ([contract, ids]) => {
        const { status } = await request(faulty, contract, ids);
        expect([contract.operation, status]).toEqual([contract.operation, successStatus[contract.success]]);
      });
      faulty.proxy.inject(undefined);
      // A separate transaction that starts an index section is optional and is not retried.
      const retried = [...injector.attempts].filter(
        ([call, attempts]) => /^TransactWrite/.test(call) && attempts > 1,
      );
      expect(retried.length).toBeGreaterThanOrEqual(writes.length);
      expect(await totals()).toEqual(expected);
    },
  );

  test('every read returns the same as without the fault', async () => {
    for (const contract of reads) {
      const right = await request(faulty, contract, all);
      faulty.proxy.inject(foreignFirstResponse(replace, true));
      const { status, headers, body } = await request(faulty, contract, all);
      // The cursor of a feed has the time.
      const read = (of: object): object => ({ ...of, cursor: undefined });
      expect([contract.operation, status, read(body)]).toEqual([
        contract.operation,
        right.status,
        read(right.body),
      ]);
      expect(headers.get('etag')).toBe(right.headers.get('etag'));
      expect(status).toBe(200);
      faulty.proxy.inject(undefined);
    }
  });
});

test('the audit finds no errors afterwards', async () => {
  const report = await auditTable(faulty.client, faulty.service.tableName, { pauseMs: 50 });
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
});
