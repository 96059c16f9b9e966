import { readShippedFile, staticPage } from '../http/static-page.ts';
import { readOpenApiDocument } from './contract.ts';

export const handler = staticPage(readOpenApiDocument, async () => ({
  mediaType: 'application/json',
  content: await readShippedFile(readOpenApiDocument.files[0]),
}));
