import { htmlFile } from '../http/html-file.ts';
import { staticPage } from '../http/static-page.ts';
import { showGuide } from './contract.ts';

export const handler = staticPage(showGuide, async (file) => {
  const name = showGuide.files.find((known) => known === file);
  return name && htmlFile(name);
});
