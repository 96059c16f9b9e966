/**
 * Shards of change logs for writers. A writer may use every shard that it has read of, up to the stamp that it has read: readers of a later
 * moment read all of them. One that knows fewer shards than there are writes correct records, too.
 */
import { randomInt } from 'node:crypto';
import { logCache } from '../lists/engine/column-cache.ts';
import { decodeShards, type Shards, shardsKey } from '../model/change-log.ts';
import { type Change, kindsOf } from '../model/changes.ts';
import { maxKnownShardsMs } from '../model/log-timing.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from './session.ts';

/** What a process knows of a log. After a throttle, it forgets it. */
interface KnownShards {
  readonly shards: Shards;
  /** Milliseconds since 1970. */
  readonly readAt: number;
}

/** The name of the known shards in the cache of a log, and their bytes. */
const knownName = 'shards';
const knownBytes = 32;

async function readShards({ tenant, database }: Session, kind: Kind): Promise<Shards> {
  const cache = logCache(database, tenant, kind);
  const known = cache.get(knownName) as KnownShards | undefined;
  if (known && known.readAt + maxKnownShardsMs > Date.now()) return known.shards;
  const shards = decodeShards(await database.get(shardsKey(tenant, kind)));
  cache.set(knownName, { shards, readAt: Date.now() }, knownBytes);
  return shards;
}

/**
 * Reads the shards of the logs that changes are going to be recorded in, unless the process knows them.
 * @returns the function that chooses the shard of a record by its stamp: a random one, so that all get as many.
 */
export async function chooseShards(
  session: Session,
  changes: readonly Change[],
): Promise<(kind: Kind, stamp: number) => number> {
  const known = new Map<Kind, Shards>();
  await Promise.all(kindsOf(changes).map(async (kind) => known.set(kind, await readShards(session, kind))));
  return (kind, stamp) => {
    const { count, until } = known.get(kind) ?? decodeShards(undefined);
    return stamp < until ? randomInt(count) : 0;
  };
}

/** Forgets the shards of logs, so that the next transaction reads them. */
export function forgetShards({ tenant, database }: Session, kinds: readonly Kind[]): void {
  for (const kind of kinds) logCache(database, tenant, kind).set(knownName, undefined, 0);
}
