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
  isNewerThan,
  mergePatches,
  type PatchValues,
} from '../format/patch.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import type { NewItems } from './new-segments.ts';
import type { CompactionSizes } from './sizes.ts';

interface NewPatches {
  readonly patches: readonly Patch[];
  readonly items: NewItems;
}

/** Returns a patch; none when there are no values. */
function buildPatch(step: StepId, values: PatchValues, { maxSmallBytes }: CompactionSizes): NewPatches {
  const count = countValues(values);
  if (count === 0) return { patches: [], items: new Map() };
  // A value takes more than a byte: more values are never a small patch.
  const whole = count <= maxSmallBytes ? encodePatch(values) : undefined;
  if (whole && whole.length <= maxSmallBytes) {
    const patch = { step, values: count, bytes: whole.length };
    return { patches: [patch], items: new Map([[smallPatchName(step), whole]]) };
  }
  const counts: Record<string, number> = {};
  const items = new Map<ItemName, Uint8Array>();
  let bytes = 0;
  for (const field of fieldsOf(values)) {
    const encoded = encodePatchItems(values, field);
    counts[field] = encoded.length;
    for (const [position, item] of encoded.entries()) {
      items.set(patchName(step, field, position), item);
      bytes += item.length;
    }
  }
  return { patches: [{ step, values: count, bytes, items: counts }], items };
}

/** Returns the number of patches that stay: the others have too few values, compared with all newer ones. */
function countKept(
  patches: readonly Patch[],
  newValues: number,
  { maxShareOfPatch, maxMergedPatchBytes }: CompactionSizes,
): number {
  let newer = newValues;
  let mergedBytes = 0;
  let kept = patches.length;
  for (; kept > 0; kept -= 1) {
    const { values, bytes } = patches[kept - 1] as Patch;
    mergedBytes += bytes;
    if (newer < maxShareOfPatch * values || mergedBytes > maxMergedPatchBytes) break;
    newer += values;
  }
  return kept;
}

/** Returns the patches that have values which no column contains. */
export const livePatches = (segments: readonly Segment[], patches: readonly Patch[]): readonly Patch[] =>
  patches.filter((patch) =>
    segments.some((segment) =>
      Object.keys(segment.patched).some((field) => isNewerThan(patch, segment, field)),
    ),
  );

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
  const own = { patch: { step: stepId, values: countValues(values), bytes: 0 }, values };
  if (own.patch.values === 0) return { patches, items: new Map() };
  const kept = countKept(patches, own.patch.values, sizes);
  const earlier = await columnReader.readPatches(patches.slice(kept));
  const written = buildPatch(stepId, mergePatches([...earlier, own], segments), sizes);
  return { patches: [...patches.slice(0, kept), ...written.patches], items: written.items };
}
