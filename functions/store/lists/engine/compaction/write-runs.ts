/** Writes runs: the new values of a step, merged with those of small runs. */
import {
  type ItemName,
  type Run,
  runName,
  type Segment,
  type StepId,
  smallRunName,
} from '../format/manifest.ts';
import {
  countValues,
  encodeRun,
  encodeRunItems,
  fieldsOf,
  mergeRuns,
  type RunValues,
} from '../format/run.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import type { NewItems } from './new-segments.ts';
import type { CompactionSizes } from './sizes.ts';

/** Runs of a manifest, and the items of those that are new. */
interface NewRuns {
  readonly runs: readonly Run[];
  readonly items: NewItems;
}

/** Returns a run; none when there are no values. */
function buildRun(step: StepId, values: RunValues, maxWholeRunBytes: number): NewRuns {
  const count = countValues(values);
  if (count === 0) return { runs: [], items: new Map() };
  const whole = encodeRun(values);
  const run = { step, values: count };
  if (whole.length <= maxWholeRunBytes) return { runs: [run], items: new Map([[smallRunName(step), whole]]) };
  const counts: Record<string, number> = {};
  const items = new Map<ItemName, Uint8Array>();
  for (const field of fieldsOf(values)) {
    const encoded = encodeRunItems(values, field);
    counts[field] = encoded.length;
    for (const [position, bytes] of encoded.entries()) items.set(runName(step, field, position), bytes);
  }
  return { runs: [{ ...run, items: counts }], items };
}

/** Returns the number of runs that stay: the others have too few values, compared with all newer ones. */
function countKept(runs: readonly Run[], newValues: number, maxShareOfRun: number): number {
  let newer = newValues;
  let kept = runs.length;
  for (; kept > 0; kept -= 1) {
    const { values } = runs[kept - 1] as Run;
    if (newer < maxShareOfRun * values) break;
    newer += values;
  }
  return kept;
}

/**
 * Writes new values as a run. Returns the runs of the new manifest.
 * @param segments those of the new manifest. Values of other segments, and values that are in columns already, are left out.
 */
export async function writeRuns(
  columnReader: ColumnReader,
  { stepId, sizes }: { readonly stepId: StepId; readonly sizes: CompactionSizes },
  values: RunValues,
  segments: readonly Segment[],
): Promise<NewRuns> {
  const { runs } = columnReader.manifest;
  const own = { run: { step: stepId, values: countValues(values) }, values };
  if (own.run.values === 0) return { runs, items: new Map() };
  const kept = countKept(runs, own.run.values, sizes.maxShareOfRun);
  const merged = runs.slice(kept);
  await columnReader.loadRuns(merged);
  const earlier = merged.map((run) => ({ run, values: columnReader.runValues(run) }));
  const written = buildRun(stepId, mergeRuns([...earlier, own], segments), sizes.maxWholeRunBytes);
  return { runs: [...runs.slice(0, kept), ...written.runs], items: written.items };
}
