/** Gets a token of the local issuer as an app does, with the authorization code and PKCE, and fills in the page itself. */
import { createHash, randomBytes } from 'node:crypto';
import { CommandFailure } from './command-line.ts';

export interface LocalTokenOptions {
  readonly issuer: string;
  readonly tenant: string;
  readonly subject: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

/** Nothing listens there: the address of the redirect is read, and not visited. */
const redirectUri = 'http://localhost:8976/';

async function post(url: string, form: URLSearchParams): Promise<Response> {
  try {
    return await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  } catch (cause) {
    const message = `No issuer responds at ${new URL(url).origin}. Start it: npm start -- --sign-in`;
    throw new CommandFailure(message, { cause });
  }
}

/** @throws CommandFailure when the issuer does not respond, or refuses. */
export async function localToken({
  issuer,
  tenant,
  subject,
  roles,
  scopes,
}: LocalTokenOptions): Promise<string> {
  const origin = issuer.replace(/\/$/, '');
  const verifier = randomBytes(32).toString('base64url');
  const form = new URLSearchParams({
    response_type: 'code',
    client_id: 'npx pm-api token',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    tenant,
    subject,
  });
  for (const role of roles) form.append('role', role);
  for (const scope of scopes) form.append('granted', scope);
  const signedIn = await post(`${origin}/authorize`, form);
  const location = signedIn.headers.get('location') ?? '';
  const code = URL.canParse(location) ? new URL(location).searchParams.get('code') : null;
  if (!code) {
    throw new CommandFailure(
      `The issuer returned ${signedIn.status}: ${location || (await signedIn.text())}`,
    );
  }
  const grant = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'npx pm-api token',
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  });
  const response = await post(`${origin}/token`, grant);
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (!token) throw new CommandFailure(`The issuer returned ${response.status} and no token.`);
  return token;
}
