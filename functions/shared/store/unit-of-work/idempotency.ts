import { IdempotencyKeyReused } from '../model/errors.ts';
import type { Key, Write } from '../model/writes.ts';
import type { Idempotency, Session } from './session.ts';

/** How long an answer can be had again. */
const keptSeconds = 24 * 60 * 60;

const recordKey = (tenant: string, { scope }: Idempotency): Key => ({
  pk: `${tenant}#idempotency#${scope}`,
  sk: 'idempotency',
});

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

/**
 * The result that was given under this request's key, if any.
 * @throws IdempotencyKeyReused when the key stands for another request.
 */
export async function previousResult(session: Session): Promise<{ readonly result: unknown } | undefined> {
  const { idempotency, tenant, database } = session;
  if (!idempotency) return undefined;
  const record = await database.get(recordKey(tenant, idempotency));
  // DynamoDB removes expired items late, up to days.
  if (!record || (record['expiresAt'] as number) <= nowInSeconds()) return undefined;
  if (record['fingerprint'] !== idempotency.fingerprint) throw new IdempotencyKeyReused();
  session.replayed = true;
  return { result: record['result'] };
}

/** The write that keeps a result under the request's key; it belongs to the transaction that makes it true. */
export function keepResult(session: Session, result: unknown): Write[] {
  const { idempotency, tenant } = session;
  if (!idempotency) return [];
  const now = nowInSeconds();
  return [
    {
      put: {
        ...recordKey(tenant, idempotency),
        fingerprint: idempotency.fingerprint,
        result,
        expiresAt: now + keptSeconds,
      },
      condition: {
        expression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        values: { ':now': now },
      },
    },
  ];
}
