/**
 * Results under idempotency keys: a request that is sent again gets the first result. The result of a batch can exceed one item, so
 * results are stored as JSON in several items.
 */

import { IdempotencyKeyReused } from '../model/errors.ts';
import type { Item, Key, Write } from '../model/writes.ts';
import type { Idempotency, Session } from './session.ts';

/** Seconds for which a result is kept. */
const retentionSeconds = 24 * 60 * 60;

/** Bytes of a result in one item. DynamoDB allows 400 KB. */
const maxPartBytes = 350_000;

/** Returns the key of a part of a result. The first part also has the fingerprint of the request. */
const partKey = (tenant: string, { scope }: Idempotency, part: number): Key => ({
  pk: `${tenant}#idempotency#${scope}`,
  sk: part === 0 ? 'idempotency' : `idempotency#${part}`,
});

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

/** Reads the other parts of a result. Most results have none. */
async function readParts({ idempotency, tenant, database }: Session, first: Item): Promise<Uint8Array[]> {
  const keys = Array.from({ length: (first['parts'] as number) - 1 }, (_, index) =>
    partKey(tenant, idempotency as Idempotency, index + 1),
  );
  const items = new Map((await database.getMany(keys)).map((item) => [item.sk, item]));
  return [first, ...keys.map(({ sk }) => items.get(sk))].map((item) => item?.['result'] as Uint8Array);
}

/**
 * Returns the result that was recorded under the key of this request, if any.
 * @throws IdempotencyKeyReused when the key was used for another body.
 */
export async function findRecordedResult(
  session: Session,
): Promise<{ readonly result: unknown } | undefined> {
  const { idempotency, tenant, database } = session;
  if (!idempotency) return undefined;
  const first = await database.get(partKey(tenant, idempotency, 0));
  // DynamoDB deletes expired items up to days late.
  if (!first || (first['expiresAt'] as number) <= nowInSeconds()) return undefined;
  if (first['fingerprint'] !== idempotency.fingerprint) throw new IdempotencyKeyReused();
  session.replayed = true;
  return { result: JSON.parse(Buffer.concat(await readParts(session, first)).toString()) };
}

/** Returns the writes that record a result under the key of this request. They belong to the transaction of the result. */
export function recordResult({ idempotency, tenant }: Session, result: unknown): Write[] {
  if (!idempotency) return [];
  const json = Buffer.from(JSON.stringify(result));
  const now = nowInSeconds();
  const parts = Math.ceil(json.length / maxPartBytes);
  return Array.from({ length: parts }, (_, part) => {
    const put = {
      ...partKey(tenant, idempotency, part),
      result: json.subarray(part * maxPartBytes, (part + 1) * maxPartBytes),
      expiresAt: now + retentionSeconds,
    };
    // The condition of the first part holds for all.
    if (part > 0) return { put };
    return {
      put: { ...put, fingerprint: idempotency.fingerprint, parts },
      condition: {
        expression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        values: { ':now': now },
      },
    };
  });
}
