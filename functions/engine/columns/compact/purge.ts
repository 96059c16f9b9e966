/** Writes what columns have of erased entities again, without them. For the command that erases: compaction alone does it when they are many. */
import { delay, now } from '../../../runtime/time-and-chance.ts';
import { ProcessMemory } from '../process-memory.ts';
import type { LogWriter } from '../storage.ts';
import { compact } from './compact.ts';
import { minHoleMs } from './read-input.ts';
import { defaultSizes } from './sizes.ts';

/** Every row of which nothing is left, and every value that a patch replaces, is worth a step. */
const sizes = { ...defaultSizes, maxShareOfExpired: 0, maxRowsOfOne: 1, maxShareOfColumn: 0 };

/**
 * Absorbs all records of a log, and writes its columns again until none has a row of an erased or expired entity, or a value that was replaced.
 * @param open returns the log with a deadline of its own: each step has one.
 */
export async function purge(open: () => LogWriter): Promise<void> {
  const memory = new ProcessMemory().of('', '');
  for (;;) {
    const result = await compact({ writer: open(), memory, nowMs: now(), isForced: true, sizes });
    if (result?.hasHole) await delay(minHoleMs);
    else if (result && !result.hasMore) return;
  }
}
