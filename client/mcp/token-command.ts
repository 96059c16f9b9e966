/** Tokens that a command prints: a session of an agent is longer than the life of a token. */
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { type ClientOptions, UnsendableError } from '../connection.ts';

/** Milliseconds for which a token is used. Those of Cognito are valid for an hour, and those of other issuers often for 10 minutes. */
const maxAgeMs = 300_000;

/** Milliseconds that the command may take: a person may sign in meanwhile. */
const maxCommandMs = 120_000;

async function printedBy(command: string): Promise<string> {
  const { stdout } = await promisify(exec)(command, { timeout: maxCommandMs }).catch((cause: Error) => {
    throw new UnsendableError(`The command that prints a token failed: ${cause.message}`, { cause });
  });
  const token = stdout.trim();
  if (/^\S+$/.test(token)) return token;
  throw new UnsendableError(`The command "${command}" must print a token, and nothing else.`);
}

/**
 * Returns options of a client whose tokens a command prints. A token that is refused or old is replaced.
 * @param now the time in milliseconds.
 */
export function tokensOf(
  command: string,
  now: () => number = Date.now,
): Pick<ClientOptions, 'token' | 'fetch'> {
  let current: Promise<string> | undefined;
  let endsAt = 0;
  /** The token that is in use; empty while the command runs. */
  let printed = '';
  const run = async (): Promise<string> => {
    printed = '';
    try {
      printed = await printedBy(command);
      return printed;
    } catch (error) {
      current = undefined;
      throw error;
    }
  };
  const renew = (): Promise<string> => {
    endsAt = now() + maxAgeMs;
    current = run();
    return current;
  };
  const token = (): Promise<string> => (current && now() < endsAt ? current : renew());
  return {
    token,
    // The gateway has not passed on what it refused, so the request can be sent again.
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      if (response.status !== 401) return response;
      const headers = new Headers(init?.headers);
      // Another request may have replaced the token, or be about to.
      const isCurrent = headers.get('authorization') === `Bearer ${printed}`;
      headers.set('authorization', `Bearer ${await (isCurrent ? renew() : token())}`);
      return fetch(address, { ...init, headers });
    },
  };
}
