import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Authorizer } from '#lib/local/authorizer.ts';
import { startServer } from '../support/http-server.ts';
import { audience } from '../support/issuer.ts';
import { contracts, named, pathWith, useTwoTenants } from './two-tenants.ts';

/** OWASP API risks 6 to 10: business flows, server-side requests, misconfiguration, inventory and third-party APIs. */

const tenants = useTwoTenants();

/*
 * API6, unrestricted access to sensitive business flows: the API sells, reserves and sends nothing. The effect of one request
 * is bounded (API4), a request with a key has one effect (test/contract/idempotency.test.ts), and the gateway limits requests
 * per second (test/infrastructure/api-stack.test.ts).
 */

describe('API7: no request makes the service send one', () => {
  test('functions connect only to the database', () => {
    const folder = join(__dirname, '../../functions');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    expect(sources.length).toBeGreaterThan(50);
    const filesWith = (text: RegExp): string[] =>
      sources.filter((name) => text.test(readFileSync(join(folder, name), 'utf8')));
    expect(
      filesWith(/\bfetch\(|node:(?:https?2?|net|tls|dgram|dns|child_process)|WebSocket|XMLHttpRequest/),
    ).toEqual([]);
    // `client.ts` creates the SDK client of the database, which opens the only connections.
    expect(filesWith(/new DynamoDBClient/)).toEqual([join('engine', 'table', 'client.ts')]);
  });
});

// test/contract/headers.test.ts covers other origins, test/simulation/scenarios/unavailable.ts internal names in responses.
describe('API8: responses disclose no more than necessary', () => {
  test.each(named(contracts))('the headers of %s are safe for any caller and origin', async (_, contract) => {
    // The ids are unknown, so the requests change nothing.
    const path = pathWith(contract, {});
    const origin = { headers: { origin: 'https://evil.example' } };
    for (const request of [origin, { ...origin, token: await tenants.as('stranger') }]) {
      const { headers, status } = await tenants.send(contract.method, path, request);
      // Browsers must not send credentials from other origins.
      for (const name of ['access-control-allow-credentials', 'server', 'x-powered-by', 'x-amzn-trace-id'])
        expect([name, headers.get(name)]).toEqual([name, null]);
      // Browsers must not interpret user data as HTML. Responses of the gateway do not have this header.
      const byGateway = status === 401;
      expect(headers.get('x-content-type-options')).toBe(byGateway ? null : 'nosniff');
      // Only the documentation may be in shared caches.
      expect([status, headers.get('cache-control') ?? '']).toEqual([
        status,
        expect.not.stringMatching(/public/),
      ]);
      expect(headers.get('content-type') ?? '').not.toContain('html');
    }
  });
});

// test/contract/errors.test.ts covers paths of no operation.
test.each(['package.json', 'site.json', '%2e%2e/site.json', '__proto__'])(
  'API9: the file %s is not served',
  async (file) => {
    expect((await tenants.send('GET', `/docs/${file}`)).status).toBe(404);
  },
);

// test/simulation/scenarios/unavailable.ts covers invalid responses of the database.
describe('API10: responses of other services are not trusted', () => {
  test.each([
    ['returns an error', () => ({ status: 500, body: '{}' })],
    ['returns text that is not JSON', () => ({ status: 200, body: '<html>' })],
    ['has no keys', () => ({ status: 200, body: '{}' })],
    ['returns the address of a file', () => ({ status: 200, body: '{"jwks_uri":"file:///etc/passwd"}' })],
    ['does not respond', () => undefined],
  ])('an issuer that %s authenticates nobody', async (_, respond) => {
    const issuer = await startServer((__, response) => {
      const given = respond();
      if (given) response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body);
    });
    // An issuer that does not respond costs a second and a half otherwise.
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      expect(milliseconds).toBeLessThan(5_000);
      return respond() ? new AbortController().signal : AbortSignal.abort();
    });
    try {
      const authorizer = new Authorizer({ issuer: issuer.url, audience: [audience] });
      const token = `Bearer ${await tenants.as('victim', { iss: issuer.url })}`;
      const error = await authorizer.authorize(token, []).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ response: { statusCode: 401 } });
      expect(timeout).toHaveBeenCalled();
    } finally {
      timeout.mockRestore();
      await issuer.stop();
    }
  });
});
