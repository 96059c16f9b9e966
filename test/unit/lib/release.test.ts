import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formats } from '#functions/store/model/formats.ts';
import { incompatibleFormats } from '#lib/release/compare-formats.ts';
import { lastRelease } from '#lib/release/last-release.ts';
import { rollbackRefusals } from '#lib/release/rollback.ts';
import type { Sample } from '#lib/release/samples.ts';
import { loadLastRelease, loadThisRelease, type Release } from '#test/support/releases.ts';

describe('compare formats', () => {
  const of = (reads: readonly number[], writes: number) => ({ manifest: { reads, writes } });

  test.each([
    ['reads the next format too', of([5], 5), of([5, 6], 5), true],
    ['writes what the earlier one reads', of([5, 6], 5), of([5, 6], 6), true],
    ['does not read any more what the earlier one does not write', of([5, 6], 6), of([6], 6), true],
    ['has a further item', {}, of([1], 1), true],
    ['writes what the earlier one cannot read', of([5], 5), of([5, 6], 6), false],
    ['cannot read what the earlier one writes', of([5, 6], 5), of([6], 6), false],
    ['lacks an item that the earlier one writes', of([5], 5), {}, false],
  ])('when the later release %s, both can use one table: %p', (_, earlier, later, canShare) => {
    expect(incompatibleFormats(earlier, later).length === 0).toBe(canShare);
  });
});

describe('last release', () => {
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

  test.each(namesOfBoth)(
    '%s: both releases read what the other one writes, as the other one does',
    (name) => {
      const [earlier, later] = [sampleOf(last, name), sampleOf(own, name)];
      expect(later.read(earlier.stored)).toEqual(earlier.read(earlier.stored));
      expect(earlier.read(later.stored)).toEqual(later.read(later.stored));
    },
  );
});

describe('rollback', () => {
  /** Folders with what decides whether a deployment is rolled back, of commits that this one would follow. */

  const root = join(__dirname, '../../..');
  const files = ['functions/store/model/formats.ts', 'functions/store/model/table.ts', 'cdk.json'] as const;
  const folders: string[] = [];

  const now = formats.manifest.writes;
  const manifest = (reads: number | string, writes: number): string =>
    `manifest: { reads: [${reads}], writes: ${writes} }`;

  /** Returns a folder with the files of this commit. @param change replaces a text in one of them. */
  function commit(
    change?: readonly [file: (typeof files)[number], search: string, replacement: string],
  ): string {
    const folder = mkdtempSync(join(tmpdir(), 'commit-'));
    folders.push(folder);
    for (const file of files) cpSync(join(root, file), join(folder, file), { recursive: true });
    if (change) {
      const [file, search, replacement] = change;
      const text = readFileSync(join(folder, file), 'utf8');
      expect(text).toContain(search);
      writeFileSync(join(folder, file), text.replace(search, replacement));
    }
    return folder;
  }

  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  test('a deployment may be rolled back to a commit with the same table and the same formats', async () => {
    expect(await rollbackRefusals(root, commit())).toEqual([]);
  });

  test.each([
    [
      'does not read what is written now',
      ['functions/store/model/formats.ts', manifest(now, now), manifest(now - 1, now - 1)],
      /^A format has changed\. manifest: it writes format \d+, and the release before reads \d+\./,
    ],
    [
      'has another table',
      ['cdk.json', '"tableName": ""', '"tableName": "restored"'],
      /^The commit before uses another table/,
    ],
    [
      'has another shape of the table',
      ['functions/store/model/table.ts', "'by-parent'", "'by-owner'"],
      /^The shape of the table has changed/,
    ],
  ] as const)('a deployment is not rolled back to a commit that %s', async (_, change, reason) => {
    const [first] = await rollbackRefusals(root, commit(change));
    expect(first).toMatch(reason);
  });
});
