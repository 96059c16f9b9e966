import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formats } from '#functions/store/model/formats.ts';
import { rollbackRefusals } from '#lib/release/rollback.ts';

/** Folders with what decides whether a deployment is rolled back, of commits that this one would follow. */

const root = join(__dirname, '../../../..');
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

test('a deployment may be rolled back to a commit that writes another format that both read', async () => {
  const reads = commit([
    'functions/store/model/formats.ts',
    manifest(now, now),
    manifest(`${now}, ${now + 1}`, now),
  ]);
  expect(await rollbackRefusals(reads, commit())).toEqual([]);
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

test('nothing decides for a commit without the list of formats', async () => {
  const folder = commit();
  rmSync(join(folder, 'functions/store/model/formats.ts'));
  await expect(rollbackRefusals(root, folder)).rejects.toThrow(/formats\.ts/);
});
