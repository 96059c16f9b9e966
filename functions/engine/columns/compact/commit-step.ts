/** Writes the result of a step: its items first, and then the manifest, on condition that nobody has replaced it. */
import { type Manifest, manifestNames, newStepId } from '../format/manifest.ts';
import { assertManifest } from './assert-manifest.ts';
import type { CompactionSource } from './compaction-source.ts';
import { deleteGarbage, recordStep } from './delete-garbage.ts';
import type { NewItems } from './new-segments.ts';

export interface StepOutput {
  readonly manifest: Manifest;
  readonly items: NewItems;
}

/**
 * Writes a step.
 * @returns the new manifest; `undefined` when another process has replaced that one meanwhile. Then the step is lost.
 */
export async function commitStep(
  { writer, nowMs }: CompactionSource,
  before: Manifest,
  { manifest: after, items }: StepOutput,
): Promise<Manifest | undefined> {
  const manifest = { ...after, version: before.version + 1 };
  assertManifest(before, manifest, items.keys());
  const live = new Set(manifestNames(manifest));
  const replaced = manifestNames(before).filter((name) => !live.has(name));
  const names = [...items.keys(), ...replaced];
  await recordStep(writer, manifest.version, newStepId(manifest.version), { beganAt: nowMs, names });
  await writer.putItems(items);
  if (!(await writer.replaceManifest(manifest))) return undefined;
  // By the manifest before: a reader may still have it, so what this step has replaced stays until the step is an hour old.
  await deleteGarbage(writer, before, nowMs);
  return manifest;
}
