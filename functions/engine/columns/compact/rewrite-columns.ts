/** The step that writes columns again of which patches replace too many values. */
import { wordsField } from '../../model/words.ts';
import { encodeField } from '../format/encode-field.ts';
import { type Manifest, newStepId, type Segment } from '../format/manifest.ts';
import { countWords } from '../format/word-index.ts';
import { ColumnReader } from '../read/column-reader.ts';
import type { ColumnsToRewrite } from './choose-step.ts';
import type { StepOutput } from './commit-step.ts';
import type { StepSource } from './compaction-source.ts';
import { mergeSegments } from './merge-segments.ts';
import {
  columnItems,
  countBuckets,
  type EncodedColumns,
  filledBytes,
  joinItems,
  type NewItems,
} from './new-segments.ts';
import type { CompactionSizes } from './sizes.ts';
import { livePatches } from './write-patches.ts';

interface NewColumns {
  readonly columns: EncodedColumns;
  readonly bytes: number;
}

async function encodeAgain(
  sizes: CompactionSizes,
  columnReader: ColumnReader,
  segment: Segment,
  fields: readonly string[],
): Promise<NewColumns> {
  await columnReader.loadColumns(fields, [segment]);
  const { requireTime } = columnReader;
  const columns = new Map<string, Buffer[]>();
  let words = 0;
  for (const field of fields) {
    requireTime();
    // Of its values, because the dictionary of a patched column also has those that were replaced.
    const values = columnReader.values(segment, field);
    for (const [name, items] of encodeField(field, values, sizes.bucketBytes, requireTime))
      columns.set(name, items);
    if (field === wordsField) words = countWords(values);
  }
  return { columns, bytes: filledBytes(columns, words, sizes) };
}

const without = (counts: Readonly<Record<string, number>>, columns: EncodedColumns): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([field]) => !columns.has(field)));

const replaceColumns = (segment: Segment, { columns, bytes }: NewColumns, stepId: string): Segment => ({
  ...segment,
  columns: { ...segment.columns, ...Object.fromEntries([...columns.keys()].map((field) => [field, stepId])) },
  buckets: { ...without(segment.buckets, columns), ...countBuckets(columns) },
  patched: without(segment.patched, columns),
  bytes: Math.max(segment.bytes, bytes),
});

/** Returns what a step writes that writes columns again. A segment whose column outgrows its item, or whose words are too many, is divided instead. */
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
    const written = await encodeAgain(sizes, columnReader, segment, chosen.get(segment.id) ?? []);
    if (written.bytes > sizes.maxColumnBytes && segment.rows > 1)
      return mergeSegments(source, before, { from: position, to: position + 1 });
    const replaced = replaceColumns(segment, written, stepId);
    segments.push(replaced);
    items.push(columnItems(replaced, written.columns));
  }
  const patches = livePatches(segments, before.patches);
  return { manifest: { ...before, segments, patches }, items: joinItems(items) };
}
