/** Writes the result of a step: its items first, and then the manifest, on condition that nobody has replaced it. */
import { emptyManifest, type ItemName, type Manifest, manifestNames, newStepId } from '../format/manifest.ts';
import type { CompactionSource } from './compaction-source.ts';
import { deleteGarbage, recordStep } from './delete-garbage.ts';
import type { NewItems } from './new-segments.ts';

/** What a step writes for one manifest. */
export interface StepOutput {
  readonly manifest: Manifest;
  /** Those that this step has not written yet. */
  readonly items: NewItems;
}

/** Manifests that other processes may write during one step, at most. */
const maxAttempts = 10;

/**
 * Writes a step. If another process has replaced the manifest meanwhile, the step is applied to the new one.
 * @param apply returns what the step writes for a manifest; `undefined` if what the step has read is not in it any more.
 * @returns the manifest that was written; `undefined` when another process was faster.
 */
export async function commitStep(
  { writer, nowMs }: CompactionSource,
  before: Manifest,
  apply: (current: Manifest) => Promise<StepOutput | undefined>,
): Promise<Manifest | undefined> {
  let current = before;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const output = await apply(current);
    if (!output) return undefined;
    const { items } = output;
    const manifest = { ...output.manifest, version: current.version + 1 };
    const live = new Set(manifestNames(manifest));
    const replaced = manifestNames(current).filter((name) => !live.has(name));
    const names: ItemName[] = [...items.keys(), ...replaced];
    await recordStep(writer, manifest.version, newStepId(manifest.version), { beganAt: nowMs, names });
    await writer.putItems(items);
    if (await writer.replaceManifest(manifest)) {
      // By the manifest before: a reader may still have it, so what this step has replaced stays until the step is an hour old.
      await deleteGarbage(writer, current, nowMs);
      return manifest;
    }
    current = (await writer.readManifest()) ?? emptyManifest;
  }
  return undefined;
}
