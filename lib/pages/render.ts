import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { notFoundFile } from '../../functions/http/static-page.ts';
import { committedFile } from '../openapi/committed-document.ts';
import { eventSchemas } from '../openapi/event-schemas.ts';
import { referenceDocument } from '../openapi/reference-document.ts';
import { resourceDocs } from '../openapi/resources.ts';
import type { OpenApiDocument } from '../openapi/types.ts';
import { guidePage, readGuides } from './guides.ts';
import { type Assets, assetPath, renderPage } from './layout.ts';
import { llmsText } from './llms-text.ts';
import { notFoundPage } from './not-found-page.ts';
import { problemsPage } from './problems-page.ts';
import { referencePage } from './reference/reference-page.ts';
import { searchIndex } from './search-index.ts';
import { startPage } from './start-page.ts';

const fileAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const readAsset = (name: string): string => readFileSync(fileAt(`assets/${name}`), 'utf8');

/** Parts of the style sheet, in their order. */
const styles = ['base', 'frame', 'code', 'search', 'start', 'guide', 'reference', 'try-it', 'narrow'];

const forBrowsers = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  write: false,
} satisfies BuildOptions;

async function bundled(path: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles = [] } = await build({
    ...forBrowsers,
    ...options,
    entryPoints: [fileAt(path)],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

const script = (name: string): Promise<string> => bundled(`assets/scripts/${name}.js`, { minify: true });

/** Returns the style sheet, with the addresses of the files that it names. */
async function styleSheet(assets: Assets): Promise<string> {
  const contents = styles.map((name) => readAsset(`styles/${name}.css`)).join('\n');
  const { outputFiles } = await build({
    stdin: { contents, loader: 'css' },
    bundle: false,
    minify: true,
    target: 'es2024',
    write: false,
  });
  const text = outputFiles[0]?.text ?? '';
  return text.replaceAll(/url\("?([\w.-]+)"?\)/g, (_, name: string) => `url(${assetPath(assets, name)})`);
}

async function assetsOf(document: OpenApiDocument, guides: ReturnType<typeof readGuides>): Promise<Assets> {
  const files: Assets = {
    'icon.svg': readAsset('icon.svg'),
    'inter.woff2': readFileSync(fileAt('font/inter.woff2')),
    'inter-license.txt': readFileSync(fileAt('font/inter-license.txt'), 'utf8'),
  };
  return {
    ...files,
    'reference.js': await script('reference'),
    'samples.mjs': await script('samples'),
    'search.json': JSON.stringify(searchIndex(document, guides)),
    'search.mjs': await bundled('search-ranking.ts', { minify: true }),
    'site.css': await styleSheet(files),
    'site.js': await script('site'),
    'theme.js': await script('theme'),
  };
}

/** Returns the content of each file, by its name. */
export async function renderPages(): Promise<Readonly<Record<string, string | Buffer>>> {
  const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;
  const reference = referenceDocument(document);
  const guides = readGuides();
  const assets = await assetsOf(reference, guides);
  return {
    ...assets,
    // The client as one module, for a quick start without a package manager.
    'client.mjs': await bundled('../../client/index.ts'),
    'events.json': JSON.stringify(eventSchemas()),
    'llms.txt': llmsText(document, guides),
    'reference.json': JSON.stringify(reference),
    'start.html': renderPage(startPage(document.info.version, guides, resourceDocs.task.example), assets),
    'problems.html': renderPage(problemsPage(), assets),
    'reference.html': renderPage(referencePage(reference, guides), assets),
    [notFoundFile]: renderPage(notFoundPage(), assets),
    ...Object.fromEntries(
      guides.map((guide) => [guide.name, renderPage(guidePage(guides, guide), assets)] as const),
    ),
  };
}
