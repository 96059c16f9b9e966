/** Gets a token of the local issuer as a program does, without a page. */
import { CommandFailure } from '../command-line/command-line.ts';
import { tokenFrom } from './tokens.ts';

interface LocalTokenOptions {
  readonly issuer: string;
  readonly tenant: string;
  readonly subject: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

/** Returns the address of the issuer that `npm start -- --sign-in` runs beside a service. */
export function issuerBeside(serviceUrl: string): string {
  const url = new URL(serviceUrl);
  url.port = String(Number(url.port || 80) + 1);
  return url.origin;
}

/** @throws CommandFailure when the issuer does not respond, or refuses. */
export async function localToken({ issuer, roles, scopes, ...names }: LocalTokenOptions): Promise<string> {
  const person = new URLSearchParams(names);
  for (const role of roles) person.append('role', role);
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'pm-api token',
    scope: scopes.join(' '),
    login_hint: String(person),
  });
  const response = await fetch(`${issuer.replace(/\/$/, '')}/token`, { method: 'POST', body }).catch(
    (cause: Error) => {
      const message = `No issuer responds at ${new URL(issuer).origin}. Start it with npm start -- --sign-in, or pass its --issuer, or the --url of the service.`;
      throw new CommandFailure(message, { cause });
    },
  );
  return tokenFrom(response, 'The issuer');
}
