import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Authorizer } from '#lib/local/authorizer.ts';
import { startResponder } from '../support/http-server.ts';
import { audience } from '../support/issuer.ts';
import { contracts, named, pathWith, useTwoTenants } from './two-tenants.ts';

/** OWASP API risks 6 to 10: business flows, server-side requests, misconfiguration, inventory and third-party APIs. */

const tenants = useTwoTenants();

/*
 * API6, unrestricted access to sensitive business flows: the API sells, reserves and sends nothing. The effect of one request
 * is bounded (API4), a request with a key has one effect (test/contract/idempotency.test.ts), and the gateway limits requests
 * per second (test/infrastructure/api-stack.test.ts).
 */

test('API7: functions connect only to the database, but for two that call the address of the service in their settings', () => {
  const folder = join(__dirname, '../../functions');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(sources.length).toBeGreaterThan(50);
  const filesWith = (text: RegExp): string[] =>
    sources.filter((name) => text.test(readFileSync(join(folder, name), 'utf8')));
  expect(
    filesWith(/\bfetch\(|node:(?:https?2?|net|tls|dgram|dns|child_process)|WebSocket|XMLHttpRequest/),
  ).toEqual([join('canary', 'use-service.ts'), join('mcp', 'serve-tools.ts')]);
  // `client.ts` creates the SDK client of the database, which opens the only connections.
  expect(filesWith(/new DynamoDBClient/)).toEqual([join('engine', 'table', 'client.ts')]);
});

// test/contract/headers.test.ts covers other origins, test/simulation/scenarios/unavailable.ts internal names in responses.
test.each(named(contracts))(
  'API8: the headers of %s are safe for any caller and origin',
  async (_, contract) => {
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
  },
);

// test/contract/errors.test.ts covers paths of no operation.
test.each(['package.json', 'site.json', '%2e%2e/site.json', '__proto__'])(
  'API9: the file %s is not served',
  async (file) => {
    expect((await tenants.send('GET', `/docs/${file}`)).status).toBe(404);
  },
);

// test/simulation/scenarios/unavailable.ts covers invalid responses of the database, test/cli/issuer.test.ts an issuer that never responds.
test.each([
  ['returns an error', 500, '{}'],
  ['returns text that is not JSON', 200, '<html>'],
  ['has no keys', 200, '{}'],
  ['returns the address of a file', 200, '{"jwks_uri":"file:///etc/passwd"}'],
])('API10: an issuer that %s authenticates nobody', async (_, status, body) => {
  const headers = { 'content-type': 'application/json' };
  const issuer = await startResponder(() => ({ status, headers, body }));
  const authorizer = new Authorizer({ issuer: issuer.url, audience: [audience] });
  const token = `Bearer ${await tenants.as('victim', { iss: issuer.url })}`;
  const error = await authorizer.authorize(token, []).catch((reason: unknown) => reason);
  await issuer.stop();
  expect(error).toMatchObject({ response: { statusCode: 401 } });
});
