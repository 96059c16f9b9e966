import { issuerBeside } from '../../lib/cli/local-token.ts';
import { startServer } from '../support/http-server.ts';
import { run } from './run.ts';
import { killLeftovers, start } from './started-service.ts';

/** `npm start -- --sign-in`, and `npx pm-api token local`. */

afterEach(killLeftovers);

test.each([
  ['http://localhost:3000', 'http://localhost:3001'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8081'],
  ['http://localhost', 'http://localhost:81'],
])('the issuer beside %s is %s', (service, issuer) => expect(issuerBeside(service)).toBe(issuer));

const memory = { DATABASE_FILE: ':memory:', PORT: '0' };

async function tokenOf(...flags: readonly string[]): Promise<string> {
  const { code, output } = await run('token', ['local', ...flags]);
  expect([code, output]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
  return output.trim();
}

test('a local service with an issuer requires its tokens, which the command prints', async () => {
  const service = await start(memory, ['--sign-in']);
  const said = await service.printed(
    /Sign in: (\S+) is the issuer of tokens\. "npx pm-api token local --issuer \1"/,
  );
  const [issuer = ''] = /http:\S+/.exec(said) ?? [];
  const me = (token = '') =>
    fetch(`${service.url}/v1/users/me`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  expect((await me()).status).toBe(401);
  const usual = await me(await tokenOf('--issuer', issuer));
  expect(await usual.json()).toMatchObject({ tenant: 'acme', user: null });
  const flags = '--tenant globex --subject bob --role viewer --scope tasks:read --scope tasks:write';
  const other = await me(await tokenOf('--issuer', issuer, ...flags.split(' ')));
  const expected = { subject: 'bob', tenant: 'globex', scopes: ['tasks:read'], user: null };
  expect(await other.json()).toEqual(expected);
  await service.stop();
});

test.each([
  [
    'token',
    'local --issuer http://localhost:9',
    1,
    /^No issuer responds at http:\/\/localhost:9\. Start it with npm/,
  ],
  [
    'token',
    'local --url http://localhost:8',
    1,
    /^No issuer responds at http:\/\/localhost:9\. Start it with npm/,
  ],
  ['token', 'local --role admin', 2, /'admin' is invalid\. It must be one of viewer, editor\./],
  ['token', 'local --scope task:read', 2, /'task:read' is invalid\./],
  ['start', '--sign-in-port 3001', 2, /--sign-in-port needs --sign-in\./],
  [
    'start',
    '--sign-in --authentication-issuer https://a.example/ --authentication-audience api',
    2,
    /Choose either/,
  ],
  ['start', '--sign-in --sign-in-port x', 2, /'x' is invalid\. It must be a whole number/],
])('%s %s ends with %i and says why', async (command, flags, code, message) => {
  const refused = await run(command, flags.split(' '), memory);
  expect(refused).toEqual({ code, output: '', errors: expect.stringMatching(message) });
});

test('npm start says when the port of the issuer is taken', async () => {
  const { port, stop } = await startServer();
  expect(await run('start', ['--sign-in', '--sign-in-port', String(port)], memory)).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^The port \d+ of the issuer cannot be used: .*--sign-in-port\.\n$/),
  });
  await stop();
});
