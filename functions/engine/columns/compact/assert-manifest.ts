/** What must hold of a manifest before others believe it. A wrong one would hide rows, or lose them at the next step. */
import assert from 'node:assert/strict';
import { type ItemName, type Manifest, manifestNames } from '../format/manifest.ts';

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/**
 * @param written the items that the step writes before.
 * @throws AssertionError for a defect. Then the manifest stays as it was.
 */
export function assertManifest(before: Manifest, after: Manifest, written: Iterable<ItemName>): void {
  const { version, watermark, segments, waiting } = after;
  assert(version === before.version + 1, 'A step makes the next version.');
  assert(watermark >= before.watermark, 'The watermark does not go back.');
  let end = '';
  for (const { id, first, last, rows } of segments) {
    assert(rows > 0 && end < first && first <= last, `The segment ${id} has rows behind those before it.`);
    end = last;
  }
  const among = sumOf(segments.map((segment) => segment.waiting ?? 0));
  assert(
    among <= sumOf(waiting.map(({ rows }) => rows)),
    'Segments count no more waiting rows than there are.',
  );
  const known = new Set([...manifestNames(before), ...written]);
  for (const name of manifestNames(after)) assert(known.has(name), `The item ${name} has been written.`);
}
