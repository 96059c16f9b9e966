/** `npm run test:typescript`: checks the types of the built client with the oldest TypeScript that they support. */
import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runInOrder } from '../lib/cli/run-in-order.ts';

const help = `Builds the client and checks its types with TypeScript 5.4. Installs that version in test/client/typescript-5.4 the
first time (32 MB).

  npm run test:typescript

  --help   prints this text`;

const folder = 'test/client/typescript-5.4';

await runCommand('npm run test:typescript', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  return runInOrder([
    ['npm', 'run', '--silent', '--prefix', 'client', 'build'],
    ['npm', 'install', '--silent', '--no-package-lock', '--prefix', folder],
    ['npm', 'test', '--silent', '--prefix', folder],
  ]);
});
