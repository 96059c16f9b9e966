import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formats } from '../functions/store/model/formats.ts';
import { parseFlags, runCommand, UsageError } from '../lib/cli/command-line.ts';
import { incompatibleFormats } from '../lib/release/compare-formats.ts';
import { lastRelease } from '../lib/release/last-release.ts';
import { rollbackRefusals } from '../lib/release/rollback.ts';

const help = `Compares this release with the last one, whose functions run beside it during a deployment.

  npm run release
  npm run release -- record
  npm run release -- rollback <folder>

  npm run release     says whether both releases can use one table
  record              records this release: the next one is compared with it. Writes lib/release/recorded
  rollback <folder>   says whether this deployment may be rolled back to the commit in the folder without a person
  --help              prints this text`;

const root = fileURLToPath(new URL('..', import.meta.url));

function report(reasons: readonly string[], success: string): number {
  for (const reason of reasons) console.error(reason);
  if (reasons.length === 0) console.log(success);
  return reasons.length === 0 ? 0 : 1;
}

function compare(): number {
  const { version, formats: before } = lastRelease();
  return report(
    incompatibleFormats(before, formats),
    `The last release, ${version}, can use the same table.`,
  );
}

async function record(): Promise<number> {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { readonly version: string };
  // CDK takes a second to load.
  const { recordRelease } = await import('../lib/release/record-release.ts');
  const { permissions } = await recordRelease(version);
  console.log(
    `Recorded ${version} with ${Object.keys(permissions).length} functions in lib/release/recorded.`,
  );
  return 0;
}

await runCommand('npm run release', async () => {
  const { values, positionals } = parseFlags({
    allowPositionals: true,
    options: { help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const [command, folder, ...others] = positionals;
  if (command === 'rollback' && folder !== undefined && others.length === 0)
    return report(await rollbackRefusals(root, folder), 'The commit can use the table.');
  if (folder !== undefined || !(command === undefined || command === 'record'))
    throw new UsageError(
      `There is no command "${positionals.join(' ')}". Allowed: record, rollback <folder>.`,
    );
  return command === 'record' ? record() : compare();
});
