import { recordResult } from '../../../../../../functions/shared/store/unit-of-work/idempotency.ts';
import type { Session } from '../../../../../../functions/shared/store/unit-of-work/session.ts';

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
        result: { id: '1' },
        expiresAt: 1_770_177_906,
      },
      condition: {
        expression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        values: { ':now': 1_770_091_506 },
      },
    },
  ]);
});
