import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Connection } from '../connection.ts';
import { agentServer, offeredTools } from './agent-server.ts';
import { tokensOf } from './token-command.ts';

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

/**
 * Offers the API to an agent on standard input and output, until the input ends. It adds no right: each call is a request with the token.
 * @throws TypeError for an address that is none.
 */
export async function serveApi({ url, token, tokenCommand, isReadOnly }: AgentOptions): Promise<void> {
  const connection = new Connection({ url, ...(tokenCommand ? tokensOf(tokenCommand) : { token }) });
  const offered = offeredTools(isReadOnly);
  const calls = new Set<Promise<unknown>>();
  const input = new PassThrough();
  const onCall = (call: Promise<unknown>): void => {
    calls.add(call);
    const remove = (): boolean => calls.delete(call);
    call.then(remove, remove);
  };
  serveStdio(() => agentServer(connection, offered, onCall), {
    transport: new StdioServerTransport(input, process.stdout),
  });
  // The library aborts what is in progress when the input ends.
  process.stdin.pipe(input, { end: false });
  await once(process.stdin, 'end');
  do await setImmediate();
  while (calls.size > 0);
  input.end();
}
