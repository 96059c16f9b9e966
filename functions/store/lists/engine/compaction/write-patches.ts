/** Writes patches: the new values of a step, merged with those of small patches. */
import {
  type ItemName,
  type Patch,
  patchName,
  type Segment,
  type StepId,
  smallPatchName,
} from '../format/manifest.ts';
import {
  countValues,
  encodePatch,
  encodePatchItems,
  fieldsOf,
  mergePatches,
  type PatchValues,
} from '../format/patch.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import type { NewItems } from './new-segments.ts';
import type { CompactionSizes } from './sizes.ts';

/** Patches of a manifest, and the items of those that are new. */
interface NewPatches {
  readonly patches: readonly Patch[];
  readonly items: NewItems;
}

/** Returns a patch; none when there are no values. */
function buildPatch(step: StepId, values: PatchValues, maxWholePatchBytes: number): NewPatches {
  const count = countValues(values);
  if (count === 0) return { patches: [], items: new Map() };
  const whole = encodePatch(values);
  const patch = { step, values: count };
  if (whole.length <= maxWholePatchBytes)
    return { patches: [patch], items: new Map([[smallPatchName(step), whole]]) };
  const counts: Record<string, number> = {};
  const items = new Map<ItemName, Uint8Array>();
  for (const field of fieldsOf(values)) {
    const encoded = encodePatchItems(values, field);
    counts[field] = encoded.length;
    for (const [position, bytes] of encoded.entries()) items.set(patchName(step, field, position), bytes);
  }
  return { patches: [{ ...patch, items: counts }], items };
}

/** Returns the number of patches that stay: the others have too few values, compared with all newer ones. */
function countKept(patches: readonly Patch[], newValues: number, maxShareOfPatch: number): number {
  let newer = newValues;
  let kept = patches.length;
  for (; kept > 0; kept -= 1) {
    const { values } = patches[kept - 1] as Patch;
    if (newer < maxShareOfPatch * values) break;
    newer += values;
  }
  return kept;
}

/**
 * Writes new values as a patch. Returns the patches of the new manifest.
 * @param segments those of the new manifest. Values of other segments, and values that are in columns already, are left out.
 */
export async function writePatches(
  columnReader: ColumnReader,
  { stepId, sizes }: { readonly stepId: StepId; readonly sizes: CompactionSizes },
  values: PatchValues,
  segments: readonly Segment[],
): Promise<NewPatches> {
  const { patches } = columnReader.manifest;
  const own = { patch: { step: stepId, values: countValues(values) }, values };
  if (own.patch.values === 0) return { patches, items: new Map() };
  const kept = countKept(patches, own.patch.values, sizes.maxShareOfPatch);
  const merged = patches.slice(kept);
  await columnReader.loadPatches(merged);
  const earlier = merged.map((patch) => ({ patch, values: columnReader.patchValues(patch) }));
  const written = buildPatch(stepId, mergePatches([...earlier, own], segments), sizes.maxWholePatchBytes);
  return { patches: [...patches.slice(0, kept), ...written.patches], items: written.items };
}
