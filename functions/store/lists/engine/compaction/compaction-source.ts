/** What a step of compaction has to do with. */
import type { LogMemory } from '../process-memory.ts';
import type { LogWriter } from '../storage.ts';
import type { LateChanges } from './late-changes.ts';
import type { CompactionSizes } from './sizes.ts';

export interface CompactionSource {
  readonly writer: LogWriter;
  readonly memory: LogMemory;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Milliseconds after which a record is settled. */
  readonly marginMs?: number;
  /** Absorbs also a few recent records. */
  readonly isForced?: boolean;
  /** Changes that the watermark may have passed without them. */
  readonly late?: LateChanges | undefined;
  readonly sizes?: CompactionSizes;
}

/** The source of one step, with the sizes that it has time for. */
export type StepSource = CompactionSource & { readonly sizes: CompactionSizes };
