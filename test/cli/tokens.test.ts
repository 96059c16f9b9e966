import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { CommandFailure } from '#lib/command-line/command-line.ts';
import { machineToken, personToken } from '#lib/tokens/tokens.ts';
import { startResponder, startServer, type TestServer } from '../support/http-server.ts';

/** A sign-in page that signs everyone in, with the checks of Cognito. */

let server: TestServer;
const challenges = new Map<string, string>();

beforeAll(async () => {
  server = await startResponder(({ headers }, text) => {
    const body = new URLSearchParams(text);
    const verifier = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isPerson = challenges.get(body.get('code') ?? '') === verifier;
    const isMachine = headers.authorization === `Basic ${Buffer.from('id:secret').toString('base64')}`;
    const isValid = body.get('grant_type') === 'client_credentials' ? isMachine : isPerson;
    return isValid
      ? { body: { access_token: 'a token' } }
      : { status: 400, body: { error: 'invalid_grant' } };
  });
});

afterAll(() => server.stop());

/** Does what a browser does with the address: the page redirects with a code. */
async function signIn(address: string, more: Record<string, string>): Promise<Socket> {
  const { searchParams } = new URL(address);
  challenges.set('code', searchParams.get('code_challenge') ?? '');
  const redirect = (searchParams.get('redirect_uri') ?? '').replace('localhost', '127.0.0.1');
  const send = (state: string) => fetch(`${redirect}?${new URLSearchParams({ ...more, state })}`);
  // A request without the state is ignored.
  expect((await send('wrong')).status).toBe(404);
  // A browser opens a connection in advance.
  const spare = connect(Number(new URL(redirect).port), '127.0.0.1').resume();
  await once(spare, 'connect');
  await send(searchParams.get('state') ?? '');
  return spare;
}

const person = async (more: Record<string, string>): Promise<string> => {
  const { port, stop } = await startServer();
  await stop();
  let browser: Promise<Socket> | undefined;
  const token = personToken({
    signInUrl: server.url,
    clientId: 'app',
    port,
    onAddress: (address) => {
      browser = signIn(address, more);
    },
  });
  try {
    await token;
    // The command ends when no connection is left.
    expect((await browser)?.readableEnded).toBe(true);
    return await token;
  } finally {
    (await browser)?.destroy();
  }
};

test('a machine gets a token for its secret, or the error of the token endpoint', async () => {
  expect(await machineToken(server.url, 'id', 'secret')).toBe('a token');
  await expect(machineToken(server.url, 'id', 'wrong')).rejects.toThrow(
    'returned 400: {"error":"invalid_grant"}',
  );
});

test('a person gets a token with a code and the verifier of the challenge, or the error of the page', async () => {
  expect(await person({ code: 'code' })).toBe('a token');
  await expect(person({ error: 'access_denied' })).rejects.toThrow(CommandFailure);
});
