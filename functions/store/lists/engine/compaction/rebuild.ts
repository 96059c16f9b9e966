/** Rebuilds a log: writes all its columns again, from the entities themselves, while the service is used. */
import { UnknownFormat } from '../../../model/errors.ts';
import { marginMs as defaultMarginMs } from '../../../model/log-timing.ts';
import { maxStamp } from '../../../model/stamp-text.ts';
import {
  emptyManifest,
  type ItemName,
  type Manifest,
  manifestNames,
  newGeneration,
  newStepId,
  type Segment,
} from '../format/manifest.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import type { LogWriter } from '../storage.ts';
import { youngIdAt } from './choose-step.ts';
import { forgetSteps, recordStep } from './delete-garbage.ts';
import { buildSegments, counter } from './new-segments.ts';
import { blockOf, type SegmentRow } from './row-block.ts';
import { type CompactionSizes, defaultSizes } from './sizes.ts';

/** A log to rebuild. */
export interface RebuildSource {
  /** Opens the log for some calls: all of them together can take longer than one deadline. */
  readonly open: () => LogWriter;
  /** The ids of its entities, as a scan has found them. */
  readonly ids: ReadonlySet<string>;
  /** When the scan began, in milliseconds since 1970. */
  readonly beganAt: number;
  /** Reads entities as rows, consistently. Those that do not exist are absent. */
  readonly readRows: (ids: readonly string[]) => Promise<ReadonlyMap<string, SegmentRow>>;
  /** Returns the time, in milliseconds since 1970. */
  readonly time: () => Promise<number>;
  /** Milliseconds after which a record is settled. */
  readonly marginMs?: number | undefined;
  readonly sizes?: CompactionSizes;
}

/** Milliseconds that a rebuild may take. No other step deletes its items meanwhile, although no manifest names them yet. */
const maxRebuildMs = 86_400_000;

/** Returns a function that reads the changes above a stamp, merged by id. Each call reads only what can have appeared since the last one. */
function changesAbove({ open, time }: RebuildSource, stamp: number) {
  let changes = new Map<string, RowChange>();
  let settledUpTo = stamp;
  return async (): Promise<ReadonlyMap<string, RowChange>> => {
    const nowMs = await time();
    changes = mergeRecords(await open().readRecords(settledUpTo, maxStamp), changes);
    settledUpTo = Math.max(settledUpTo, nowMs - defaultMarginMs);
    return changes;
  };
}

/** Returns the ids that a log had at a stamp, in their order, in parts of which each becomes a segment. */
function divideIds(
  { ids: scanned, sizes = defaultSizes }: RebuildSource,
  changes: ReadonlyMap<string, RowChange>,
  stamp: number,
): string[][] {
  const ids = new Set(scanned);
  for (const { id, before } of changes.values()) {
    if (before) ids.add(id);
    else ids.delete(id);
  }
  const sorted = [...ids].sort();
  const youngId = youngIdAt(stamp);
  const firstYoung = sorted.findIndex((id) => id >= youngId);
  const settled = firstYoung < 0 ? sorted.length : firstYoung;
  return [sorted.slice(0, settled), sorted.slice(settled)].flatMap((part) => {
    const count = Math.ceil(part.length / sizes.maxRows);
    const size = Math.ceil(part.length / Math.max(1, count));
    return Array.from({ length: count }, (_, number) => part.slice(number * size, (number + 1) * size));
  });
}

/** Returns the rows with some ids at a stamp: what the log has above it is undone, whether the entities were read with it or not. */
function rowsAt(
  ids: readonly string[],
  found: ReadonlyMap<string, SegmentRow>,
  changes: ReadonlyMap<string, RowChange>,
): SegmentRow[] {
  return ids.flatMap((id) => {
    const change = changes.get(id);
    if (!change) return found.get(id) ?? [];
    return change.before ? { id, version: change.from, values: change.before } : [];
  });
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

/** Segments of a rebuild that no manifest names yet. */
interface WrittenSegments {
  readonly segments: readonly Segment[];
  /** The steps that list their items. */
  readonly steps: readonly ItemName[];
}

/** Writes the segments of a log at a stamp, one after the other: it needs the memory of one, and of the ids. */
async function writeSegments(source: RebuildSource, stamp: number): Promise<WrittenSegments> {
  const { open, readRows, time, sizes = defaultSizes } = source;
  const readChanges = changesAbove(source, stamp);
  const { version } = await readReplaced(open(), await time());
  const segments: Segment[] = [];
  const steps: ItemName[] = [];
  for (const ids of divideIds(source, await readChanges(), stamp)) {
    const found = await readRows(ids);
    // Later than the entities: the log has each change that they have.
    const rows = rowsAt(ids, found, await readChanges());
    const writer = open();
    const stepId = newStepId(version + 1);
    const options = { stepId, sizes, nextNumber: counter(), requireTime: () => writer.requireTime() };
    const built = buildSegments(blockOf(rows), options);
    const names = [...built.items.keys()];
    const beganAt = (await time()) + maxRebuildMs;
    steps.push(await recordStep(writer, version + 1, stepId, { beganAt, names }));
    await writer.putItems(built.items);
    segments.push(...built.segments);
  }
  return { segments, steps };
}

/**
 * Replaces all columns of a log by those of the margin before the scan. Records stay as they are: lists read those above the new watermark,
 * which can be lower than before.
 * @throws Error when it takes longer than a day.
 */
export async function rebuild(source: RebuildSource): Promise<void> {
  const { open, beganAt, time, marginMs = defaultMarginMs } = source;
  const watermark = beganAt - marginMs;
  const { segments, steps } = await writeSegments(source, watermark);
  for (;;) {
    const nowMs = await time();
    if (nowMs > beganAt + maxRebuildMs) throw new Error('The rebuild of a log took longer than a day.');
    const writer = open();
    const before = await readReplaced(writer, nowMs);
    const version = before.version + 1;
    await recordStep(writer, version, newStepId(version), { beganAt: nowMs, names: manifestNames(before) });
    const { newestStamps } = before;
    const generation = newGeneration();
    const next = { ...emptyManifest, version, watermark, newestStamps, generation, segments };
    // A step of compaction can be faster. It has changed nothing that the new columns contain.
    if (!(await writer.replaceManifest(next))) continue;
    return forgetSteps(writer, steps);
  }
}
