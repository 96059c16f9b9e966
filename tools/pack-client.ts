/** Packs the client as others install it: built, with nothing that only its source needs. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from '../lib/command-line/programs.ts';
import { runProgram } from '../lib/command-line/run-program.ts';
import { openApiDocument } from '../lib/openapi/document.ts';
import { readGuides } from '../lib/site/guides.ts';
import { llmsText } from '../lib/site/llms-text.ts';

const source = fileURLToPath(new URL('../client', import.meta.url));

/** What an installation from Git needs, which builds, and a packed file does not. npm warns of scripts that it would have to allow. */
const onlyToBuild = new Set(['scripts', 'devDependencies']);

function writePackage(folder: string): void {
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { files: string[] };
  for (const file of ['README.md', ...manifest.files]) {
    cpSync(join(source, file), join(folder, file), { recursive: true });
  }
  writeFileSync(join(folder, 'llms.txt'), llmsText(openApiDocument(), readGuides()));
  const packed = Object.fromEntries(Object.entries(manifest).filter(([name]) => !onlyToBuild.has(name)));
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...packed, files: [...manifest.files, 'llms.txt'] }, null, 2)}\n`,
  );
}

/**
 * Builds the client and packs it into `<name>-<version>.tgz`.
 * @param destination folder of the file, which exists.
 * @returns the exit code of the program that failed, or 0.
 */
export async function packClient(destination: string): Promise<number> {
  const built = await runProgram(npm('run', '--silent', 'build'), { cwd: source });
  if (built !== 0) return built;
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  try {
    writePackage(folder);
    return await runProgram(npm('pack', folder, '--pack-destination', destination));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
