import { readShippedFile, staticPage } from '../http/static-page.ts';
import { readLlmsText } from './contract.ts';

export const handler = staticPage(readLlmsText, async () => ({
  mediaType: 'text/plain',
  content: await readShippedFile(readLlmsText.files[0]),
}));
