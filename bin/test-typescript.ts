import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runInOrder } from '../lib/cli/run-in-order.ts';
import { runProgram } from '../lib/cli/run-program.ts';
import { npm, tool } from '../lib/cli/tools.ts';

const help = `Builds the client and checks its types with TypeScript 5.4, then compiles the packed client and the examples of its
documentation with it. Installs that version in test/client/typescript-5.4 the first time (32 MB).

  npm run test:typescript

  --help   prints this text`;

const folder = 'test/client/typescript-5.4';

await runCommand('npm run test:typescript', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  const code = await runInOrder([
    npm('run', '--silent', '--prefix', 'client', 'build'),
    npm('install', '--silent', '--no-package-lock', '--prefix', folder),
    npm('test', '--silent', '--prefix', folder),
  ]);
  if (code !== 0) return code;
  const env = { ...process.env, TYPESCRIPT: `${folder}/node_modules/typescript` };
  return runProgram(tool('jest', '--selectProjects', 'client', '--testPathPatterns', 'client/package'), {
    env,
  });
});
