/** What the documentation has besides HTML. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { committedFile } from '../openapi/committed-document.ts';
import { eventSchemas } from '../openapi/event-schemas.ts';
import { generatorDocument } from '../openapi/generator-document.ts';
import { referenceDocument } from '../openapi/reference-document.ts';
import type { OpenApiDocument } from '../openapi/types.ts';
import { readGuides } from './guides.ts';
import { llmsText } from './llms-text.ts';
import { markdownPages } from './pages.ts';

const fileAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Returns the client as one module, for a quick start without a package manager. */
async function clientModule(): Promise<string> {
  const { outputFiles = [] } = await build({
    entryPoints: [fileAt('../../client/index.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Returns the pages in Markdown by path, the files by path, and links to the guides as HTML. */
export async function renderFiles() {
  const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;
  const reference = referenceDocument(document);
  const guides = readGuides();
  const pages = markdownPages(reference);
  const files: Readonly<Record<string, string>> = {
    ...Object.fromEntries(Object.entries(pages).map(([path, text]) => [`${path}.md`, text])),
    '/docs/client.mjs': await clientModule(),
    '/docs/events.json': JSON.stringify(eventSchemas()),
    '/docs/icon.svg': readFileSync(fileAt('icon.svg'), 'utf8'),
    '/docs/reference.json': JSON.stringify(generatorDocument(document)),
    '/llms.txt': llmsText(reference, guides),
    '/llms-full.txt': Object.values(pages).join('\n'),
    '/v1/openapi.json': JSON.stringify(document),
  };
  const guideList = guides
    .map(({ name, title }) => `<li><a href="/docs/guides/${name}.md">${title}</a></li>`)
    .join('\n');
  return { pages, files, guideList };
}
