import { htmlFile } from '../http/html-file.ts';
import { staticPage } from '../http/static-page.ts';
import { showStart } from './contract.ts';

export const handler = staticPage(showStart, () => htmlFile(showStart.files[0]));
