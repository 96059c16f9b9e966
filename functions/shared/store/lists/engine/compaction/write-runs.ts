/** Writes runs: the new values of a step, merged with the runs of the lowest levels. */
import { type Run, runName, type Segment, smallRunName } from '../manifest.ts';
import {
  countValues,
  encodeRun,
  encodeRunItems,
  fieldsOf,
  type MutableRunValues,
  mergeRuns,
  type RunValues,
  setValue,
} from '../run.ts';
import type { Snapshot } from '../snapshot.ts';
import type { WritingStep } from './writing-step.ts';

/** Writes a run. Returns nothing when there are no values. */
function writeRun({ snapshotId, items, sizes }: WritingStep, values: RunValues, level: number): Run[] {
  const count = countValues(values);
  if (count === 0) return [];
  const whole = encodeRun(values);
  const run = { snapshot: snapshotId, level, values: count };
  if (whole.length <= sizes.maxWholeRunBytes) {
    items.set(smallRunName(snapshotId), whole);
    return [run];
  }
  const counts: Record<string, number> = {};
  for (const field of fieldsOf(values)) {
    const encoded = encodeRunItems(values, field);
    counts[field] = encoded.length;
    for (const [number, bytes] of encoded.entries()) items.set(runName(snapshotId, field, number), bytes);
  }
  return [{ ...run, items: counts }];
}

/**
 * Divides runs into those that stay and those that the new run is merged with. Beginning with the lowest level, all runs of a level are
 * merged when there are enough of them.
 */
function planMerge(runs: readonly Run[], fanOut: number): { kept: Run[]; merged: Run[]; level: number } {
  const kept = [...runs];
  const merged: Run[] = [];
  let level = 0;
  for (;;) {
    const count = kept.filter((run) => run.level === level).length;
    if (count + 1 < fanOut) return { kept, merged, level };
    merged.unshift(...kept.splice(kept.length - count, count));
    level += 1;
  }
}

/**
 * Writes new values as a run. Returns the runs of the new manifest.
 * @param segments those of the new manifest.
 */
export async function writeRuns(
  snapshot: Snapshot,
  step: WritingStep,
  values: MutableRunValues,
  segments: readonly Segment[],
): Promise<Run[]> {
  const { kept, merged, level } = planMerge(snapshot.manifest.runs, step.sizes.fanOut);
  if (merged.length === 0) return [...kept, ...writeRun(step, values, 0)];
  await snapshot.loadRuns(merged);
  const earlier = merged.map((run) => ({ run, values: snapshot.runValues(run) }));
  const all = mergeRuns(earlier, segments);
  for (const [segmentId, fields] of values) {
    for (const [field, patch] of fields) for (const entry of patch) setValue(all, segmentId, field, entry);
  }
  return [...kept, ...writeRun(step, all, level)];
}
