/**
 * Compaction moves the change log into columns, in steps. Each step reads the manifest, writes new items under new names, and replaces the
 * manifest. A crash at any point leaves the old manifest, which is complete.
 */
import { CompactionTooSlow, StoreUnavailable } from '../../../model/errors.ts';
import { emptyManifest, type Manifest } from '../format/manifest.ts';
import { type AbsorbedInput, absorb } from './absorb.ts';
import { chooseColumns, chooseMerge } from './choose-step.ts';
import type { CompactionSource, StepSource } from './compaction-source.ts';
import { readLateRecords } from './late-records.ts';
import { mergeSegments } from './merge-segments.ts';
import { readInput } from './read-input.ts';
import { rewriteColumns } from './rewrite-columns.ts';
import { defaultSizes } from './sizes.ts';
import { rememberStep, sizesOfShare, stepShare } from './step-share.ts';

/** A call that does not wait for its next attempt, because it would exceed the time, ends so many milliseconds before, at most. */
const maxWaitMs = 1_000;

interface CompactionResult {
  /** Number of records that were absorbed. */
  readonly records: number;
  /** Number of records that wait for a later step. */
  readonly waiting: number;
  /** Whether another step has something to do at once. */
  readonly hasMore: boolean;
}

const isStepDue = (manifest: Manifest, { sizes }: StepSource): boolean =>
  chooseMerge(manifest, sizes) !== undefined || chooseColumns(manifest, sizes).size > 0;

/** Takes the step that absorbs records. */
async function takeAbsorbingStep(
  source: StepSource,
  before: Manifest,
  input: AbsorbedInput,
): Promise<CompactionResult | undefined> {
  const result = await absorb(source, before, input);
  if (!result) return undefined;
  const { manifest, absorbed } = result;
  return {
    records: absorbed.records.length,
    waiting: absorbed.waiting,
    hasMore: absorbed.hasMore || isStepDue(manifest, source),
  };
}

/** Takes the step that writes segments or columns again. The next look tells whether there is more to do. */
async function takeRewritingStep(
  source: StepSource,
  before: Manifest,
): Promise<CompactionResult | undefined> {
  const merge = chooseMerge(before, source.sizes);
  const manifest = merge
    ? await mergeSegments(source, before, merge)
    : await rewriteColumns(source, before, chooseColumns(before, source.sizes));
  return manifest && { records: 0, waiting: 0, hasMore: true };
}

/**
 * Takes one step of the size that there is time for. Records come first, unless lists would have to read too many segments. A look that finds
 * nothing to do writes nothing.
 */
async function takeStep(source: StepSource): Promise<CompactionResult | undefined> {
  const { writer, nowMs, sizes } = source;
  const { manifest = emptyManifest } = await writer.readHead(nowMs);
  if (chooseMerge(manifest, sizes)?.isUrgent) return takeRewritingStep(source, manifest);
  const { late, healedAt } = await readLateRecords(source, manifest);
  if (late.length > 0) {
    const { watermark } = manifest;
    const input = { records: late, watermark, healedAt, waiting: 0, hasMore: true };
    return takeAbsorbingStep(source, manifest, input);
  }
  const input = { ...(await readInput(source, manifest, sizes)), healedAt };
  if (input.records.length > 0) return takeAbsorbingStep(source, manifest, input);
  if (isStepDue(manifest, source)) return takeRewritingStep(source, manifest);
  return { records: 0, waiting: input.waiting, hasMore: false };
}

/**
 * Takes one step.
 * @returns `undefined` when another process was faster.
 * @throws CompactionTooSlow when the step did not finish in the time that is left. The next one of this process is half as large.
 */
export async function compact(source: CompactionSource): Promise<CompactionResult | undefined> {
  const { writer, memory, sizes = defaultSizes } = source;
  const share = stepShare(memory, writer.remainingMs());
  try {
    const result = await takeStep({ ...source, sizes: sizesOfShare(sizes, share) });
    rememberStep(memory, true);
    return result;
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || writer.remainingMs() > maxWaitMs) throw error;
    rememberStep(memory, false);
    throw new CompactionTooSlow(share, error);
  }
}
