/**
 * Shards of change logs for writers. A writer may use every shard that it has read of: readers of a later moment read all of them. One
 * that knows fewer shards than there are writes correct records, too.
 */
import { randomInt } from 'node:crypto';
import { logCache } from '../lists/engine/column-cache.ts';
import { decodeShards, shardsKey } from '../model/change-log.ts';
import { type Change, kindsOf } from '../model/changes.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from './session.ts';

/** Milliseconds for which a process relies on a number of shards. After a throttle, it reads the number again at once. */
const validMs = 3_600_000;

/** What a process knows of a log. */
interface KnownShards {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly readAt: number;
}

/** The name of the known shards in the cache of a log, and their bytes. */
const knownName = 'shards';
const knownBytes = 32;

async function readCount({ tenant, database }: Session, kind: Kind): Promise<number> {
  const cache = logCache(database, tenant, kind);
  const known = cache.get(knownName) as KnownShards | undefined;
  if (known && known.readAt + validMs > Date.now()) return known.count;
  const count = decodeShards(await database.get(shardsKey(tenant, kind)));
  cache.set(knownName, { count, readAt: Date.now() }, knownBytes);
  return count;
}

/** Returns the function that chooses the shard of each record of a transaction: a random one, so that all get as many. */
export async function chooseShards(
  session: Session,
  changes: readonly Change[],
): Promise<(kind: Kind) => number> {
  const counts = new Map<Kind, number>();
  await Promise.all(kindsOf(changes).map(async (kind) => counts.set(kind, await readCount(session, kind))));
  return (kind) => randomInt(counts.get(kind) ?? 1);
}

/** Forgets the numbers of shards, so that the next transaction reads them. */
export function forgetShards({ tenant, database }: Session, kinds: readonly Kind[]): void {
  for (const kind of kinds) logCache(database, tenant, kind).set(knownName, undefined, 0);
}
