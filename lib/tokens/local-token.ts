/** Gets a token of the local issuer as a program does, without a page. */
import { CommandFailure } from '../command-line/command-line.ts';
import { requireService } from '../command-line/require-service.ts';
import { issuerIn, localGrant, proposed } from './local-grant.ts';
import { tokenFrom } from './tokens.ts';

/** Returns the address of the issuer that `npm start -- --sign-in` runs beside a service; `undefined` when there is none. */
export async function issuerOf(serviceUrl: string): Promise<string | undefined> {
  const response = await fetch(`${serviceUrl}/v1/openapi.json`, { method: 'HEAD' }).catch(() => undefined);
  return response && issuerIn(response.headers.get('link'));
}

/** @throws CommandFailure when the issuer does not respond, or refuses. */
export async function localToken(issuer: string, grant?: Parameters<typeof localGrant>[0]): Promise<string> {
  const request = { method: 'POST', body: localGrant(grant) };
  const response = await fetch(`${issuer.replace(/\/$/, '')}/token`, request).catch((cause: Error) => {
    throw new CommandFailure(`No issuer responds at ${new URL(issuer).origin}.`, { cause });
  });
  return tokenFrom(response, 'The issuer');
}

/**
 * Returns the given token. Without one, returns a token of the person whom the issuer beside the service proposes; `undefined` when no issuer runs there.
 * @throws CommandFailure when no healthy service responds.
 */
export async function tokenFor(serviceUrl: string, given: string | undefined): Promise<string | undefined> {
  await requireService(serviceUrl);
  const issuer = given === undefined ? await issuerOf(serviceUrl) : undefined;
  // Commands read and write private projects too.
  return issuer === undefined ? given : localToken(issuer, { ...proposed, roles: ['admin'] });
}
