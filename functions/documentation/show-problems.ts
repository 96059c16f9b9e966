import { htmlFile } from '../http/html-file.ts';
import { staticPage } from '../http/static-page.ts';
import { showProblems } from './contract.ts';

export const handler = staticPage(showProblems, () => htmlFile(showProblems.files[0]));
