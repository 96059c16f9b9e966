import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { someOf } from '../support/runs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What an installation of the packages verifies, and what it runs. */

const root = join(__dirname, '../..');
const jsonOf = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

interface LockedPackage {
  readonly integrity?: string;
  /** Part of the archive of another package, whose hash includes it. */
  readonly inBundle?: boolean;
  readonly link?: boolean;
}

/** Packages beside those of the project, each installed by a step of the tests. */
const folders = ['benchmarks', 'test/generated-clients'];

const withoutHash = (file: string): string[] => {
  const { packages } = jsonOf(file) as { packages: Record<string, LockedPackage> };
  return Object.entries(packages)
    .filter(
      // The other folders are those of this repository.
      ([path, { integrity, inBundle, link }]) =>
        path.startsWith('node_modules/') && !inBundle && !link && !integrity?.startsWith('sha512-'),
    )
    .map(([path]) => path);
};

test('updates of packages are proposed when they are some days old', () => {
  expect(jsonOf('renovate.json')).toMatchObject({ minimumReleaseAge: '7 days' });
});

test('every package in the lock file has a SHA-512, except engines that the registry at hand does not have', () => {
  // The entries are written by hand (docs/decisions/0010-local-engine.md). Add a hash when the registry has the package:
  // npm view @dynoxide/linux-arm64@1.2.1 dist.integrity
  expect(withoutHash('package-lock.json')).toEqual([
    'node_modules/@dynoxide/darwin-arm64',
    'node_modules/@dynoxide/darwin-x64',
    'node_modules/@dynoxide/linux-arm64',
    'node_modules/@dynoxide/win32-x64',
  ]);
  for (const folder of folders) expect(withoutHash(`${folder}/package-lock.json`)).toEqual([]);
});

test.each(someOf(['.npmrc', ...folders.map((folder) => `${folder}/.npmrc`)], 3))(
  'an installation with %s runs no script of a package',
  async (file) => {
    const folder = temporaryFolder();
    const place = (name: string): string => join(folder, name);
    mkdirSync(place('dependency'));
    const install = `node -e "require('fs').writeFileSync('${place('ran')}', '')"`;
    const dependency = { name: 'dependency', version: '1.0.0', scripts: { postinstall: install } };
    writeFileSync(place('dependency/package.json'), JSON.stringify(dependency));
    writeFileSync(place('package.json'), JSON.stringify({ dependencies: { dependency: 'file:dependency' } }));
    copyFileSync(join(root, file), place('.npmrc'));
    // Variables of an npm that runs the tests have precedence over the file.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)),
    );
    // npm 11 runs no script that package.json does not allow. npm 10 has no such list, and this option makes npm 11 behave as it does.
    await promisify(execFile)('npm', ['install', '--offline', '--dangerously-allow-all-scripts'], {
      cwd: folder,
      env,
    });
    expect(existsSync(place('node_modules/dependency/package.json'))).toBe(true);
    expect(existsSync(place('ran'))).toBe(false);
  },
);
