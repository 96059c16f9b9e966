import { fileContent, page } from '../shared/http/static-page.ts';
import { readDocumentationFile } from './contract.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
};

export const handler = page(readDocumentationFile, async (file) => {
  const name = readDocumentationFile.files.find((known) => known === file);
  const mediaType = mediaTypes[file.split('.').at(-1) ?? ''];
  return name && mediaType ? { mediaType, content: await fileContent(name) } : undefined;
});
