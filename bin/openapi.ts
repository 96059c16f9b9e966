/** `npm run openapi`: writes `openapi.json`, which is committed, and served. */
import { writeFile } from 'node:fs/promises';
import { files } from '../lib/functions.ts';
import { documentText, openApiDocument } from '../lib/openapi/document.ts';

await writeFile(files['openapi.json'] ?? 'openapi.json', documentText(openApiDocument()));
