import { fileContent, page } from '../shared/http/static-page.ts';
import { readOpenApiDocument } from './contract.ts';

export const handler = page(readOpenApiDocument, async () => ({
  mediaType: 'application/json',
  content: await fileContent(readOpenApiDocument.files[0]),
}));
