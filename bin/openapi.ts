import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseFlags, runCommand, UsageError } from '../lib/cli/command-line.ts';
import { runInOrder } from '../lib/cli/run-in-order.ts';
import { npm } from '../lib/cli/tools.ts';
import { agentToolsModule } from '../lib/openapi/agent-tools.ts';
import { clientTypes } from '../lib/openapi/client-types.ts';
import {
  agentToolsFile,
  clientTypesFile,
  committedFile,
  earlierDocument,
} from '../lib/openapi/committed-document.ts';
import { breakingChanges, isBreakingVersion } from '../lib/openapi/compare.ts';
import { documentText, openApiDocument } from '../lib/openapi/document.ts';
import { referenceDocument } from '../lib/openapi/reference-document.ts';

const help = `Writes openapi.json, and the client's types and tools for agents, from the contracts.

  npm run openapi
  npm run openapi -- compare [--base <file or Git revision>]
  npm run openapi -- lint

  compare         prints the changes of the contracts that break clients of an earlier version, and writes nothing
  --base <base>   the earlier version; default: HEAD
  lint            applies the rules of Redocly and Spectral, with those of OWASP, to openapi.json and to the document
                  for generators, /docs/reference.json. Installs both linters in lib/openapi/lint the first time (83 MB)
  --help          prints this text`;

function write(): number {
  const document = openApiDocument();
  writeFileSync(committedFile, documentText(document));
  writeFileSync(clientTypesFile, clientTypes(document));
  writeFileSync(agentToolsFile, agentToolsModule(document));
  return 0;
}

function compare(base: string): number {
  const before = earlierDocument(base);
  if (!before) throw new UsageError(`"${base}" is neither a file nor a Git revision with openapi.json.`);
  const after = openApiDocument();
  const changes = breakingChanges(before, after);
  for (const change of changes) console.log(change);
  if (changes.length === 0) console.log('No breaking changes.');
  else if (isBreakingVersion(before, after))
    console.log('The new version number announces breaking changes.');
  return changes.length === 0 || isBreakingVersion(before, after) ? 0 : 1;
}

function lint(): Promise<number> {
  const dist = fileURLToPath(new URL('../dist', import.meta.url));
  mkdirSync(dist, { recursive: true });
  writeFileSync(`${dist}/reference.json`, JSON.stringify(referenceDocument(openApiDocument())));
  const folder = 'lib/openapi/lint';
  return runInOrder([
    npm('install', '--silent', '--engine-strict=false', '--no-package-lock', '--prefix', folder),
    npm('run', '--silent', '--prefix', folder, 'lint'),
  ]);
}

await runCommand('npm run openapi', async () => {
  const { values, positionals } = parseFlags({
    allowPositionals: true,
    options: { base: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const [command, ...others] = positionals;
  const known = command === undefined || command === 'compare' || command === 'lint';
  if (!known || others.length > 0) {
    throw new UsageError(`There is no command "${positionals.join(' ')}". Allowed: compare, lint.`);
  }
  if (values.base !== undefined && command !== 'compare') throw new UsageError('--base needs "compare".');
  if (command === 'compare') return compare(values.base ?? 'HEAD');
  return command === 'lint' ? lint() : write();
});
