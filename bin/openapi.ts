/** `npm run openapi`: generates the OpenAPI document and the types of the client from the contracts. */
import { writeFile } from 'node:fs/promises';
import { clientTypes } from '../lib/openapi/client-types.ts';
import { clientTypesFile, committedFile } from '../lib/openapi/committed-document.ts';
import { documentText, openApiDocument } from '../lib/openapi/document.ts';

const document = openApiDocument();
await writeFile(committedFile, documentText(document));
await writeFile(clientTypesFile, clientTypes(document));
