import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { committedFile } from '../openapi/committed-document.ts';
import { eventSchemas } from '../openapi/event-schemas.ts';
import { referenceDocument } from '../openapi/reference-document.ts';
import type { OpenApiDocument } from '../openapi/types.ts';
import { guidePage, readGuides } from './guides.ts';
import { type Assets, renderPage } from './layout.ts';
import { problemsPage } from './problems-page.ts';
import { referencePage } from './reference/reference-page.ts';
import { startPage } from './start-page.ts';

const readAsset = (name: string): string => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');

/** Parts of the style sheet, in their order. */
const styles = ['base', 'frame', 'code', 'start', 'reference', 'narrow'];

/** Returns the client as one module, for the quick start. */
async function clientModule(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../client/index.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

export async function renderPages(): Promise<Readonly<Record<string, string>>> {
  const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;
  const reference = referenceDocument(document);
  const guides = readGuides();
  const names = ['icon.svg', 'reference.js', 'site.js', 'theme.js'];
  const assets: Assets = {
    ...Object.fromEntries(names.map((name) => [name, readAsset(name)])),
    'site.css': styles.map((name) => readAsset(`styles/${name}.css`)).join('\n'),
  };
  return {
    ...assets,
    'client.mjs': await clientModule(),
    'events.json': JSON.stringify(eventSchemas()),
    'reference.json': JSON.stringify(reference),
    'start.html': renderPage(startPage(document.info.version, guides), assets),
    'problems.html': renderPage(problemsPage(), assets),
    'reference.html': renderPage(referencePage(reference, guides), assets),
    ...Object.fromEntries(
      guides.map((guide) => [guide.name, renderPage(guidePage(guides, guide), assets)] as const),
    ),
  };
}
