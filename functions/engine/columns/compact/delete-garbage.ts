/**
 * Garbage collection: each compaction step first records which items it is about to write and to replace. With these records, a later
 * step finds the items that no manifest refers to, including those of a step that crashed.
 */
import { deflate, inflate } from '../../model/deflate.ts';
import { requireKnownFields } from '../../model/stored-format.ts';
import {
  type ItemName,
  type Manifest,
  manifestNames,
  type StepId,
  stepPartition,
} from '../format/manifest.ts';
import type { LogWriter } from '../storage.ts';

/** Milliseconds for which items stay that no manifest refers to any more: longer than any read. */
export const garbageMs = 3_600_000;

interface StepItems {
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  /** Items that the step writes, and items that its manifest does not need any more. */
  readonly names: readonly ItemName[];
}

/** Digits of a version in a sort key: steps are in their order. */
const versionDigits = 12;

const stepName = (version: number, id: StepId): ItemName =>
  `${stepPartition}/${String(version).padStart(versionDigits, '0')}#${id}`;

/** Names in an item of a list: it stays far below 400 KB, and its items can be deleted in a second. */
const maxNames = 2_000;

/**
 * Writes which items a step writes and replaces.
 * @returns the names of the list's items.
 */
export async function recordStep(
  writer: LogWriter,
  version: number,
  id: StepId,
  { beganAt, names }: StepItems,
): Promise<ItemName[]> {
  const items = new Map<ItemName, Uint8Array>();
  for (let first = 0; first < Math.max(1, names.length); first += maxNames) {
    const name = stepName(version, first === 0 ? id : `${id}.${first}`);
    const step: StepItems = { beganAt, names: names.slice(first, first + maxNames) };
    items.set(name, deflate(JSON.stringify(step)));
  }
  await writer.putItems(items);
  return [...items.keys()];
}

const stepFields: Readonly<Record<keyof StepItems, true>> = { beganAt: true, names: true };

/** Decodes an item of what `recordStep` writes. @throws UnknownFormat. */
export function decodeStep(encoded: Uint8Array): StepItems {
  const step = JSON.parse(inflate(encoded).toString()) as StepItems;
  requireKnownFields('step', step, stepFields);
  return step;
}

/** Items of lists that one step cleans up after. */
const maxSteps = 4;

/** Milliseconds in which the items of one list can be deleted. With less time, they are left to a later step. */
const deletionMs = 2_000;

/**
 * Deletes the items of old steps that the manifest does not refer to. Names are never used again, so an item that is not in use an
 * hour after its step began is never used again either.
 */
export async function deleteGarbage(writer: LogWriter, manifest: Manifest, nowMs: number): Promise<void> {
  const steps = await writer.listItems(stepPartition, maxSteps);
  const live = new Set(manifestNames(manifest));
  for (const [name, encoded] of steps) {
    const { beganAt, names } = decodeStep(encoded);
    if (beganAt + garbageMs > nowMs || writer.remainingMs() < deletionMs) return;
    // The list's item last: a crash in between leaves it for the next step.
    await writer.deleteItems(names.filter((one) => !live.has(one)));
    await writer.deleteItems([name]);
  }
}
