import { Command } from '@commander-js/extra-typings';
import { packClient } from './pack-client.ts';

export const command = new Command('client')
  .description(
    'Builds the client into client/dist, and packs it into project-management-client-<version>.tgz, which "npm install <file>" installs.',
  )
  .option('--pack-destination <folder>', 'folder of the file', '.')
  .action(async ({ packDestination }) => {
    process.exitCode = await packClient(packDestination);
  });
