import { Command } from '@commander-js/extra-typings';
import { serveApi } from '../client/mcp/serve-api.ts';
import { serviceAddress } from '../lib/command-line/command-line.ts';

export const command = new Command('mcp')
  .description(
    'Offers the API to an agent, as a server of the Model Context Protocol on standard input and output.',
  )
  .requiredOption('--url <address>', 'address of the service, without /v1', serviceAddress)
  .option(
    '--token <token>',
    'access token of the user for whom the agent works; default: the variable API_TOKEN',
  )
  .option(
    '--token-command <command>',
    'prints a token in place of --token, for example "node /home/me/project-management-api/bin/pm-api.mjs token local"; runs again when one is refused or five minutes old',
  )
  .option('--read-only', 'offers only tools that change nothing')
  .action(({ url, token = process.env['API_TOKEN'], tokenCommand, readOnly: isReadOnly = false }) =>
    serveApi({ url, token, tokenCommand, isReadOnly }),
  );
