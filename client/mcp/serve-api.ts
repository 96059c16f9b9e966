import { Connection } from '../connection.ts';
import { callTool } from './call-tool.ts';
import { serve } from './server.ts';
import { tools, version } from './tools.ts';

export interface AgentOptions {
  /** The address of the service, without `/v1`. */
  readonly url: string;
  /** The access token of the user for whom an agent works: its scopes and its tenant are those of the agent. */
  readonly token?: string | undefined;
  /** Offers only tools that change nothing. */
  readonly isReadOnly: boolean;
}

const instructions = `Organizations have projects, users and tags; projects have tasks. Ids are opaque: find entities with \`list\`, which has exact totals.
Filters are an object with names as \`status\`, \`name[contains]\`, \`dueDate[lt]\`, \`tagIds[contains]\`, \`status[in]\` (values separated by commas) and \`userId[isNull]\`.
Every entity has a \`version\`: pass it to \`update\` or \`delete\`, and the call fails if somebody has changed the entity meanwhile.
An error says what is wrong and where: correct it and call again.`;

/**
 * Offers the API to an agent on standard input and output, until the input ends. It adds no right: each call is a request with the token.
 * @throws TypeError for an address that is none.
 */
export async function serveApi({ url, token, isReadOnly }: AgentOptions): Promise<void> {
  const connection = new Connection({ url, token });
  await serve(process.stdin, process.stdout, {
    name: 'project-management',
    version,
    instructions,
    tools: tools.filter(({ annotations }) => annotations.readOnlyHint || !isReadOnly),
    call: (tool, args, signal) => callTool(connection, tool, args, signal),
  });
}
