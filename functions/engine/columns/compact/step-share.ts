/** How large a step may be: a step that did not finish is tried smaller. */
import type { LogMemory } from '../process-memory.ts';
import type { CompactionSizes } from './sizes.ts';

/** Milliseconds in which a step of full size finishes on a whole vCPU, with some reserve. A step with less time is smaller. */
const fullStepMs = 4_000;

/** The smallest share of a full step that is tried. */
const minShare = 1 / 1_024;

const shareName = 'step-share';
const shareBytes = 8;

const knownShare = (memory: LogMemory): number => (memory.get(shareName) as number | undefined) ?? 1;

/** Returns the share of a full step that a log has time for. With half of the time, it is a quarter: calls take time however little they transmit. */
export const stepShare = (memory: LogMemory, remainingMs: number): number =>
  Math.max(minShare, Math.min(1, remainingMs / fullStepMs) ** 2 * knownShare(memory));

/** Halves the steps of a log until some finish: then doubles them again. */
export function rememberStep(memory: LogMemory, isFinished: boolean): void {
  const share = isFinished ? Math.min(1, 2 * knownShare(memory)) : Math.max(minShare, knownShare(memory) / 2);
  memory.set(shareName, share === 1 ? undefined : share, shareBytes);
}

/** Returns the sizes of a step that is a share of a full one. What lists read of it stays as it is. */
export const sizesOfShare = (sizes: CompactionSizes, share: number): CompactionSizes => ({
  ...sizes,
  maxChanges: Math.ceil(share * sizes.maxChanges),
  maxChangedBytes: share * sizes.maxChangedBytes,
  maxMergedRows: share * sizes.maxMergedRows,
  maxRewrittenColumns: Math.ceil(share * sizes.maxRewrittenColumns),
});
