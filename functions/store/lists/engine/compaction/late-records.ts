/** Healing: finds records that became visible below the watermark, after the margin. */
import { type LogRecord, retentionDays } from '../../../model/change-log.ts';
import { healingIntervalMs, healingWindowMs } from '../../../model/log-timing.ts';
import { deletedVersion, type Manifest } from '../format/manifest.ts';
import { mergeRecords } from '../merge-records.ts';
import { ColumnReader } from '../read/column-reader.ts';
import type { CompactionSource } from './compaction-source.ts';
import { knownRow, loadCandidates } from './locate-changes.ts';
import { defaultSizes } from './sizes.ts';

/** Milliseconds after which no record is late. Older records expire in any order: the creation of a deleted row could expire last. */
const maxLateMs = (retentionDays - 1) * 86_400_000;

/**
 * Returns the records below the watermark that were not absorbed: they became visible later than the margin. A record of a deleted
 * row is not late, because the record of the deletion has a later stamp and is among them.
 * @param records the latest records up to the watermark, without a gap.
 */
export async function lateRecords(
  columnReader: ColumnReader,
  records: readonly LogRecord[],
): Promise<LogRecord[]> {
  if (records.length === 0) return [];
  const changes = mergeRecords(records);
  await loadCandidates(columnReader, changes.values());
  const late = new Set<string>();
  for (const { id, to, after } of changes.values()) {
    const row = knownRow(columnReader, id);
    const isAbsorbed = row
      ? row.version === Number(deletedVersion) || row.version >= to
      : after === undefined;
    if (!isAbsorbed) late.add(id);
  }
  // Only entries of late rows: of another row in the same record, a later change may be absorbed already.
  return records
    .map((record) => ({ ...record, entries: record.entries.filter(({ id }) => late.has(id)) }))
    .filter(({ entries }) => entries.length > 0);
}

/** What a look for late records has found. */
interface LateRecords {
  readonly late: readonly LogRecord[];
  /** When compaction looked for late records the last time. */
  readonly healedAt: number;
}

/** Reads the late records, from time to time. */
export async function readLateRecords(
  { writer, memory, nowMs, sizes = defaultSizes }: CompactionSource,
  manifest: Manifest,
): Promise<LateRecords> {
  const { watermark, healedAt, rebuiltUpTo } = manifest;
  const isHealing = nowMs >= healedAt + healingIntervalMs;
  const healing =
    isHealing && watermark + maxLateMs > nowMs
      ? await writer.readRecords(
          Math.max(watermark - healingWindowMs, rebuiltUpTo),
          watermark,
          sizes.maxHealingRecords,
        )
      : [];
  const late = await lateRecords(new ColumnReader(manifest, writer, memory), healing);
  return { late, healedAt: isHealing ? nowMs : healedAt };
}
