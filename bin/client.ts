import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { packClient } from '../lib/cli/pack-client.ts';

const help = `Builds the client into client/dist, and packs it into project-management-client-<version>.tgz, which
"npm install <file>" installs.

  npm run client -- [options]

  --pack-destination <folder>  folder of the file; default: this one
  --help                       prints this text`;

await runCommand('npm run client', async () => {
  const flags = flagsOrHelp(help, { 'pack-destination': { type: 'string', default: '.' } });
  if (!flags) return 0;
  return packClient(flags['pack-destination']);
});
