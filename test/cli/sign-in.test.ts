import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { killLeftovers, spawnGroup, spawnStart, untilItListens } from './started-service.ts';

/** `npm start -- --sign-in`, and `npm run token -- --local`. */

afterEach(killLeftovers);

const memory = { DATABASE_FILE: ':memory:', PORT: '0' };

const spawnToken = (...flags: readonly string[]) =>
  spawnGroup(process.execPath, ['--import', 'tsx', 'bin/token.ts', ...flags]);

async function signedInService() {
  const started = spawnStart(memory, ['--sign-in']);
  const url = await untilItListens(started);
  for (;;) {
    const issuer = /Sign in: (http:\/\/localhost:\d+)/.exec(started.output())?.[1];
    if (issuer) return { ...started, url, issuer };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function tokenOf(...flags: readonly string[]): Promise<string> {
  const command = spawnToken('--local', ...flags);
  expect([await command.ended(), command.output()]).toEqual([
    0,
    expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/),
  ]);
  return command.output().trim();
}

test('a local service with an issuer requires its tokens, which the command prints', async () => {
  const { url, issuer, ...started } = await signedInService();
  const me = async (token?: string) =>
    fetch(`${url}/v1/users/me`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  expect((await me()).status).toBe(401);
  const usual = await me(await tokenOf('--issuer', issuer));
  expect(await usual.json()).toMatchObject({ tenant: 'acme', user: null });
  const flags = [
    '--tenant',
    'globex',
    '--subject',
    'bob',
    '--role',
    'viewer',
    '--scope',
    'tasks:read',
    '--scope',
    'tasks:write',
  ];
  const other = await me(await tokenOf('--issuer', issuer, ...flags));
  expect(await other.json()).toEqual({
    subject: 'bob',
    tenant: 'globex',
    scopes: ['tasks:read'],
    user: null,
  });
  started.process.kill('SIGINT');
  expect(await started.ended()).toBe(0);
});

test.each([
  [
    ['--local', '--issuer', 'http://localhost:9'],
    1,
    /^No issuer responds at http:\/\/localhost:9\. Start it: npm start -- --sign-in\n$/,
  ],
  [['--local', '--role', 'admin'], 2, /There is no role "admin"\. It must be one of viewer, editor\./],
  [['--local', '--scope', 'task:read'], 2, /There is no scope "task:read"\./],
  [['--tenant', 'acme'], 2, /--tenant needs --local\./],
  [['--local', '--machine'], 2, /--machine .* cannot be combined with --local\./],
])('npm run token -- %j ends with %i and says why', async (flags, code, message) => {
  const command = spawnToken(...flags);
  expect(await command.ended()).toBe(code);
  expect(command.output()).toMatch(message);
});

test('npm start says when the port of the issuer is taken', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const started = spawnStart(memory, ['--sign-in', '--sign-in-port', String(port)]);
  expect(await started.ended()).toBe(1);
  expect(started.output()).toMatch(
    /^The port \d+ of the issuer cannot be used: .*\. Choose another with --sign-in-port\.\n$/,
  );
  server.close();
});

test.each([
  [['--sign-in-port', '3001'], /--sign-in-port needs --sign-in\./],
  [
    [
      '--sign-in',
      '--authentication-issuer',
      'https://issuer.example.com/',
      '--authentication-audience',
      'api',
    ],
    /Choose either --sign-in or --authentication-issuer\./,
  ],
  [['--sign-in', '--sign-in-port', 'x'], /The port of the issuer must be a whole number/],
])('npm start -- %j is refused', async (flags, message) => {
  const started = spawnStart(memory, flags);
  expect(await started.ended()).toBe(2);
  expect(started.output()).toMatch(message);
});
