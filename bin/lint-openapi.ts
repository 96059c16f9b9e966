/** `npm run openapi:lint`: applies the rules of Redocly and Spectral to the OpenAPI document. */
import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runInOrder } from '../lib/cli/run-in-order.ts';

const help = `Applies the rules of Redocly and Spectral, with those of OWASP, to openapi.json. Installs both linters in
lib/openapi/lint the first time (83 MB).

  npm run openapi:lint

  --help   prints this text`;

const folder = 'lib/openapi/lint';

await runCommand('npm run openapi:lint', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  return runInOrder([
    ['npm', 'install', '--silent', '--no-package-lock', '--prefix', folder],
    ['npm', 'run', '--silent', '--prefix', folder, 'lint'],
  ]);
});
