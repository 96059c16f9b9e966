import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pagesFolder } from '../hosting/functions.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What the pages are made of. `openapi.json` contains everything that they say about operations. */
const sources = [
  'openapi.json',
  'package.json',
  'lib/pages',
  'lib/openapi',
  'docs/guides',
  'client',
  'functions/documentation',
  'functions/http',
  'functions/jobs/cloud-events.ts',
];

const isSource = (path: string): boolean => /\.(?:css|js|json|md|svg|ts|txt|woff2)$/.test(path);

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    const path = join(root, source);
    const names = isSource(source) ? [''] : readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names) {
      if (name && (!isSource(name) || /(?:^|[\\/])(?:dist|node_modules)[\\/]/.test(name))) continue;
      hash.update(name).update(readFileSync(join(path, name)));
    }
  }
  return hash.digest('hex');
}

/** Writes a file so that a process that reads it at the same time sees all of it or none. */
async function replaceFile(name: string, content: string | Buffer): Promise<void> {
  const temporary = join(pagesFolder, `.${name}.${process.pid}`);
  await writeFile(temporary, content);
  await rename(temporary, join(pagesFolder, name));
}

/** Writes the pages to `pagesFolder`, unless they are there and current. */
export async function buildPages(): Promise<void> {
  const stamp = join(pagesFolder, 'sources.txt');
  const current = hashOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return;
  // Loaded only here: the service starts without a renderer when the pages are current.
  const { renderPages } = await import('./render.ts');
  await mkdir(pagesFolder, { recursive: true });
  for (const [name, content] of Object.entries(await renderPages())) await replaceFile(name, content);
  await replaceFile('sources.txt', current);
}
