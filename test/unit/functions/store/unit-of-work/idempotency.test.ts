import { randomBytes } from 'node:crypto';
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { recordResult } from '#functions/store/unit-of-work/idempotency.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';

const session = (idempotency?: Session['idempotency']): Session =>
  ({ tenant: 'acme', idempotency }) as Session;

const nowMs = Date.parse('2026-02-03T04:05:06.789Z');

test('records nothing for a request without an idempotency key', () => {
  expect(recordResult(session(), { id: '1' }, new Set(), nowMs)).toEqual([]);
});

test('records the result for a day, where there is none or an expired one', () => {
  expect(
    recordResult(session({ scope: 'scope', fingerprint: 'fingerprint' }), { id: '1' }, new Set(), nowMs),
  ).toEqual([
    {
      put: {
        pk: 'acme#idempotency#scope',
        sk: 'idempotency',
        fingerprint: 'fingerprint',
        parts: 1,
        result: deflateRawSync('{"id":"1"}', { level: constants.Z_BEST_SPEED }),
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
  // Text that hardly becomes smaller.
  const result = randomBytes(600_000).toString('base64');
  const writes = recordResult(
    session({ scope: 'scope', fingerprint: 'fingerprint' }),
    result,
    new Set(),
    nowMs,
  );
  const items = writes.map((write) => ('put' in write ? write.put : undefined));
  expect(items.map((item) => [item?.sk, item?.['parts'], item?.['expiresAt']])).toEqual([
    ['idempotency', 2, 1_770_177_906],
    ['idempotency#1', undefined, 1_770_177_906],
  ]);
  expect(writes.map(({ condition }) => condition !== undefined)).toEqual([true, false]);
  const parts = items.map((item) => item?.['result'] as Uint8Array);
  expect(parts.map(({ length }) => length)).toEqual([350_000, expect.any(Number)]);
  expect(JSON.parse(inflateRawSync(Buffer.concat(parts)).toString()) === result).toBe(true);
});
