/**
 * Compaction moves the change log into columns, in steps. Each step reads the manifest, writes new items under new names, and replaces the
 * manifest. A crash at any point leaves the old manifest, which is complete.
 */
import { CompactionTooSlow, StoreUnavailable } from '../../../model/errors.ts';
import { marginMs as defaultMarginMs } from '../../../model/log-timing.ts';
import { emptyManifest, type Manifest } from '../format/manifest.ts';
import { ColumnReader } from '../read/column-reader.ts';
import { absorb } from './absorb.ts';
import { chooseColumns, chooseMerge } from './choose-step.ts';
import type { CompactionSource, StepSource } from './compaction-source.ts';
import { lateRecords } from './late-changes.ts';
import { mergeSegments } from './merge-segments.ts';
import { type CompactionInput, readInput } from './read-input.ts';
import { rewriteColumns } from './rewrite-columns.ts';
import { readSetBack } from './set-back.ts';
import { defaultSizes } from './sizes.ts';
import { rememberStep, sizesOfShare, stepShare } from './step-share.ts';

/** A call that does not wait for its next attempt, because it would exceed the time, ends so many milliseconds before, at most. */
const maxWaitMs = 1_000;

interface CompactionResult {
  /** Number of records that were absorbed. */
  readonly records: number;
  /** Number of records that wait for a later step. */
  readonly waiting: number;
  /** Number of their changes. */
  readonly waitingChanges: number;
  /** Number of late records that were absorbed. */
  readonly late: number;
  /** Milliseconds by which the watermark was ahead of the time. The step has set it back. */
  readonly aheadMs: number;
  /** Whether another step has something to do at once. */
  readonly hasMore: boolean;
}

const nothing: CompactionResult = {
  records: 0,
  late: 0,
  aheadMs: 0,
  waiting: 0,
  waitingChanges: 0,
  hasMore: false,
};

const isStepDue = (manifest: Manifest, { sizes }: StepSource): boolean =>
  chooseMerge(manifest, sizes) !== undefined || chooseColumns(manifest, sizes).size > 0;

/** Takes the step that absorbs records. */
async function takeAbsorbingStep(
  source: StepSource,
  before: Manifest,
  input: CompactionInput,
): Promise<CompactionResult | undefined> {
  const manifest = await absorb(source, before, input);
  return (
    manifest && {
      ...nothing,
      records: input.records.length,
      hasMore: input.hasMore || isStepDue(manifest, source),
    }
  );
}

/** Takes the step that sets back a watermark which is ahead of the time. */
async function setBack(source: StepSource, before: Manifest): Promise<CompactionResult | undefined> {
  const { writer, memory, nowMs, marginMs = defaultMarginMs, sizes } = source;
  const watermark = nowMs - marginMs;
  const columnReader = new ColumnReader(before, writer, memory);
  const found = await readSetBack(columnReader, writer, watermark, sizes.maxSetBackRecords);
  const result = await takeAbsorbingStep(source, before, {
    ...found,
    watermark,
    waiting: 0,
    waitingChanges: 0,
    hasMore: true,
    isRepair: true,
  });
  return result && { ...result, aheadMs: before.watermark - nowMs };
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
  return manifest && { ...nothing, hasMore: true };
}

/**
 * Takes one step of the size that there is time for. Late changes come first, because lists lack them. Then come records, unless lists would have
 * to read too many segments. A look that finds nothing to do writes nothing.
 */
async function takeStep(source: StepSource): Promise<CompactionResult | undefined> {
  const { writer, memory, nowMs, sizes } = source;
  const { manifest = emptyManifest } = await writer.readHead(nowMs);
  const { watermark, absorbed } = manifest;
  if (watermark > nowMs) return setBack(source, manifest);
  const late = await lateRecords(new ColumnReader(manifest, writer, memory), writer, source.late);
  if (late.length > 0) {
    const input = {
      records: late,
      watermark,
      absorbed,
      waiting: 0,
      waitingChanges: 0,
      hasMore: true,
      isRepair: true,
    } as const;
    const result = await takeAbsorbingStep(source, manifest, input);
    return result && { ...result, records: 0, late: late.length };
  }
  if (chooseMerge(manifest, sizes)?.isUrgent) return takeRewritingStep(source, manifest);
  const input = await readInput(source, manifest, sizes);
  if (input.watermark > watermark) return takeAbsorbingStep(source, manifest, input);
  if (isStepDue(manifest, source)) return takeRewritingStep(source, manifest);
  return { ...nothing, waiting: input.waiting, waitingChanges: input.waitingChanges };
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
