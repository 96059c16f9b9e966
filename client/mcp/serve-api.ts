import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Connection } from '../connection.ts';
import { callTool } from './call-tool.ts';
import { tokensOf } from './token-command.ts';
import { tools, version } from './tools.ts';

interface AgentOptions {
  /** The address of the service, without `/v1`. */
  readonly url: string;
  /** The access token of the user for whom an agent works: its scopes and its tenant are those of the agent. */
  readonly token?: string | undefined;
  /** In place of the token: a command that prints one, and runs again when the token is refused or some minutes old. */
  readonly tokenCommand?: string | undefined;
  /** Offers only tools that change nothing. */
  readonly isReadOnly: boolean;
}

/** What a model reads before its first call. */
export const instructions = `Organizations have projects, users and tags; projects have tasks. Ids are opaque: find entities with \`list\`, which has exact totals.
Filters are an object with names as \`status\`, \`name[contains]\`, \`dueDate[lt]\`, \`tagIds[all]\`, \`status[in]\` (values separated by commas) and \`userId[isNull]\`.
Every entity has a \`version\`: pass it to \`update\` or \`delete\`, and the call fails if somebody has changed the entity meanwhile.
A task also has a \`number\`: every tool takes \`#42\` for the \`id\` or \`parentId\` of the task 42.
Texts in \`description\` are long: ask for them with \`fields\`, or read one entity.
An error says what is wrong and where: correct it and call again.`;

/** Milliseconds for which a client may keep the list of tools: they do not change while the server runs. */
const toolsLifeMs = 3_600_000;

/**
 * Offers the API to an agent on standard input and output, until the input ends. It adds no right: each call is a request with the token.
 * @throws TypeError for an address that is none.
 */
export async function serveApi({ url, token, tokenCommand, isReadOnly }: AgentOptions): Promise<void> {
  const connection = new Connection({ url, ...(tokenCommand ? tokensOf(tokenCommand) : { token }) });
  const offered = new Map(
    tools
      .filter(({ annotations }) => annotations.readOnlyHint || !isReadOnly)
      .map((tool) => [tool.name, tool]),
  );
  const calls = new Set<Promise<unknown>>();
  const input = new PassThrough();
  serveStdio(
    () => {
      const server = new Server(
        { name: 'project-management', version },
        {
          capabilities: { tools: {} },
          instructions,
          cacheHints: { 'tools/list': { ttlMs: toolsLifeMs }, 'server/discover': { ttlMs: toolsLifeMs } },
        },
      );
      server.setRequestHandler('tools/list', () => ({
        tools: [...offered.values()].map(({ request: _request, ...tool }) => tool),
      }));
      server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }, { mcpReq }) => {
        const tool = offered.get(name);
        if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
        const call = callTool(connection, tool, args, mcpReq.signal);
        calls.add(call);
        return call.finally(() => calls.delete(call));
      });
      return server;
    },
    { transport: new StdioServerTransport(input, process.stdout) },
  );
  // The library aborts what is in progress when the input ends.
  process.stdin.pipe(input, { end: false });
  await once(process.stdin, 'end');
  do await setImmediate();
  while (calls.size > 0);
  input.end();
}
