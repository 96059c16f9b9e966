/** The step that writes columns again of which patches replace too many values. */
import { encodeColumnItems } from '../format/buckets.ts';
import { columnValues } from '../format/column.ts';
import { type Manifest, newStepId, type Segment } from '../format/manifest.ts';
import { ColumnReader } from '../read/column-reader.ts';
import type { ColumnsToRewrite } from './choose-step.ts';
import type { StepOutput } from './commit-step.ts';
import type { StepSource } from './compaction-source.ts';
import { mergeSegments } from './merge-segments.ts';
import {
  columnItems,
  countBuckets,
  type EncodedColumns,
  joinItems,
  largestItem,
  type NewItems,
} from './new-segments.ts';
import { livePatches } from './write-patches.ts';

async function encodeAgain(
  { writer, sizes }: StepSource,
  columnReader: ColumnReader,
  segment: Segment,
  fields: readonly string[],
): Promise<EncodedColumns> {
  await columnReader.loadColumns(fields, [segment]);
  const columns = new Map<string, Buffer[]>();
  for (const field of fields) {
    writer.requireTime();
    // Of its values, because the dictionary of a patched column also has those that were replaced.
    const values = columnValues(columnReader.column(segment, field));
    columns.set(field, encodeColumnItems(field, values, sizes.bucketBytes));
  }
  return columns;
}

const without = (counts: Readonly<Record<string, number>>, columns: EncodedColumns): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([field]) => !columns.has(field)));

/** Returns a segment with new columns, which have the values of all patches. */
const replaceColumns = (segment: Segment, columns: EncodedColumns, stepId: string): Segment => ({
  ...segment,
  columns: { ...segment.columns, ...Object.fromEntries([...columns.keys()].map((field) => [field, stepId])) },
  buckets: { ...without(segment.buckets, columns), ...countBuckets(columns) },
  patched: without(segment.patched, columns),
  bytes: Math.max(segment.bytes, largestItem(columns)),
});

/** Returns what a step writes that writes columns again. A segment whose column outgrows its item is divided instead. */
export async function rewriteColumns(
  source: StepSource,
  before: Manifest,
  chosen: ColumnsToRewrite,
): Promise<StepOutput> {
  const { writer, memory, sizes } = source;
  const columnReader = new ColumnReader(before, writer, memory);
  const stepId = newStepId(before.version + 1);
  const segments: Segment[] = [];
  const items: NewItems[] = [];
  for (const [position, segment] of before.segments.entries()) {
    const columns = await encodeAgain(source, columnReader, segment, chosen.get(segment.id) ?? []);
    if (largestItem(columns) > sizes.maxColumnBytes && segment.rows > 1)
      return mergeSegments(source, before, { from: position, to: position + 1 });
    const replaced = replaceColumns(segment, columns, stepId);
    segments.push(replaced);
    items.push(columnItems(replaced, columns));
  }
  const patches = livePatches(segments, before.patches);
  return { manifest: { ...before, segments, patches }, items: joinItems(items) };
}
