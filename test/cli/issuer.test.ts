import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { audience, type Issuer, startIssuer } from '../support/issuer.ts';
import { killLeftovers, spawnStart, start } from './started-service.ts';

/** Tests what `npm start` does when the tokens of an issuer cannot be checked. */

const servers: Server[] = [];
let issuer: Issuer;

beforeAll(async () => {
  issuer = await startIssuer();
});

afterEach(async () => {
  await killLeftovers();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

afterAll(() => issuer.stop());

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts an issuer that sends these documents by path. `SELF` is replaced by its own address. */
function serveDocuments(documents: Readonly<Record<string, string>>): Promise<string> {
  return serve(({ url = '', headers }, response) => {
    const found = documents[url]?.replaceAll('SELF', `http://${headers.host}`);
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(found);
  });
}

async function closedPort(): Promise<string> {
  const url = await serve(() => {});
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return url;
}

const configuration = '/.well-known/openid-configuration';
const usable = '{"issuer":"SELF","jwks_uri":"SELF/keys"}';

const issuers: readonly (readonly [title: string, open: () => Promise<string>, path: string, why: RegExp])[] =
  [
    ['nothing listens', closedPort, configuration, /ECONNREFUSED/],
    ['it never responds', () => serve(() => {}), configuration, /no response within \d+ seconds/],
    ['it closes the connection', () => serve((_, { socket }) => socket?.destroy()), configuration, /./],
    ['it has no OpenID configuration', () => serveDocuments({}), configuration, /status 404/],
    ['it sends a web page', () => serveDocuments({ [configuration]: '<html>' }), configuration, /not JSON/],
    ['it sends null', () => serveDocuments({ [configuration]: 'null' }), configuration, /"jwks_uri"/],
    [
      'its configuration has no keys',
      () => serveDocuments({ [configuration]: '{}' }),
      configuration,
      /"jwks_uri"/,
    ],
    [
      'it is another issuer',
      () => serveDocuments({ [configuration]: usable.replace('SELF', 'https://other.example/') }),
      configuration,
      /"https:\/\/other\.example\/"/,
    ],
    ['its keys are missing', () => serveDocuments({ [configuration]: usable }), '/keys', /status 404/],
    [
      'it has no keys',
      () => serveDocuments({ [configuration]: usable, '/keys': '{"keys":[]}' }),
      '/keys',
      /no keys/,
    ],
  ];

const withIssuer = (url: string): Record<string, string> => ({
  PORT: '0',
  DATABASE_FILE: ':memory:',
  AUTHENTICATION_ISSUER: url,
  AUTHENTICATION_AUDIENCE: audience,
});

test.each(issuers)('npm start ends with one line when %s', async (_, open, path, why) => {
  const url = await open();
  const refused = spawnStart(withIssuer(url));
  expect(await refused.ended()).toBe(1);
  expect(refused.output()).toMatch(/^[^\n]+\n$/);
  expect(refused.output()).toContain(`${url}${path}`);
  expect(refused.output()).toMatch(why);
  expect(refused.output()).toContain('AUTHENTICATION_ISSUER');
});

test('npm start accepts the tokens of a reachable issuer', async () => {
  const service = await start(withIssuer(issuer.url));
  const scope = 'tags:read';
  const authorization = `Bearer ${await issuer.token({ scope })}`;
  const read = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${service.url}/v1/tags`, { headers })).status;
  expect([await read({}), await read({ authorization })]).toEqual([401, 200]);
  service.process.kill('SIGINT');
  expect(await service.ended()).toBe(0);
});
