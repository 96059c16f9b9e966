/** `npm run openapi`: writes what is made from the contracts and committed: the document, and the client's types. */
import { writeFile } from 'node:fs/promises';
import { clientTypes } from '../lib/openapi/client-types.ts';
import { clientTypesFile, committedFile } from '../lib/openapi/committed.ts';
import { documentText, openApiDocument } from '../lib/openapi/document.ts';

const document = openApiDocument();
await writeFile(committedFile, documentText(document));
await writeFile(clientTypesFile, clientTypes(document));
