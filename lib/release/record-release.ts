/** Records this release: what the next one is compared with. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, type Stack } from 'aws-cdk-lib';
import { build } from 'esbuild';
import { formats } from '../../functions/store/model/formats.ts';
import { CommandFailure } from '../cli/command-line.ts';
import { logRecordsFile, scheduleFile, streamFile } from '../hosting/functions.ts';
import { bundleFunctions } from '../infrastructure/bundle.ts';
import { service } from '../infrastructure/service.ts';
import { incompatibleFormats } from './compare-formats.ts';
import { bundleFile, type Formats, lastRelease, type ReleaseRecord, recordFile } from './last-release.ts';
import { deployedBy, type Template } from './permissions.ts';
import { routes } from './release-entry.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the program that exports all that tests use of the release. */
function entryPoint(): string {
  const files = [...routes.map(({ file }) => file), streamFile, logRecordsFile, scheduleFile];
  const imports = files.map((file, place) => `import { handler as f${place} } from './functions/${file}';`);
  const functions = files.map((file, place) => `${JSON.stringify(file)}: f${place}`);
  return [
    ...imports,
    "export * from './lib/release/release-entry.ts';",
    `export const functions = { ${functions.join(', ')} };`,
  ].join('\n');
}

/** Bundles the store and the functions that use it. The SDK is that of the clone: it takes most bytes, and stores nothing by itself. */
async function bundleRelease(): Promise<void> {
  await build({
    stdin: { contents: entryPoint(), resolveDir: root, loader: 'ts' },
    outfile: bundleFile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    external: ['@aws-sdk/*'],
    banner: { js: '// The last release. "npm run release -- record" writes this file.' },
    logLevel: 'warning',
  });
}

/** Synthesizes the stacks with the default settings. */
async function synthesize(): Promise<Template[]> {
  const outdir = mkdtempSync(join(tmpdir(), 'release-'));
  const { context } = JSON.parse(await readFile(join(root, 'cdk.json'), 'utf8')) as { context: object };
  try {
    const app = new App({
      context: { ...context, 'aws:cdk:disable-asset-staging': true },
      analyticsReporting: false,
      outdir,
    });
    const stacks = Object.values(
      service(app, await bundleFunctions(join(root, 'dist/functions'))),
    ) as Stack[];
    const assembly = app.synth();
    return stacks.map(({ stackName }) => assembly.getStackByName(stackName).template as Template);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** Returns the release that this one follows. A version that was recorded before it was released is recorded again. */
export function releaseBefore(version: string): ReleaseRecord['before'] {
  const last = lastRelease();
  if (last.version === version) return last.before;
  return last.version === '' ? undefined : { version: last.version, formats: last.formats };
}

/**
 * Records this release.
 * @throws CommandFailure when the release before cannot use the same table.
 */
export async function recordRelease(version: string): Promise<ReleaseRecord> {
  const before = releaseBefore(version);
  const reasons = before ? incompatibleFormats(before.formats, formats as Formats) : [];
  if (before && reasons.length > 0) {
    throw new CommandFailure(
      `The functions of ${before.version} and of this release cannot use one table:\n${reasons.join('\n')}`,
    );
  }
  const record: ReleaseRecord = {
    version,
    formats,
    ...deployedBy(await synthesize()),
    ...(before && { before }),
  };
  await bundleRelease();
  writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`);
  return record;
}
