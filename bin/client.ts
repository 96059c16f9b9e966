import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runProgram } from '../lib/cli/run-program.ts';
import { npm } from '../lib/cli/tools.ts';

const help = `Builds the client into client/dist, and packs it into project-management-client-<version>.tgz, which
"npm install <file>" installs.

  npm run client -- [options]

  --pack-destination <folder>  folder of the file; default: this one
  --help                       prints this text`;

await runCommand('npm run client', async () => {
  const flags = flagsOrHelp(help, { 'pack-destination': { type: 'string', default: '.' } });
  if (!flags) return 0;
  // `.npmrc` disables scripts, also the one that builds the client.
  return runProgram(
    npm('pack', './client', '--ignore-scripts=false', '--pack-destination', flags['pack-destination']),
  );
});
