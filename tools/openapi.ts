import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { npm } from '../lib/command-line/programs.ts';
import { agentToolsModule } from '../lib/openapi/agent-tools.ts';
import { clientTypes } from '../lib/openapi/client-types.ts';
import {
  agentToolsFile,
  clientTypesFile,
  committedFile,
  rxdbSchemasFile,
} from '../lib/openapi/committed-document.ts';
import { documentText, openApiDocument } from '../lib/openapi/document.ts';
import { referenceDocument } from '../lib/openapi/reference-document.ts';
import { rxdbSchemasModule } from '../lib/openapi/rxdb-schemas.ts';
import {
  breakingChanges,
  earlierDocument,
  fieldsWithoutDefault,
  isBreakingVersion,
} from './compare-documents.ts';
import { runInOrder } from './run-in-order.ts';

function write(): void {
  const document = openApiDocument();
  writeFileSync(committedFile, documentText(document));
  writeFileSync(clientTypesFile, clientTypes(document));
  writeFileSync(rxdbSchemasFile, rxdbSchemasModule(document));
  writeFileSync(agentToolsFile, agentToolsModule(document));
}

function compare(base: string): void {
  const before = earlierDocument(base);
  if (!before)
    throw new InvalidArgumentError(`"${base}" is neither a file nor a Git revision with openapi.json.`);
  const after = openApiDocument();
  const [changes, broken] = [breakingChanges(before, after), fieldsWithoutDefault(before, after)];
  for (const change of [...changes, ...broken]) console.log(change);
  if (broken.length > 0) process.exitCode = 1;
  else if (changes.length === 0) console.log('No breaking changes.');
  else if (isBreakingVersion(before, after))
    console.log('The new version number announces breaking changes.');
  else process.exitCode = 1;
}

async function lint(): Promise<void> {
  const dist = fileURLToPath(new URL('../dist', import.meta.url));
  mkdirSync(dist, { recursive: true });
  writeFileSync(`${dist}/reference.json`, JSON.stringify(referenceDocument(openApiDocument())));
  const folder = 'lib/openapi/lint';
  process.exitCode = await runInOrder([
    npm('install', '--silent', '--engine-strict=false', '--no-package-lock', '--prefix', folder),
    npm('run', '--silent', '--prefix', folder, 'lint'),
  ]);
}

export const command = new Command('openapi')
  .description(`Writes openapi.json, and the client's types and tools for agents, from the contracts.`)
  .action(write);

command
  .command('compare')
  .description(
    'Prints the changes of the contracts that break clients of an earlier version, and writes nothing.',
  )
  .option('--base <base>', 'the earlier version: a file or a Git revision', 'HEAD')
  .action(({ base }) => compare(base));

command
  .command('lint')
  .description(
    'Applies the rules of Redocly and Spectral, with those of OWASP, to openapi.json and to the document for generators, /docs/reference.json. Installs both linters in lib/openapi/lint the first time (83 MB).',
  )
  .action(lint);
