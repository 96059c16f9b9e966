import { formats } from '#functions/store/model/formats.ts';
import { incompatibleFormats } from '#lib/release/compare-formats.ts';
import { lastRelease } from '#lib/release/last-release.ts';
import type { Sample } from '#lib/release/samples.ts';
import { loadLastRelease, loadThisRelease, type Release } from '#test/support/releases.ts';

/**
 * This release is compared with the last one. When a test fails because a stored item has changed: change it in two releases, as
 * `functions/store/model/formats.ts` says. Where the last release is deployed nowhere, record it again: `npm run release -- record`.
 */

const { version, formats: before } = lastRelease();

let last: Release;
let own: Release;

beforeAll(async () => {
  last = await loadLastRelease();
  own = await loadThisRelease();
});

test('the last release can use the same table', () => {
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(incompatibleFormats(before, formats)).toEqual([]);
});

test('the bundle of the last release has the formats of its record', () => {
  expect(last.formats).toEqual(before);
});

const sampleOf = ({ samples }: Release, name: string): Sample => {
  const found = (samples as Readonly<Record<string, Sample>>)[name];
  if (!found) throw new Error(`The release has no sample of ${name}.`);
  return found;
};

const namesOfBoth = Object.keys(before).filter((name) => name in formats);

test.each(namesOfBoth)('%s: both releases read what the other one writes, as the other one does', (name) => {
  const [earlier, later] = [sampleOf(last, name), sampleOf(own, name)];
  expect(later.read(earlier.stored)).toEqual(earlier.read(earlier.stored));
  expect(earlier.read(later.stored)).toEqual(later.read(later.stored));
});
