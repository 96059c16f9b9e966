import { type Client, ConnectionError, ProblemError } from '../../client/index.ts';
import { CommandFailure } from './command-line.ts';

/** Options of a client that checks an address before a command begins. A service that does not respond ends it soon. */
export const quickCheck = { tries: 1, timeout: 3_000 } as const;

/** @throws CommandFailure that says what responds instead of a healthy service of this project. */
export async function requireService(client: Client, url: string): Promise<void> {
  try {
    await client.health();
  } catch (cause) {
    if (cause instanceof ConnectionError) {
      const message = `No service responds at ${url}. Start one with "npm start", or correct the URL.`;
      throw new CommandFailure(message, { cause });
    }
    if (cause instanceof ProblemError && cause.problem.status >= 500) {
      throw new CommandFailure(`The service at ${url} is not healthy: ${cause.message}`, { cause });
    }
    const reason = (cause as Error).message.replaceAll(/\s+/g, ' ');
    throw new CommandFailure(`${url} is not a project-management service: ${reason}`, { cause });
  }
}
