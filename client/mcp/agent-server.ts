/** The server that offers the API as tools, for one connection or for one request. */
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { Connection } from '../connection.ts';
import { callTool } from './call-tool.ts';
import type { Tool } from './tool.ts';
import { tools, version } from './tools.ts';

/** What a model reads before its first call. */
export const instructions = `Organizations have projects, users and tags; projects have tasks. Ids are opaque: find entities with \`list\`, which has exact totals. The user is \`read\` of \`users\` with the id \`me\`: their tasks have this \`userId\`.
Filters are an object with names as \`status\`, \`name[contains]\`, \`dueDate[lt]\`, \`tagIds[all]\`, \`status[in]\` (values separated by commas) and \`userId[isNull]\`.
Every entity has a \`version\`: pass it to \`update\` or \`delete\`, and the call fails if somebody has changed the entity meanwhile.
A task also has a \`number\`: every tool takes \`#42\` for the \`id\` or \`parentId\` of the task 42.
Lists leave out \`description\`, times and what is null: ask for them with \`fields\`, or read one entity.
An error says what is wrong and where: correct it and call again.`;

/** Milliseconds for which a client may keep the list of tools: they do not change while the server runs. */
const toolsLifeMs = 3_600_000;

/** Returns the tools by name. @param isReadOnly leaves out those that change something. */
export const offeredTools = (isReadOnly = false): ReadonlyMap<string, Tool> =>
  new Map(
    tools
      .filter(({ annotations }) => annotations.readOnlyHint || !isReadOnly)
      .map((tool) => [tool.name, tool]),
  );

/**
 * Returns a server. It adds no right: each call is a request of the connection, with its token.
 * @param onCall is called at the start of each call of a tool.
 */
export function agentServer(
  connection: Connection,
  offered: ReadonlyMap<string, Tool>,
  onCall: (call: Promise<unknown>) => void = () => {},
): Server {
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
    onCall(call);
    return call;
  });
  return server;
}
