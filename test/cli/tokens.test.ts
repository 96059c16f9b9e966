import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandFailure } from '#lib/cli/command-line.ts';
import { machineToken, personToken } from '#lib/cli/tokens.ts';
import { freePort } from '#lib/local/port.ts';

/** A sign-in page that signs everyone in, with the checks of Cognito. */

let server: Server;
let signInUrl: string;
const challenges = new Map<string, string>();

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = new URLSearchParams(Buffer.concat(chunks).toString());
    const verifier = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isPerson = challenges.get(body.get('code') ?? '') === verifier;
    const isMachine =
      request.headers.authorization === `Basic ${Buffer.from('id:secret').toString('base64')}`;
    const isValid = body.get('grant_type') === 'client_credentials' ? isMachine : isPerson;
    response.writeHead(isValid ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isValid ? { access_token: 'a token' } : { error: 'invalid_grant' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  signInUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => server.close());

/** Does what a browser does with the address: the page redirects with a code. */
async function signIn(address: string, more: Record<string, string>): Promise<void> {
  const { searchParams } = new URL(address);
  challenges.set('code', searchParams.get('code_challenge') ?? '');
  const redirect = (searchParams.get('redirect_uri') ?? '').replace('localhost', '127.0.0.1');
  const send = (state: string) => fetch(`${redirect}?${new URLSearchParams({ ...more, state })}`);
  // A request without the state is ignored.
  expect((await send('wrong')).status).toBe(404);
  await send(searchParams.get('state') ?? '');
}

const person = async (more: Record<string, string>): Promise<string> => {
  const port = await freePort();
  let browser: Promise<void> | undefined;
  const token = personToken({
    signInUrl,
    clientId: 'app',
    port,
    onAddress: (address) => {
      browser = signIn(address, more);
    },
  });
  try {
    return await token;
  } finally {
    await browser;
  }
};

test('a machine gets a token for its secret', async () => {
  expect(await machineToken(signInUrl, 'id', 'secret')).toBe('a token');
});

test('reports the error of the token endpoint', async () => {
  await expect(machineToken(signInUrl, 'id', 'wrong')).rejects.toThrow(
    'returned 400: {"error":"invalid_grant"}',
  );
});

test('a person gets a token with a code and the verifier of the challenge', async () => {
  expect(await person({ code: 'code' })).toBe('a token');
});

test('reports the error of the sign-in page', async () => {
  await expect(person({ error: 'access_denied' })).rejects.toThrow(CommandFailure);
});
