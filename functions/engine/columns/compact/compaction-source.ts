import type { LogMemory } from '../process-memory.ts';
import type { LogWriter } from '../storage.ts';
import type { CompactionSizes } from './sizes.ts';

export interface CompactionSource {
  readonly writer: LogWriter;
  readonly memory: LogMemory;
  /** Milliseconds since 1970. It decides when something is worth a step, never what is right. */
  readonly nowMs: number;
  /** Absorbs also a few recent records. */
  readonly isForced?: boolean;
  readonly sizes?: CompactionSizes;
}

/** The source of one step, with the sizes that it has time for. */
export type StepSource = CompactionSource & { readonly sizes: CompactionSizes };
