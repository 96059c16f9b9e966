/** Rebuilds a log: writes all its columns again, from the entities themselves, while the service is used. */
import { randomInt } from 'node:crypto';
import { firstIdAt } from '../../../model/ids.ts';
import { marginMs as defaultMarginMs, maxCreationMs } from '../../../model/log-timing.ts';
import { emptyManifest, type Manifest, manifestNames, newStepId } from '../format/manifest.ts';
import { mergeRecords } from '../merge-records.ts';
import type { LogWriter } from '../storage.ts';
import { recordStep } from './delete-garbage.ts';
import { buildSegments, counter, joinSegments, type SegmentRow } from './new-segments.ts';
import { defaultSizes } from './sizes.ts';

/** One above the greatest number of a rebuild. */
const maxGeneration = 2 ** 32;

/** The entities of a log, as a scan has found them. */
export interface ScannedRows {
  readonly rows: ReadonlyMap<string, SegmentRow>;
  /** When the scan began and ended, in milliseconds since 1970. */
  readonly beganAt: number;
  readonly endedAt: number;
}

/**
 * Returns the rows at a stamp that is later than the scan. What changed since the scan began is taken from the log: the scan may have seen it,
 * or not.
 * @param scannedUpTo the scan has seen all changes up to this stamp.
 */
async function rowsAt(
  writer: LogWriter,
  { rows }: ScannedRows,
  scannedUpTo: number,
  stamp: number,
): Promise<SegmentRow[]> {
  const current = new Map(rows);
  for (const change of mergeRecords(await writer.readRecords(scannedUpTo, stamp)).values()) {
    if (change.after) current.set(change.id, { id: change.id, version: change.to, values: change.after });
    else current.delete(change.id);
  }
  return [...current.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * Replaces all columns of a log. Records stay as they are: lists read those above the new watermark.
 * @param nowMs must be at least the margin after the end of the scan.
 * @returns false when a compaction step was faster: the caller tries again.
 * @throws RangeError when the scan ended too short a time ago.
 */
export async function rebuild(
  writer: LogWriter,
  scanned: ScannedRows,
  nowMs: number,
  marginMs = defaultMarginMs,
): Promise<boolean> {
  const before = (await writer.readHead(nowMs)).manifest ?? emptyManifest;
  const watermark = Math.max(nowMs - marginMs, before.watermark);
  if (watermark < scanned.endedAt) throw new RangeError('The scan ended less than the margin ago.');
  const scannedUpTo = scanned.beganAt - marginMs;
  const rows = await rowsAt(writer, scanned, scannedUpTo, watermark);
  const stepId = newStepId(before.version + 1);
  const youngId = firstIdAt(watermark - maxCreationMs);
  const settled = rows.filter(({ id }) => id < youngId);
  const options = { stepId, sizes: defaultSizes, nextNumber: counter() };
  const parts = [settled, rows.slice(settled.length)].map((part) => buildSegments(part, options));
  const { segments, items } = joinSegments(parts);
  const next: Manifest = {
    version: before.version + 1,
    watermark,
    newestStamp: watermark,
    generation: randomInt(1, maxGeneration),
    healedAt: before.healedAt,
    // A restored table can have a record of a transaction without the change of its entity. Healing would take it for late.
    rebuiltUpTo: scannedUpTo,
    segments,
    patches: [],
  };
  const names = [...items.keys(), ...manifestNames(before)];
  await recordStep(writer, next, stepId, { beganAt: nowMs, names });
  await writer.putItems(items);
  return writer.replaceManifest(next);
}
