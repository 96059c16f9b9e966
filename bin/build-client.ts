import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runProgram } from '../lib/cli/run-program.ts';
import { npm } from '../lib/cli/tools.ts';

const help = `Builds the client and its types into client/dist. "npm run pack:client" runs it.

  npm run build:client

  --help   prints this text`;

await runCommand('npm run build:client', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  return runProgram(npm('run', '--silent', '--prefix', 'client', 'build'));
});
