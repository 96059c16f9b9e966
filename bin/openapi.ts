import { writeFile } from 'node:fs/promises';
import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { clientTypes } from '../lib/openapi/client-types.ts';
import { clientTypesFile, committedFile } from '../lib/openapi/committed-document.ts';
import { documentText, openApiDocument } from '../lib/openapi/document.ts';

const help = `Writes openapi.json and client/types.ts from the contracts.

  npm run openapi

  --help   prints this text`;

await runCommand('npm run openapi', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  const document = openApiDocument();
  await writeFile(committedFile, documentText(document));
  await writeFile(clientTypesFile, clientTypes(document));
  return 0;
});
