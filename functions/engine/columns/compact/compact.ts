/**
 * Compaction moves the change log into columns, in steps. A step
 *
 * 1. reads the manifest, and the oldest records above its watermark up to the first hole. It fills holes that are old.
 * 2. absorbs these records if they are enough: new rows wait, and become a segment when they are enough; new values become a patch.
 * 3. otherwise merges segments, or writes columns again, if lists would read too many items.
 * 4. lists what it is about to write and to replace, writes new items under new names, and replaces the manifest on condition that nobody else has.
 *
 * A crash at any point leaves the old manifest, which is complete. Of two steps at the same time, the slower one is lost. A merge that is urgent is not
 * lost again and again: each process takes it before it absorbs more records.
 */
import { CompactionTooSlow, StoreUnavailable } from '../../model/errors.ts';
import { emptyManifest, type Manifest } from '../format/manifest.ts';
import { absorb } from './absorb.ts';
import { chooseColumns, chooseMerge, isWaitingShrunk } from './choose-step.ts';
import { commitStep, type StepOutput } from './commit-step.ts';
import type { CompactionSource, StepSource } from './compaction-source.ts';
import { mergeSegments } from './merge-segments.ts';
import { type CompactionInput, readInput } from './read-input.ts';
import { rewriteColumns } from './rewrite-columns.ts';
import { defaultSizes } from './sizes.ts';
import { rememberStep, sizesOfShare, stepShare } from './step-share.ts';

/** A call that does not wait for its next attempt, because it would exceed the time, ends so many milliseconds before, at most. */
const maxWaitMs = 1_000;

interface CompactionResult extends Omit<CompactionInput, 'records' | 'watermark'> {
  readonly records: number;
}

const isStepDue = (manifest: Manifest, { sizes, nowMs }: StepSource): boolean =>
  chooseMerge(manifest, sizes, nowMs) !== undefined ||
  chooseColumns(manifest, sizes).size > 0 ||
  isWaitingShrunk(manifest, sizes, nowMs);

async function takeAbsorbingStep(
  source: StepSource,
  before: Manifest,
  input: CompactionInput,
): Promise<CompactionResult | undefined> {
  const { records, waiting, hasHole, hasMore } = input;
  const manifest = await commitStep(source, before, await absorb(source, before, input));
  return (
    manifest && { records: records.length, waiting, hasHole, hasMore: hasMore || isStepDue(manifest, source) }
  );
}

/** Takes the step that writes segments or columns again. The next look tells whether there is more to do. */
async function takeRewritingStep(
  source: StepSource,
  before: Manifest,
): Promise<CompactionResult | undefined> {
  const { sizes, nowMs } = source;
  const { watermark } = before;
  const merge = chooseMerge(before, sizes, nowMs);
  const columns = chooseColumns(before, sizes);
  let output: StepOutput;
  if (merge) output = await mergeSegments(source, before, merge);
  else if (columns.size > 0) output = await rewriteColumns(source, before, columns);
  // Rows that wait are written again when some are absorbed.
  else output = await absorb(source, before, { records: [], watermark });
  const manifest = await commitStep(source, before, output);
  return manifest && { records: 0, waiting: 0, hasHole: false, hasMore: true };
}

/**
 * Takes one step of the size that there is time for. Records come first, unless lists would have to read too many segments. A look that finds nothing
 * to do writes nothing.
 */
async function takeStep(source: StepSource): Promise<CompactionResult | undefined> {
  const { writer, sizes } = source;
  const manifest = (await writer.readManifest()) ?? emptyManifest;
  if (chooseMerge(manifest, sizes, source.nowMs)?.isUrgent) return takeRewritingStep(source, manifest);
  const input = await readInput(source, manifest);
  if (input.watermark > manifest.watermark) return takeAbsorbingStep(source, manifest, input);
  if (isStepDue(manifest, source)) return takeRewritingStep(source, manifest);
  return { records: 0, waiting: input.waiting, hasHole: input.hasHole, hasMore: false };
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
    const message = `A step of compaction, ${Math.round(100 * share)} % of a full one, did not finish in its time. The next one of this process is half as large.`;
    throw new CompactionTooSlow(message, { cause: error });
  }
}
