/** Results under idempotency keys: a request that is sent again gets the first result. */

import { IdempotencyKeyReused } from '../model/errors.ts';
import type { Key, Write } from '../model/writes.ts';
import type { Idempotency, Session } from './session.ts';

/** Seconds for which a result is kept. */
const retentionSeconds = 24 * 60 * 60;

const resultKey = (tenant: string, { scope }: Idempotency): Key => ({
  pk: `${tenant}#idempotency#${scope}`,
  sk: 'idempotency',
});

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

/**
 * Returns the result that was recorded under the key of this request, if any.
 * @throws IdempotencyKeyReused when the key was used for another body.
 */
export async function findRecordedResult(
  session: Session,
): Promise<{ readonly result: unknown } | undefined> {
  const { idempotency, tenant, database } = session;
  if (!idempotency) return undefined;
  const item = await database.get(resultKey(tenant, idempotency));
  // DynamoDB deletes expired items up to days late.
  if (!item || (item['expiresAt'] as number) <= nowInSeconds()) return undefined;
  if (item['fingerprint'] !== idempotency.fingerprint) throw new IdempotencyKeyReused();
  session.replayed = true;
  return { result: item['result'] };
}

/** Returns the write that records a result under the key of this request. It belongs to the transaction of the result. */
export function recordResult(session: Session, result: unknown): Write[] {
  const { idempotency, tenant } = session;
  if (!idempotency) return [];
  const now = nowInSeconds();
  return [
    {
      put: {
        ...resultKey(tenant, idempotency),
        fingerprint: idempotency.fingerprint,
        result,
        expiresAt: now + retentionSeconds,
      },
      condition: {
        expression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        values: { ':now': now },
      },
    },
  ];
}
