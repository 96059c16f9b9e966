/** The step that writes columns again of which patches replace too many values. */
import { encodeColumnItems } from '../format/buckets.ts';
import { buildColumn, columnValues } from '../format/column.ts';
import { type Manifest, newStepId, type Segment } from '../format/manifest.ts';
import { ColumnReader } from '../read/column-reader.ts';
import type { ColumnsToRewrite } from './choose-step.ts';
import { commitStep } from './commit-step.ts';
import type { StepSource } from './compaction-source.ts';
import { mergeSegments } from './merge-segments.ts';
import { columnItems, countBuckets, joinItems, largestItem, type NewItems } from './new-segments.ts';
import { livePatches } from './write-patches.ts';

/** New columns of a segment. */
interface RewrittenColumns {
  readonly before: Segment;
  readonly columns: ReadonlyMap<string, readonly Buffer[]>;
}

async function rewriteColumnsOf(
  { writer, sizes }: StepSource,
  columnReader: ColumnReader,
  before: Segment,
  fields: readonly string[],
): Promise<RewrittenColumns> {
  await columnReader.loadColumns(fields, [before]);
  const columns = new Map<string, Buffer[]>();
  for (const field of fields) {
    writer.requireTime();
    // Built again, because the dictionary of a patched column also has the values that were replaced.
    const column = buildColumn(columnValues(columnReader.column(before, field)));
    columns.set(field, encodeColumnItems(column, sizes.bucketBytes));
  }
  return { before, columns };
}

const without = (
  counts: Readonly<Record<string, number>>,
  fields: ReadonlySet<string>,
): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([field]) => !fields.has(field)));

/** Returns the number of values in patches that the new columns do not have: those that were absorbed meanwhile. */
function patchedSince(
  current: Segment,
  before: Segment,
  fields: ReadonlySet<string>,
): Record<string, number> {
  const since = [...fields]
    .map((field) => [field, (current.patched[field] ?? 0) - (before.patched[field] ?? 0)] as const)
    .filter(([, count]) => count > 0);
  return { ...without(current.patched, fields), ...Object.fromEntries(since) };
}

/** Returns a segment with its new columns; the segment as it is if another process has written them again. */
function replaceColumns(
  current: Segment,
  { before, columns }: RewrittenColumns,
  stepId: string,
): Segment | undefined {
  const fields = new Set(columns.keys());
  if ([...fields].some((field) => current.columns[field] !== before.columns[field])) return undefined;
  return {
    ...current,
    columns: { ...current.columns, ...Object.fromEntries([...fields].map((field) => [field, stepId])) },
    buckets: { ...without(current.buckets, fields), ...countBuckets(columns) },
    patched: patchedSince(current, before, fields),
    bytes: Math.max(current.bytes, largestItem(columns)),
  };
}

/**
 * Writes columns again, with the values of all patches. A segment whose column outgrows its item is divided instead. Other processes may absorb
 * records meanwhile: their values stay in patches.
 * @returns the new manifest; `undefined` when other processes have written all of these segments again.
 */
export async function rewriteColumns(
  source: StepSource,
  before: Manifest,
  chosen: ColumnsToRewrite,
): Promise<Manifest | undefined> {
  const { writer, memory, sizes } = source;
  const columnReader = new ColumnReader(before, writer, memory);
  // The columns have the values of the manifest before, and not those of patches that are written meanwhile.
  const stepId = newStepId(before.version);
  const rewritten = new Map<string, RewrittenColumns>();
  for (const [position, segment] of before.segments.entries()) {
    const fields = chosen.get(segment.id);
    if (!fields) continue;
    const own = await rewriteColumnsOf(source, columnReader, segment, fields);
    if (largestItem(own.columns) > sizes.maxColumnBytes && segment.rows > 1)
      return mergeSegments(source, before, { from: position, to: position + 1 });
    rewritten.set(segment.id, own);
  }
  let isWritten = false;
  return commitStep(source, before, async (current) => {
    const items: NewItems[] = [];
    const segments = current.segments.map((segment) => {
      const own = rewritten.get(segment.id);
      const replaced = own && replaceColumns(segment, own, stepId);
      if (!own || !replaced) return segment;
      items.push(columnItems(replaced, own.columns));
      return replaced;
    });
    if (items.length === 0) return undefined;
    const output = {
      manifest: { ...current, segments, patches: livePatches(segments, current.patches) },
      items: isWritten ? new Map() : joinItems(items),
    };
    isWritten = true;
    return output;
  });
}
