/** `npm run openapi`: writes `openapi.json`, which is committed, and served. */
import { writeFile } from 'node:fs/promises';
import { committedFile } from '../lib/openapi/committed.ts';
import { documentText, openApiDocument } from '../lib/openapi/document.ts';

await writeFile(committedFile, documentText(openApiDocument()));
