import { htmlFile } from '../shared/http/html-file.ts';
import { staticPage } from '../shared/http/static-page.ts';
import { showStart } from './contract.ts';

export const handler = staticPage(showStart, () => htmlFile(showStart.files[0]));
