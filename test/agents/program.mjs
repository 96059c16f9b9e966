/**
 * Calls the tools of the service with the official clients. `node program.mjs <command of the server as JSON> <calls as JSON> <address of the
 * remote server>` prints, as JSON, the
 * tools and the results for each client.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientBefore } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportBefore } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpTransportBefore } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [command, ...args] = JSON.parse(process.argv[2]);
const calls = JSON.parse(process.argv[3]);
const address = new URL(process.argv[4]);
const info = { name: 'test', version: '1' };

/** By what it speaks: a client that is not connected, and its transport. */
const clients = {
  '2026-07-28': [
    new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    new StdioClientTransport({ command, args }),
  ],
  negotiated: [
    new Client(info, { versionNegotiation: { mode: 'auto' } }),
    new StdioClientTransport({ command, args }),
  ],
  'the revision before': [new ClientBefore(info), new TransportBefore({ command, args })],
  '2026-07-28 over HTTP': [
    new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    new StreamableHTTPClientTransport(address),
  ],
  'the revision before over HTTP': [new ClientBefore(info), new HttpTransportBefore(address)],
};

const results = {};
for (const [name, [client, transport]] of Object.entries(clients)) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const answers = [];
  for (const call of calls) answers.push(await client.callTool(call));
  results[name] = { tools, answers, instructions: client.getInstructions() };
  await client.close();
}
console.log(JSON.stringify(results));
