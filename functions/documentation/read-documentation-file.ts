import { readShippedFile, staticPage } from '../shared/http/static-page.ts';
import { readDocumentationFile } from './contract.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
};

export const handler = staticPage(readDocumentationFile, async (file) => {
  const name = readDocumentationFile.files.find((known) => known === file);
  const mediaType = mediaTypes[file.split('.').at(-1) ?? ''];
  return name && mediaType ? { mediaType, content: await readShippedFile(name) } : undefined;
});
