/** Rebuilds a log: writes all its columns again, from the entities themselves, while the service is used. */
import { dayMs, now } from '../../../runtime/time-and-chance.ts';
import {
  advance,
  completeUpTo,
  missingBetween,
  type Progress,
  positionsOf,
  upTo,
} from '../../log/progress.ts';
import { UnknownFormat } from '../../model/errors.ts';
import { isCut, wordsField } from '../../model/words.ts';
import {
  emptyManifest,
  type ItemName,
  type Manifest,
  manifestNames,
  newStepId,
  type Segment,
} from '../format/manifest.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import type { LogWriter } from '../storage.ts';
import { recordStep } from './delete-garbage.ts';
import { fillSegments } from './new-segments.ts';
import { blockOf, type SegmentRow, toValues } from './row-block.ts';
import { type CompactionSizes, defaultSizes } from './sizes.ts';

export interface RebuildSource {
  /** Opens the log for some calls: all of them together can take longer than one deadline. */
  readonly open: () => LogWriter;
  /** The ids of its entities, as a scan has found them. */
  readonly ids: ReadonlySet<string>;
  /** A position from before the scan, up to which no record was missing then. */
  readonly position: number;
  /** Reads entities as rows, consistently. Those that do not exist are absent. */
  readonly readRows: (ids: readonly string[]) => Promise<ReadonlyMap<string, SegmentRow>>;
  readonly sizes?: CompactionSizes;
}

/** Milliseconds that a rebuild may take. No other step deletes its items meanwhile, although no manifest names them yet. */
const maxRebuildMs = dayMs;

/** Reads the records above a position, and returns the progress of a reader that sees them too. */
async function readAbove(writer: LogWriter, progress: Progress) {
  const records = await writer.oldestRecords(completeUpTo(progress));
  return { records, progress: advance(progress, positionsOf(records)) };
}

/**
 * Fills all holes of a log. Returns the position up to which no record is missing then: a scan that follows can begin a rebuild.
 * @param count the positions that the sequencer has handed out. A restored table can have an entity without the last record, which no later one shows as a hole.
 */
export async function fillAllHoles(writer: LogWriter, count = 0): Promise<number> {
  const { watermark } = await readReplaced(writer);
  const positions = positionsOf(await writer.oldestRecords(watermark));
  const last = Math.max(watermark, count, positions.at(-1) ?? 0);
  await writer.fill(missingBetween(watermark, last + 1, positions, Number.POSITIVE_INFINITY));
  return last;
}

/** Returns a function that reads the changes above a position, merged by id. Each call reads only what can have appeared since the last one. */
function changesAbove({ open, position }: RebuildSource) {
  let changes = new Map<string, RowChange>();
  let progress = upTo(position);
  return async (): Promise<ReadonlyMap<string, RowChange>> => {
    const read = await readAbove(open(), progress);
    changes = mergeRecords(read.records, changes);
    progress = read.progress;
    return changes;
  };
}

/** Returns the ids that a log had at its position, in their order, in parts of which each becomes a segment. */
function divideIds(
  { ids: scanned, sizes = defaultSizes }: RebuildSource,
  changes: ReadonlyMap<string, RowChange>,
): string[][] {
  const ids = new Set(scanned);
  for (const { id, before } of changes.values()) {
    if (before) ids.add(id);
    else ids.delete(id);
  }
  const sorted = [...ids].sort();
  const count = Math.ceil(sorted.length / sizes.maxRows);
  const size = Math.ceil(sorted.length / Math.max(1, count));
  return Array.from({ length: count }, (_, number) => sorted.slice(number * size, (number + 1) * size));
}

/** Returns the rows with some ids at a position: what the log has above it is undone, whether the entities were read with it or not. */
function rowsAt(
  ids: readonly string[],
  found: ReadonlyMap<string, SegmentRow>,
  changes: ReadonlyMap<string, RowChange>,
): SegmentRow[] {
  return ids.flatMap((id) => {
    const change = changes.get(id);
    const row = found.get(id);
    if (!change) return row ?? [];
    const { before, from: version } = change;
    if (!before) return [];
    // A text of which the row shows the beginning is that of now, or the log has a change of it with its words.
    const others = isCut(before) ? { [wordsField]: row?.values[wordsField] ?? null } : {};
    return { id, version, values: toValues({ ...others, ...before }) };
  });
}

/**
 * Returns the manifest that a rebuild replaces. One that this release cannot read counts as empty: a rebuild is the way out of it, because it needs
 * nothing of the columns. The items that it names stay in the table, because their names cannot be read.
 */
async function readReplaced(writer: LogWriter): Promise<Manifest> {
  try {
    return (await writer.readManifest()) ?? emptyManifest;
  } catch (error) {
    if (!(error instanceof UnknownFormat)) throw error;
    return { ...emptyManifest, version: await writer.readManifestVersion() };
  }
}

/** Writes the segments of a log at a position, one after the other: it needs the memory of one, and of the ids. @returns them, and the steps that list their items. */
async function writeSegments(source: RebuildSource) {
  const { open, readRows, sizes = defaultSizes } = source;
  const readChanges = changesAbove(source);
  const { version } = await readReplaced(open());
  const segments: Segment[] = [];
  const steps: ItemName[] = [];
  for (const ids of divideIds(source, await readChanges())) {
    const found = await readRows(ids);
    // Later than the entities: the log has each change that they have.
    const rows = rowsAt(ids, found, await readChanges());
    const stepId = newStepId(version + 1);
    // Many long texts take longer than one deadline.
    const built = fillSegments(blockOf(rows), { stepId, sizes, requireTime: () => undefined });
    const writer = open();
    const names = [...built.items.keys()];
    const beganAt = now() + maxRebuildMs;
    steps.push(...(await recordStep(writer, version + 1, stepId, { beganAt, names })));
    await writer.putItems(built.items);
    segments.push(...built.segments);
  }
  return { segments, steps };
}

/**
 * Replaces all columns of a log by those of a position before the scan. Records stay as they are: lists read those above the new watermark, which can
 * be lower than before.
 * @throws Error when it takes longer than a day.
 */
export async function rebuild(source: RebuildSource): Promise<void> {
  const { open, position: watermark } = source;
  const beganAt = now();
  const { segments, steps } = await writeSegments(source);
  const nowMs = now();
  if (nowMs > beganAt + maxRebuildMs) throw new Error('The rebuild of a log took longer than a day.');
  const writer = open();
  const before = await readReplaced(writer);
  const after = { ...emptyManifest, version: before.version + 1, watermark, segments };
  await recordStep(writer, after.version, newStepId(after.version), {
    beganAt: nowMs,
    names: manifestNames(before),
  });
  if (!(await writer.replaceManifest(after))) {
    // A step of compaction was faster, and may have begun with these segments if only the response was lost: they must not come a second time, with
    // other values.
    const isReplaced = JSON.stringify(await readReplaced(writer)) === JSON.stringify(after);
    if (!isReplaced) return rebuild(source);
  }
  // The manifest names their items: the step that replaces them lists them again.
  return writer.deleteItems(steps);
}
