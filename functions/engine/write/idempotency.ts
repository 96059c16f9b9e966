/**
 * Results under idempotency keys: a request that is sent again gets the first result. The result of a batch can exceed one item, so
 * results are stored as JSON in several items, compressed. What a request did not change is stored as its id and version, and read again:
 * otherwise, a small request that changes nothing could store all long descriptions that it names.
 */

import { constants, deflateRawSync } from 'node:zlib';
import { now } from '../../runtime/time-and-chance.ts';
import { ruleOf } from '../model/access.ts';
import { inflate } from '../model/deflate.ts';
import type { StoredEntity, WholeEntity } from '../model/entity.ts';
import { EntityNotFound, IdempotencyKeyReused } from '../model/errors.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { Kind } from '../model/schema.ts';
import { formatAttributes, requireReadable } from '../model/stored-format.ts';
import type { Item, Key, Write } from '../model/writes.ts';
import type { Idempotency, Session } from '../table/session.ts';
import { readTexts } from '../table/stored-entities.ts';

const retentionSeconds = 24 * 60 * 60;

/** Bytes of a result in one item. DynamoDB allows 400 KB. */
const maxPartBytes = 350_000;

/** Bytes of the JSON of a result: 25 entities with the longest descriptions have 2.5 MB, with all characters escaped. */
const maxResultBytes = 8_000_000;

interface Unchanged {
  readonly unchanged: { readonly kind: Kind; readonly id: string; readonly version: number };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isStored = (value: unknown): value is StoredEntity =>
  isRecord(value) && 'kind' in value && 'version' in value && 'entity' in value;

const isUnchanged = (value: unknown): value is Unchanged => isRecord(value) && 'unchanged' in value;

/** Returns the key of a part of a result. The first part also has the fingerprint of the request. */
const partKey = (tenant: string, { scope }: Idempotency, part: number): Key => ({
  pk: `${tenant}#idempotency#${scope}`,
  sk: part === 0 ? 'idempotency' : `idempotency#${part}`,
});

const recordFields = { result: true, expiresAt: true, fingerprint: true, parts: true };

const inSeconds = (timeMs: number): number => Math.floor(timeMs / 1_000);

async function readParts({ idempotency, tenant, database }: Session, first: Item): Promise<Item[]> {
  const keys = Array.from({ length: (first['parts'] as number) - 1 }, (_, index) =>
    partKey(tenant, idempotency as Idempotency, index + 1),
  );
  const items = new Map((await database.getMany(keys)).map((item) => [item.sk, item]));
  return [first, ...keys.map(({ sk }) => items.get(sk) as Item)];
}

/** Returns the result that items have, in their order. @throws UnknownFormat. */
export function decodeResult(parts: readonly Item[]): unknown {
  for (const part of parts) requireReadable('idempotency record', part, recordFields);
  const bytes = Buffer.concat(parts.map((part) => part['result'] as Uint8Array));
  return JSON.parse(inflate(bytes, maxResultBytes).toString());
}

/**
 * Returns a result in which the entities that the request did not change are as they are now, with the versions that they had. In the result of a
 * batch, those that were deleted since are `undefined`.
 */
async function readUnchanged(session: Session, result: unknown): Promise<unknown> {
  const { tenant, database } = session;
  const places = [result, ...(Array.isArray(result) ? result.map(({ stored }) => stored) : [])];
  const wanted = places.filter(isUnchanged).map(({ unchanged }) => unchanged);
  if (wanted.length === 0) return result;
  const items = await database.getMany(wanted.map(({ kind, id }) => entityKey(tenant, kind, id)));
  const whole = await readTexts(session, items.map(decodeEntity));
  const found = new Map(whole.map((one) => [one.entity.id, one]));
  const asItWas = (value: unknown): unknown => {
    if (!isUnchanged(value)) return value;
    const { id, version } = value.unchanged;
    const one = found.get(id);
    return one && ({ ...one, version } satisfies WholeEntity);
  };
  if (isUnchanged(result)) {
    const { kind, id } = result.unchanged;
    return asItWas(result) ?? Promise.reject(new EntityNotFound(kind, id));
  }
  return (result as readonly object[]).map((one) =>
    'stored' in one ? { ...one, stored: asItWas(one.stored) } : one,
  );
}

/** Returns a result without what the caller does not see now. In the result of a batch, it says so. */
async function withoutHidden({ sight, ...session }: Session, result: unknown): Promise<unknown> {
  const operations = Array.isArray(result)
    ? (result as { readonly operation?: string; readonly stored?: unknown }[])
    : [];
  const stored = [result, ...operations.map((one) => one.stored)].filter(isStored);
  if (!sight) return result;
  const { tenant, database } = session;
  const keys = stored.map(({ kind, entity }) => entityKey(tenant, kind, entity.id));
  const found = (await database.getMany(keys, true, { withDeleted: true })).map(({ pk }) => pk);
  const isHidden = (one: unknown): one is StoredEntity =>
    isStored(one) &&
    ruleOf(one.kind) !== undefined &&
    !found.includes(entityKey(tenant, one.kind, one.entity.id).pk);
  if (isHidden(result)) throw new EntityNotFound(result.kind, result.entity.id);
  if (!Array.isArray(result)) return result;
  // One that the request did not change, and that was not found, is deleted or hidden.
  const isGone = ({ operation, stored: own }: (typeof operations)[number]): boolean =>
    isHidden(own) || (operation === 'update' && own === undefined);
  return operations.map((one) => (isGone(one) ? { ...one, stored: undefined, isHidden: true } : one));
}

/**
 * Returns the result that was recorded under the key of this request, if any.
 * @throws IdempotencyKeyReused when the key was used for another body; EntityNotFound when the request changed nothing, and its entity was deleted
 * since.
 */
export async function findRecordedResult(session: Session) {
  const { idempotency, tenant, database } = session;
  if (!idempotency) return undefined;
  const first = await database.get(partKey(tenant, idempotency, 0));
  // DynamoDB deletes expired items up to days late.
  if (!first || (first['expiresAt'] as number) <= inSeconds(now())) return undefined;
  requireReadable('idempotency record', first, recordFields);
  if (first['fingerprint'] !== idempotency.fingerprint)
    throw new IdempotencyKeyReused(
      'This Idempotency-Key was used before, with another body. Use a new key for a new request.',
    );
  session.replayed = true;
  const result = await readUnchanged(session, decodeResult(await readParts(session, first)));
  return { result: await withoutHidden(session, result) };
}

/** Returns the writes that record a result under the key of this request. They belong to the transaction of the result. */
export function recordResult(
  { idempotency, tenant }: Pick<Session, 'idempotency' | 'tenant'>,
  result: unknown,
  changed: ReadonlySet<unknown>,
  nowMs: number,
): Write[] {
  if (!idempotency) return [];
  const text = JSON.stringify(result, (_, value: unknown) =>
    isStored(value) && !changed.has(value)
      ? ({ unchanged: { kind: value.kind, id: value.entity.id, version: value.version } } satisfies Unchanged)
      : value,
  );
  const json = deflateRawSync(text, { level: constants.Z_BEST_SPEED });
  const nowSeconds = inSeconds(nowMs);
  const parts = Math.ceil(json.length / maxPartBytes);
  return Array.from({ length: parts }, (_, part) => {
    const put = {
      ...partKey(tenant, idempotency, part),
      ...formatAttributes('idempotency record'),
      result: json.subarray(part * maxPartBytes, (part + 1) * maxPartBytes),
      expiresAt: nowSeconds + retentionSeconds,
    };
    // The condition of the first part holds for all.
    if (part > 0) return { put };
    return {
      put: { ...put, fingerprint: idempotency.fingerprint, parts },
      condition: {
        expression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        values: { ':now': nowSeconds },
      },
    };
  });
}
