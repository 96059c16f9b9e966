/** Compacts the log of the tasks beside a load, as in AWS. */
import { setTimeout as delay } from 'node:timers/promises';
import { compact } from '../functions/engine/columns/compact/compact.ts';
import { openLog } from '../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { ProcessMemory } from '../functions/engine/columns/process-memory.ts';
import { logRecordsWindowMs } from '../lib/hosting/functions.ts';
import type { TestStore } from '../test/support/local-store.ts';
import { tenant } from './task-collection.ts';

/** Takes the steps that are due until a time: a look after each window of the stream. */
export async function compactUntil(store: TestStore, endMs: number): Promise<void> {
  const memory = new ProcessMemory().of(tenant, 'task');
  while (Date.now() < endMs) {
    const writer = openLog(store.database(600_000), tenant, 'task');
    while ((await compact({ writer, memory, nowMs: Date.now() }))?.hasMore);
    await delay(Math.min(logRecordsWindowMs, Math.max(0, endMs - Date.now())));
  }
}
