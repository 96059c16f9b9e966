import { htmlFile } from '../http/html-file.ts';
import { staticPage } from '../http/static-page.ts';
import { showReference } from './contract.ts';

export const handler = staticPage(showReference, () => htmlFile(showReference.files[0]));
