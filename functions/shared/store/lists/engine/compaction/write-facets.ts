/** Writes facets: the counts that a step changes, merged with those of small facet runs. */
import { encodeFacets, type FacetCounts, mergeFacets, sizeOfFacets } from '../facets.ts';
import { type FacetRun, facetName, type Segment } from '../manifest.ts';
import type { Snapshot } from '../snapshot.ts';
import type { WritingStep } from './writing-step.ts';

/**
 * A run with fewer than `mergeFactor` times the new counts is merged with them. The sizes of runs then form a geometric sequence: a list reads
 * few of them, and a count is written O(log n) times.
 */
const mergeFactor = 2;

/** Divides runs into those that stay and those that new counts are merged with. */
function planMerge(runs: readonly FacetRun[], size: number): { kept: FacetRun[]; merged: FacetRun[] } {
  let sum = size;
  let kept = runs.length;
  while (kept > 0 && (runs[kept - 1] as FacetRun).counts < mergeFactor * sum) {
    kept -= 1;
    sum += (runs[kept] as FacetRun).counts;
  }
  return { kept: runs.slice(0, kept), merged: runs.slice(kept) };
}

/** Writes counts as a run. Returns nothing when there are none. */
export function writeFacetRun({ snapshotId, items, sizes }: WritingStep, counts: FacetCounts): FacetRun[] {
  if (counts.size === 0) return [];
  const encoded = encodeFacets(counts, sizes.bucketBytes);
  const run = { snapshot: snapshotId, buckets: encoded.length, counts: sizeOfFacets(counts) };
  for (const [bucket, bytes] of encoded.entries()) items.set(facetName(run, bucket), bytes);
  return [run];
}

/**
 * Writes the counts that a step changes. Returns the facet runs of the new manifest.
 * @param segments those of the new manifest.
 */
export async function writeFacets(
  snapshot: Snapshot,
  step: WritingStep,
  changes: FacetCounts,
  segments: readonly Segment[],
): Promise<readonly FacetRun[]> {
  const { runs } = snapshot.manifest.facets;
  const own = mergeFacets([changes], segments);
  if (own.size === 0) return runs;
  const { kept, merged } = planMerge(runs, sizeOfFacets(own));
  await snapshot.loadFacetRuns(merged);
  const all = mergeFacets([...merged.flatMap((run) => snapshot.facetRun(run)), own], segments);
  return [...kept, ...writeFacetRun(step, all)];
}
