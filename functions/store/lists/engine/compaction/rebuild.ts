/** Rebuilds a log: writes all its columns again, from the entities themselves, while the service is used. */
import { UnknownFormat } from '../../../model/errors.ts';
import { marginMs as defaultMarginMs } from '../../../model/log-timing.ts';
import { maxStamp } from '../../../model/stamp-text.ts';
import { emptyManifest, type Manifest, manifestNames, newGeneration, newStepId } from '../format/manifest.ts';
import { mergeRecords } from '../merge-records.ts';
import type { LogWriter } from '../storage.ts';
import { youngIdAt } from './choose-step.ts';
import { recordStep } from './delete-garbage.ts';
import { buildSegments, counter, joinSegments } from './new-segments.ts';
import { blockOf, type SegmentRow } from './row-block.ts';
import { defaultSizes } from './sizes.ts';

/** The entities of a log, as a scan has found them. */
export interface ScannedRows {
  readonly rows: ReadonlyMap<string, SegmentRow>;
  /** When the scan began, in milliseconds since 1970. */
  readonly beganAt: number;
}

/** Returns the rows at a stamp before the scan: what the log has above it is undone, whether the scan has seen it or not. */
async function rowsAt(writer: LogWriter, { rows }: ScannedRows, stamp: number): Promise<SegmentRow[]> {
  const current = new Map(rows);
  for (const { id, from, before } of mergeRecords(await writer.readRecords(stamp, maxStamp)).values()) {
    if (before) current.set(id, { id, version: from, values: before });
    else current.delete(id);
  }
  return [...current.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * Returns the manifest that a rebuild replaces. One that this release cannot read counts as empty: a rebuild is the way out of it, because it needs
 * nothing of the columns. The items that it names stay in the table, because their names cannot be read.
 */
async function readReplaced(writer: LogWriter, nowMs: number): Promise<Manifest> {
  try {
    return (await writer.readHead(nowMs)).manifest ?? emptyManifest;
  } catch (error) {
    if (!(error instanceof UnknownFormat)) throw error;
    return { ...emptyManifest, version: await writer.readManifestVersion() };
  }
}

/**
 * Replaces all columns of a log by those of the margin before the scan. Records stay as they are: lists read those above the new watermark,
 * which can be lower than before.
 * @returns false when a compaction step was faster: the caller tries again.
 */
export async function rebuild(
  writer: LogWriter,
  scanned: ScannedRows,
  nowMs: number,
  marginMs = defaultMarginMs,
): Promise<boolean> {
  const before = await readReplaced(writer, nowMs);
  const watermark = scanned.beganAt - marginMs;
  const rows = await rowsAt(writer, scanned, watermark);
  const stepId = newStepId(before.version + 1);
  const youngId = youngIdAt(watermark);
  const settled = rows.filter(({ id }) => id < youngId);
  const options = {
    stepId,
    sizes: defaultSizes,
    nextNumber: counter(),
    requireTime: () => writer.requireTime(),
  };
  const parts = [settled, rows.slice(settled.length)].map((part) => buildSegments(blockOf(part), options));
  const { segments, items } = joinSegments(parts);
  const next: Manifest = {
    version: before.version + 1,
    watermark,
    absorbed: [],
    newestStamps: before.newestStamps,
    generation: newGeneration(),
    segments,
    patches: [],
    outOfOrder: [],
  };
  const names = [...items.keys(), ...manifestNames(before)];
  await recordStep(writer, next, stepId, { beganAt: nowMs, names });
  await writer.putItems(items);
  return writer.replaceManifest(next);
}
