import { type ClientOptions, ConnectionError, createClient, ProblemError } from '../../client/index.ts';
import { CommandFailure } from './command-line.ts';

/** A service that does not respond ends a command soon. The first request to a deployment can take seconds. */
const quickCheck = { tries: 2, timeout: 10_000 };

/** @throws CommandFailure that says what responds instead of a healthy service of this project. */
export async function requireService(
  url: string,
  options: Omit<ClientOptions, 'url'> = quickCheck,
): Promise<void> {
  try {
    await createClient({ url, ...options }).health();
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
