import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions } from '#lib/infrastructure/bundle.ts';

/** Bundles the functions once for all files of the project. */
export default async function setUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  const { directory, metafile } = await bundleFunctions(join(folder, 'functions'));
  writeFileSync(join(folder, 'bundles.json'), JSON.stringify({ directory, metafile }));
  process.env['BUNDLES'] = join(folder, 'bundles.json');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
