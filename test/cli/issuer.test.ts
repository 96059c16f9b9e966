import type { RequestListener } from 'node:http';
import { startServer, type TestServer } from '../support/http-server.ts';
import { audience } from '../support/issuer.ts';
import { run } from './run.ts';

/** Tests what `npm start` does when the tokens of an issuer cannot be checked. */

let server: TestServer;

afterEach(() => server.stop());

/** Returns an issuer that sends these documents by path. `SELF` is replaced by its own address. */
const documents =
  (texts: Readonly<Record<string, string>>): RequestListener =>
  ({ url = '', headers }, response) => {
    const found = texts[url]?.replaceAll('SELF', `http://${headers.host}`);
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(found);
  };

const configuration = '/.well-known/openid-configuration';
const usable = '{"issuer":"SELF","jwks_uri":"SELF/keys"}';
const foreign = usable.replace('SELF', 'https://other.example/');

type Row = [title: string, issuer: RequestListener, why: RegExp, path?: string];

const issuers: readonly Row[] = [
  ['it never responds', () => {}, /no response within \d+ seconds/],
  ['it closes the connection', (_, { socket }) => socket?.destroy(), /./],
  ['it has no OpenID configuration', documents({}), /status 404/],
  ['it sends a web page', documents({ [configuration]: '<html>' }), /not JSON/],
  ['it sends null', documents({ [configuration]: 'null' }), /"jwks_uri"/],
  ['its configuration has no keys', documents({ [configuration]: '{}' }), /"jwks_uri"/],
  ['it is another issuer', documents({ [configuration]: foreign }), /"https:\/\/other\.example\/"/],
  ['its keys are missing', documents({ [configuration]: usable }), /status 404/, '/keys'],
  ['it has no keys', documents({ [configuration]: usable, '/keys': '{"keys":[]}' }), /no keys/, '/keys'],
];

async function expectRefusal(url: string, why: RegExp, path = configuration): Promise<void> {
  const { code, output, errors } = await run('start', [], {
    PORT: '0',
    DATABASE_FILE: ':memory:',
    AUTHENTICATION_ISSUER: url,
    AUTHENTICATION_AUDIENCE: audience,
  });
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toMatch(/^[^\n]+\n$/);
  expect(errors).toContain(`${url}${path}`);
  expect(errors).toMatch(why);
  expect(errors).toContain('AUTHENTICATION_ISSUER');
}

test.each<Row>(issuers)('npm start ends with one line when %s', async (...[, issuer, why, path]) => {
  server = await startServer(issuer);
  await expectRefusal(server.url, why, path);
});

test('npm start ends with one line when nothing listens', async () => {
  server = await startServer();
  await server.stop();
  await expectRefusal(server.url, /ECONNREFUSED/);
});
