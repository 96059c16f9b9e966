import { contentTag } from '../http/entity-tags.ts';
import { splitHashedName } from '../http/hashed-name.ts';
import { readShippedBytes, readShippedFile, staticPage } from '../http/static-page.ts';
import { readDocumentationFile } from './contract.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
  mjs: 'text/javascript',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  woff2: 'font/woff2',
};

export const handler = staticPage(readDocumentationFile, async (file) => {
  const { name: requested, hash } = splitHashedName(file);
  const name = readDocumentationFile.files.find((known) => known === requested);
  const mediaType = mediaTypes[requested.split('.').at(-1) ?? ''];
  if (!name || !mediaType) return undefined;
  const content = mediaType === 'font/woff2' ? await readShippedBytes(name) : await readShippedFile(name);
  // After a deployment, a page of the earlier version gets the current file, which caches must not keep under the earlier name.
  return { mediaType, content, isImmutable: hash !== undefined && contentTag(content).includes(hash) };
});
