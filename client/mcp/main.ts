#!/usr/bin/env node
/** The program `project-management-mcp` of the client's package. */
import { parseArgs } from 'node:util';
import { serveApi } from './serve-api.ts';

const help = `Offers a project-management API to an agent, as a server of the Model Context Protocol on standard input and output.

  project-management-mcp --url <address> [--token <token> | --token-command <command>] [--read-only]

  --url <address>            address of the service, without /v1
  --token <token>            access token; default: the variable API_TOKEN
  --token-command <command>  prints a token, and runs again when one is refused or five minutes old
  --read-only                offers only tools that change nothing
  --help                     prints this text`;

try {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      token: { type: 'string' },
      'token-command': { type: 'string' },
      'read-only': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.url === undefined) {
    // Standard output is for the protocol.
    console.error(values.help ? help : `--url is missing.\n\n${help}`);
    process.exitCode = values.help ? 0 : 1;
  } else {
    const token = values.token ?? process.env['API_TOKEN'];
    const { url, 'token-command': tokenCommand, 'read-only': isReadOnly } = values;
    await serveApi({ url, token, tokenCommand, isReadOnly });
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
