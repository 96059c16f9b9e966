import { serveApi } from '../client/mcp/serve-api.ts';
import { flagsOrHelp, runCommand, UsageError } from '../lib/cli/command-line.ts';

const help = `Offers the API to an agent, as a server of the Model Context Protocol on standard input and output.

  npm run mcp --silent -- --url <address> [options]

  --url <address>   address of the service, without /v1
  --token <token>   access token of the user for whom the agent works; default: the variable API_TOKEN
  --read-only       offers only tools that change nothing
  --help            prints this text`;

await runCommand('npm run mcp', async () => {
  const flags = flagsOrHelp(help, {
    url: { type: 'string' },
    token: { type: 'string' },
    'read-only': { type: 'boolean', default: false },
  });
  if (!flags) return 0;
  if (flags.url === undefined) throw new UsageError('--url is missing: the address of the service.');
  const token = flags.token ?? process.env['API_TOKEN'];
  await serveApi({ url: flags.url, token, isReadOnly: flags['read-only'] });
  return 0;
});
