/** Segments, manifests and values of patches in unit tests of the list engine. */
import type { ColumnValue } from '#functions/engine/columns/format/dictionary.ts';
import { emptyManifest, type Manifest, type Segment } from '#functions/engine/columns/format/manifest.ts';
import { type MutablePatchValues, setValue } from '#functions/engine/columns/format/patch.ts';
import { idOf } from './log-builder.ts';

/** Returns a segment of three rows without columns. */
export const makeSegment = (more: Partial<Segment>): Segment => ({
  id: '1-aaaaaa.0',
  first: idOf(1),
  last: idOf(3),
  rows: 3,
  deleted: {},
  columns: {},
  buckets: {},
  hasLists: true,
  patched: {},
  bytes: 30,
  ...more,
});

/** Returns a manifest without segments and patches. */
export const makeManifest = (more: Partial<Manifest> = {}): Manifest => ({
  ...emptyManifest,
  version: 1,
  ...more,
});

/** One value of a patch. */
export type PatchEntry = readonly [segmentId: string, field: string, row: number, value: ColumnValue];

export function makePatchValues(...entries: readonly PatchEntry[]): MutablePatchValues {
  const values: MutablePatchValues = new Map();
  for (const [segmentId, field, row, value] of entries) setValue(values, segmentId, field, [row, value]);
  return values;
}
