import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { CommandFailure } from '../command-line/command-line.ts';
import { closerOf } from '../local/close-server.ts';
import { loopback } from '../local/port.ts';

const random = (): string => randomBytes(32).toString('base64url');

/** Returns the token in a response. @throws CommandFailure that says what the sender returned instead. */
export async function tokenFrom(response: Response, sender: string): Promise<string> {
  const text = await response.text();
  const token = response.ok ? (JSON.parse(text) as { access_token?: string }).access_token : undefined;
  if (token) return token;
  throw new CommandFailure(`${sender} returned ${response.status}: ${text.slice(0, 200)}`);
}

/** Sends a request to the token endpoint. @throws CommandFailure with the error of the issuer. */
async function requestToken(
  signInUrl: string,
  body: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await fetch(`${signInUrl}/oauth2/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(body),
  });
  return tokenFrom(response, 'The token endpoint');
}

/** Returns a token of a client with a secret (RFC 6749, section 4.4). */
export const machineToken = (signInUrl: string, clientId: string, secret: string): Promise<string> =>
  requestToken(
    signInUrl,
    { grant_type: 'client_credentials' },
    { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
  );

interface SignIn {
  readonly signInUrl: string;
  readonly clientId: string;
  readonly port: number;
  readonly onAddress: (address: string) => void;
}

/** Returns the authorization code. @throws CommandFailure when the sign-in failed. */
async function receiveCode(port: number, state: string, onListening: () => void): Promise<string> {
  const server = createServer();
  const close = closerOf(server);
  const received = new Promise<URLSearchParams>((resolve) => {
    server.on('request', ({ url }, response) => {
      const query = new URLSearchParams(url?.split('?')[1]);
      // A page of another origin can send requests here, but it does not know the state.
      if (query.get('state') !== state) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' });
      response.end('Signed in. You can close this page.');
      resolve(query);
    });
  });
  server.listen(port, loopback);
  await once(server, 'listening').catch((cause: Error) => {
    throw new CommandFailure(
      `The port ${port} cannot be used: ${cause.message}. Choose another with --port.`,
    );
  });
  onListening();
  const query = await received;
  await close();
  const code = query.get('code');
  if (code) return code;
  const reason = query.get('error_description') ?? query.get('error') ?? 'no code';
  throw new CommandFailure(`The sign-in failed: ${reason}`);
}

/** Returns a token of a person, who signs in in a browser: authorization code with PKCE (RFC 7636). */
export async function personToken({ signInUrl, clientId, port, onAddress }: SignIn): Promise<string> {
  const [state, code_verifier] = [random(), random()];
  const redirect_uri = `http://localhost:${port}/`;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri,
    state,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const code = await receiveCode(port, state, () => onAddress(`${signInUrl}/oauth2/authorize?${query}`));
  const grant = { grant_type: 'authorization_code', client_id: clientId, redirect_uri, code, code_verifier };
  return requestToken(signInUrl, grant);
}
