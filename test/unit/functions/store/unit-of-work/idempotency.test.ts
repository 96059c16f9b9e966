import { recordResult } from '#functions/store/unit-of-work/idempotency.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';

const session = (idempotency?: Session['idempotency']): Session =>
  ({ tenant: 'acme', idempotency }) as Session;

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2026-02-03T04:05:06.789Z') });
});

afterEach(() => {
  jest.useRealTimers();
});

test('records nothing for a request without an idempotency key', () => {
  expect(recordResult(session(), { id: '1' })).toEqual([]);
});

test('records the result for a day, where there is none or an expired one', () => {
  expect(recordResult(session({ scope: 'scope', fingerprint: 'fingerprint' }), { id: '1' })).toEqual([
    {
      put: {
        pk: 'acme#idempotency#scope',
        sk: 'idempotency',
        fingerprint: 'fingerprint',
        parts: 1,
        result: Buffer.from('{"id":"1"}'),
        expiresAt: 1_770_177_906,
      },
      condition: {
        expression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        values: { ':now': 1_770_091_506 },
      },
    },
  ]);
});

test('records a result that exceeds one item in several, of which the first has the condition', () => {
  const result = 'é'.repeat(400_000);
  const writes = recordResult(session({ scope: 'scope', fingerprint: 'fingerprint' }), result);
  const items = writes.map((write) => ('put' in write ? write.put : undefined));
  expect(items.map((item) => [item?.sk, item?.['parts'], item?.['expiresAt']])).toEqual([
    ['idempotency', 3, 1_770_177_906],
    ['idempotency#1', undefined, 1_770_177_906],
    ['idempotency#2', undefined, 1_770_177_906],
  ]);
  expect(writes.map(({ condition }) => condition !== undefined)).toEqual([true, false, false]);
  const parts = items.map((item) => item?.['result'] as Uint8Array);
  expect(parts.map(({ length }) => length)).toEqual([350_000, 350_000, 100_002]);
  expect(JSON.parse(Buffer.concat(parts).toString()) === result).toBe(true);
});
