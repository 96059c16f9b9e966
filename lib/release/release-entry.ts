/**
 * What tests use of a release: of this one from its sources, of the last one from the recorded bundle. So the names here stay as they are for a
 * release after the one that they are used in.
 */
import { routes as allRoutes } from '../../functions/routes.ts';
import { connect, shareClient } from '../../functions/store/dynamodb/client.ts';
import { Database } from '../../functions/store/dynamodb/database.ts';
import { Deadline } from '../../functions/store/dynamodb/deadline.ts';
import { compact } from '../../functions/store/lists/engine/compaction/compact.ts';
import { openLog } from '../../functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { type CompactionSizes, defaultSizes } from '../../functions/store/lists/engine/compaction/sizes.ts';
import { ProcessMemory } from '../../functions/store/lists/engine/process-memory.ts';
import type { Kind } from '../../functions/store/model/relations.ts';

export { formats } from '../../functions/store/model/formats.ts';
export { samples } from './samples.ts';

/** The operations on resources, by the file of their handler. The others store nothing. */
export const routes = allRoutes
  .filter(({ contract }) => contract.resource)
  .map(({ contract: { path }, file, methods }) => ({ path, file, methods }));

/**
 * Connects the functions of the release with the engine that the environment names.
 * @returns closes the connections.
 */
export function connectFunctions(): () => void {
  const client = connect();
  shareClient(client);
  return () => client.destroy();
}

/** A log, and how its columns are divided. */
interface LogOfTable {
  readonly tableName: string;
  readonly tenant: string;
  readonly kind: string;
  /** Milliseconds since 1970. Those who compact at the same time need the same one: a watermark ahead of the time is set back. */
  readonly nowMs: number;
  /** Default: those of a deployment. */
  readonly sizes?: Partial<CompactionSizes>;
}

/**
 * Absorbs all records of a log, and takes all steps that are due then. It absorbs them at once, not after the margin, so nobody may write
 * meanwhile.
 */
export async function compactAll({ tableName, tenant, kind, nowMs, sizes }: LogOfTable): Promise<void> {
  const client = connect();
  const writer = openLog(new Database(client, tableName, new Deadline(60_000)), tenant, kind as Kind);
  const memory = new ProcessMemory().of(tenant, kind as Kind);
  const options = { nowMs, marginMs: 0, isForced: true, sizes: { ...defaultSizes, ...sizes } };
  try {
    for (;;) {
      const result = await compact({ writer, memory, ...options });
      if (result && !result.hasMore) return;
    }
  } finally {
    client.destroy();
  }
}
