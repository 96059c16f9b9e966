import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runInOrder } from '../lib/cli/run-in-order.ts';
import { npm } from '../lib/cli/tools.ts';
import { openApiDocument } from '../lib/openapi/document.ts';
import { referenceDocument } from '../lib/openapi/reference-document.ts';

const help = `Applies the rules of Redocly and Spectral, with those of OWASP, to openapi.json and to the document for
generators, /docs/reference.json. Installs both linters in lib/openapi/lint the first time (83 MB).

  npm run openapi:lint

  --help   prints this text`;

const folder = 'lib/openapi/lint';

function writeReference(): void {
  const dist = fileURLToPath(new URL('../dist', import.meta.url));
  mkdirSync(dist, { recursive: true });
  writeFileSync(`${dist}/reference.json`, JSON.stringify(referenceDocument(openApiDocument())));
}

await runCommand('npm run openapi:lint', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  writeReference();
  return runInOrder([
    npm('install', '--silent', '--no-package-lock', '--prefix', folder),
    npm('run', '--silent', '--prefix', folder, 'lint'),
  ]);
});
