/**
 * Builds the documentation in two steps. The first takes a fraction of a second and writes everything but the HTML of the pages; the
 * second runs VitePress. A reader sees the whole table of one step or of the other.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzipSync } from 'node:zlib';
import { notFoundPath, type Site, type SiteFile, tableFile } from '../../functions/documentation/site.ts';
import { siteFolder } from '../hosting/functions.ts';
import { limitsOf, maxGzipBytes } from './limits.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What the site is made of. `openapi.json` contains everything that it says about operations. */
const sources = [
  'openapi.json',
  'package.json',
  'lib/site',
  'lib/openapi',
  'docs/guides',
  'docs/interface.md',
  'docs/sync.md',
  'client',
  'functions/documentation',
  'functions/http/problems.ts',
  'functions/jobs/cloud-events.ts',
];

const isSource = (path: string): boolean => /\.(?:css|js|json|md|svg|ts|vue)$/.test(path);

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

/** Returns the folder in which a process builds the HTML. */
export const temporaryFolder = (pid: number): string => `${siteFolder}-${pid}`;

const table = join(siteFolder, tableFile);

/** Returns the table of the site; `undefined` when there is none of the present sources. */
function currentSite(): Site | undefined {
  if (!existsSync(table)) return undefined;
  const site = JSON.parse(readFileSync(table, 'utf8')) as Site;
  return site.sources === hashOfSources() ? site : undefined;
}

export const isSiteBuilt = (): boolean => currentSite()?.isBuilt ?? false;

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

const cacheControls = {
  /** The content under this address never changes, because a hash of it is part of the name. */
  immutable: 'public, max-age=31536000, immutable',
  page: 'public, max-age=300',
  none: 'no-store',
};

/** Writes a file so that a process that reads it at the same time sees all of it or none. */
async function replaceFile(name: string, content: string | Buffer): Promise<void> {
  const temporary = join(siteFolder, `.${name}.${randomUUID()}`);
  await writeFile(temporary, content);
  await rename(temporary, join(siteFolder, name));
}

/** @throws Error when a file is so large that a request for it could cost more than the rate limits allow for. */
function requireSizes(texts: Iterable<readonly [path: string, text: string]>): void {
  for (const [path, text] of texts) {
    const sizes = [
      ['bytes', Buffer.byteLength(text), limitsOf(path).maxBytes],
      ['bytes with gzip', gzipSync(text).length, maxGzipBytes],
    ] as const;
    for (const [what, size, max] of sizes) {
      if (size > max)
        throw new Error(`${path} has ${size} ${what}. At most ${max} are allowed: lib/site/limits.ts.`);
    }
  }
}

/** Compresses and writes a file. */
async function writeSiteFile(
  path: string,
  content: string,
  cache: keyof typeof cacheControls,
): Promise<SiteFile> {
  const mediaType = mediaTypes[extname(path)];
  if (!mediaType) throw new Error(`${path} has no media type. Add it to lib/site/build.ts.`);
  const name = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  if (!existsSync(join(siteFolder, name))) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    await replaceFile(name, await promisify(brotliCompress)(content, { params }));
  }
  return { name, mediaType, cacheControl: cacheControls[cache] };
}

/** Returns the policy: no resource from other hosts, and of inline scripts only those of VitePress, by their hashes. */
function policyOf(html: readonly string[]): string {
  const scripts = html.flatMap((text) =>
    [...text.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, script = '']) => script),
  );
  const hashes = [...new Set(scripts)].map(
    (script) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self'${hashes.join('')}`,
    "style-src 'self'",
    // Vue renders the state of some elements as attributes.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const buildingPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="5">
<title>The documentation is being built</title>
<h1>The documentation is being built</h1>
<p>This takes about half a minute, once. This page then shows it. If it does not, run <code>npm run site</code>.</p>
<p>Meanwhile, read the pages as Markdown: <a href="/llms.txt">all of them</a>, or these:</p>
<ul>
<!-- guides -->
<li><a href="/v1/openapi.json">OpenAPI document</a></li>
</ul>
`;

/** Writes everything but the HTML of the pages, unless it is there and current. */
export async function prepareSite(): Promise<void> {
  if (currentSite()) return;
  // Loaded only here: the service starts without a generator when the site is current.
  const { renderFiles } = await import('./files.ts');
  const { pages, files, guideList } = await renderFiles();
  await mkdir(siteFolder, { recursive: true });
  const written: Record<string, SiteFile> = {};
  for (const [path, content] of Object.entries(files))
    written[path] = await writeSiteFile(path, content, 'page');
  const waiting = await writeSiteFile(
    '/docs.html',
    buildingPage.replace('<!-- guides -->', guideList),
    'none',
  );
  for (const path of Object.keys(pages)) written[path] = waiting;
  const site = {
    sources: hashOfSources(),
    isBuilt: false,
    contentSecurityPolicy: policyOf([]),
    files: written,
  };
  await replaceFile(tableFile, JSON.stringify(site satisfies Site));
}

/** Reads the output of VitePress. @returns texts by path, with slashes. */
async function readOutput(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = new Map<string, string>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    texts.set(`/${relative(folder, file).replaceAll('\\', '/')}`, await readFile(file, 'utf8'));
  }
  return texts;
}

/** Returns the path at which the service has a file of the output. */
function servedPath(path: string): string {
  if (path === '/404.html') return notFoundPath;
  // VitePress has these beside the pages; config.ts changes their addresses.
  return ['/hashmap.json', '/vp-icons.css'].includes(path) ? `/docs${path}` : path.replace(/\.html$/, '');
}

/** Deletes what the table does not name. */
async function deleteUnused({ files }: Site): Promise<void> {
  const used = new Set([tableFile, ...Object.values(files).map(({ name }) => name)]);
  for (const name of await readdir(siteFolder)) {
    if (!used.has(name)) await rm(join(siteFolder, name), { force: true });
  }
}

/**
 * Adds the HTML of the pages and what it loads, unless they are there and current. It sets the environment of the process to production.
 * @throws Error when a file is too large.
 */
export async function buildSite(): Promise<void> {
  await prepareSite();
  const current = currentSite();
  if (!current || current.isBuilt) return;
  const [{ renderFiles }, { withHtml }] = await Promise.all([import('./files.ts'), import('./vitepress.ts')]);
  const { pages, files: prepared } = await renderFiles();
  requireSizes(Object.entries(prepared));
  await withHtml(pages, temporaryFolder(process.pid), async (output) => {
    const texts = await readOutput(output);
    requireSizes([...texts].map(([path, text]) => [servedPath(path), text]));
    const files: Record<string, SiteFile> = { ...current.files };
    for (const [path, text] of texts) {
      const cache = path.startsWith('/docs/assets/') ? 'immutable' : 'page';
      files[servedPath(path)] = await writeSiteFile(path, text, cache);
    }
    const html = [...texts].flatMap(([path, text]) => (path.endsWith('.html') ? text : []));
    const site: Site = { ...current, isBuilt: true, contentSecurityPolicy: policyOf(html), files };
    await replaceFile(tableFile, JSON.stringify(site));
    await deleteUnused(site);
  });
}
