import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { methodsByPath } from '../../functions/routes.ts';
import { startService } from '../../lib/local/service.ts';
import { committedFile } from '../../lib/openapi/committed-document.ts';
import type { OpenApiDocument } from '../../lib/openapi/types.ts';
import { audience } from '../support/issuer.ts';
import {
  contracts,
  named,
  pathWith,
  resources,
  startTwoTenants,
  type TwoTenants,
  unknown,
} from './two-tenants.ts';

/** OWASP's risks 6 to 10: what the service lets be done, asks of others, shows of itself, has, and believes. */

let tenants: TwoTenants;

beforeAll(async () => {
  tenants = await startTwoTenants();
});

afterAll(() => tenants?.stop());

const as: TwoTenants['as'] = (...values) => tenants.as(...values);
const send: TwoTenants['send'] = (...values) => tenants.send(...values);

const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;

/*
 * API6, unrestricted access to sensitive business flows: nothing here is sold, reserved or sent to people. What one
 * request sets in motion is bounded (API4), a request under one key is done once (test/contract/idempotency.test.ts), and
 * the gateway bounds requests per second (test/infrastructure/api-stack.test.ts).
 */

describe('API7: no request makes the service send one', () => {
  test('no field and no parameter holds an address', () => {
    const fields = Object.entries(document.components.schemas)
      // What bodies are made of; problems and lists are answers.
      .filter(([name]) => /^New|Changes$|Options$/.test(name))
      .flatMap(([, { properties = {} }]) => Object.values(properties));
    const parameters = Object.values(document.components.parameters).map(({ schema }) => schema);
    expect(fields.length).toBeGreaterThan(30);
    expect(parameters.length).toBeGreaterThan(10);
    const addresses = [...fields, ...parameters].filter(({ format }) =>
      /^(?:ur[il]|iri|hostname|ip)/.test(String(format)),
    );
    expect(addresses).toEqual([]);
  });

  test('what ships speaks to the database alone', () => {
    const folder = join(__dirname, '../../functions');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    expect(sources.length).toBeGreaterThan(50);
    const holding = (text: RegExp): string[] =>
      sources.filter((name) => text.test(readFileSync(join(folder, name), 'utf8')));
    expect(
      holding(/\bfetch\(|node:(?:https?2?|net|tls|dgram|dns|child_process)|WebSocket|XMLHttpRequest/),
    ).toEqual([]);
    // The SDK's client of the database, which `client.ts` makes, opens the only connections.
    expect(holding(/new DynamoDBClient/)).toEqual([join('shared', 'store', 'dynamodb', 'client.ts')]);
  });
});

// Other origins: test/contract/cross-origin.test.ts. What answers tell of the inside: test/faults/disclosure.test.ts.
describe('API8: every answer says no more than it must', () => {
  test.each(named(contracts))(
    'that of %s of itself, to whom and from wherever it is',
    async (_, contract) => {
      // What would be there, is not: nothing is changed for the others.
      const path = pathWith(contract, {});
      const origin = { headers: { origin: 'https://evil.example' } };
      for (const request of [origin, { ...origin, token: await as('stranger') }]) {
        const { headers, status } = await send(contract.method, path, request);
        // Who somebody is does not go along from other origins.
        const revealing = [
          'access-control-allow-credentials',
          'server',
          'x-powered-by',
          'set-cookie',
          'x-amzn-trace-id',
        ];
        expect(revealing.filter((name) => headers.has(name))).toEqual([]);
        // What people wrote is no page, whatever a browser thinks of it. The gateway's own answers do not say so.
        const byGateway = status === 401;
        expect(headers.get('x-content-type-options')).toBe(byGateway ? null : 'nosniff');
        // What is a tenant's own is in no cache that others share; a page is the same for all.
        const isShared = /public/.test(headers.get('cache-control') ?? '');
        expect([status, isShared]).toEqual([status, contract.success === 'staticPage']);
        if (contract.success !== 'staticPage')
          expect(headers.get('content-type') ?? '').not.toContain('html');
      }
    },
  );

  test('and every other method of every path is refused with the methods that it has', async () => {
    const token = await as('victim');
    for (const [template, known] of Object.entries(methodsByPath)) {
      const path = template.replace('{id}', unknown).replace('{file}', 'style.css');
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'LOCK', 'PURGE']) {
        if (known.includes(method)) continue;
        const { status, headers } = await send(method, path, { token });
        expect([method, path, status]).toEqual([method, path, 405]);
        expect(headers.get('allow')?.split(', ')).toContain(method === 'PROPFIND' ? 'OPTIONS' : known[0]);
      }
    }
  });
});

// The document has the operations that the routes have: test/unit/lib/openapi/document.test.ts.
describe('API9: what is not documented is not there', () => {
  const guesses = [
    ...['/v1', '/v1/', '/v0/tags', '/v2/tags', '/tags', '/api/v1/tags', '/dev/v1/tags', '/$default/v1/tags'],
    ...['/admin', '/debug', '/metrics', '/status', '/health', '/ping', '/console', '/graphql', '/swagger'],
    ...['/.env', '/.git/config', '/package.json', '/docs/..%2Fpackage.json', '/openapi.json'],
    ...['/v1/jobs', '/v1/tenants', '/v1/idempotency', '/v1/on-stream', '/v1/onSchedule', '/v1/claim-tenant'],
    ...resources.flatMap(({ plural, kind }) => [
      `/v1/${kind}`,
      `/v1/${plural}/${unknown}/history`,
      `/v1/${plural}:batch`,
    ]),
    ...resources.map(({ plural }) => `/v1/${plural}/${unknown}/restore`),
  ];

  test.each(guesses)('%s', async (path) => {
    const token = await as('victim');
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, body } = await send(method, path, { token });
      expect([method, path, status, body?.['status']]).toEqual([method, path, 404, 404]);
    }
  });
});

test('API9: no other file is served than those that ship to be', async () => {
  for (const file of [
    'package.json',
    'routes.ts',
    'contract.ts',
    '..%2f..%2fpackage.json',
    'constructor',
    '__proto__',
  ]) {
    expect([file, (await send('GET', `/docs/${file}`)).status]).toEqual([file, 404]);
  }
});

// Whatever the database answers: test/faults/outages.test.ts and test/faults/disclosure.test.ts.
describe('API10: what others answer is not trusted', () => {
  /** An issuer that answers in its own way. */
  async function startStrangeIssuer(answer: () => { status: number; body: string } | undefined) {
    const server = createServer((_, response) => {
      const given = answer();
      if (given) response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stop = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return { url, stop };
  }

  test.each([
    ['fails', () => ({ status: 500, body: '{}' })],
    ['answers what is not JSON', () => ({ status: 200, body: '<html>' })],
    ['has no keys', () => ({ status: 200, body: '{}' })],
    ['names no address', () => ({ status: 200, body: '{"jwks_uri":"nothing"}' })],
    ['leads to this machine', () => ({ status: 200, body: '{"jwks_uri":"file:///etc/passwd"}' })],
    ['does not answer', () => undefined],
  ])('an issuer that %s lets nobody in', async (_, answer) => {
    const strange = await startStrangeIssuer(answer);
    const other = await startService({
      port: 0,
      databaseFile: ':memory:',
      endpoint: tenants.service.endpoint,
      tableName: tenants.service.tableName,
      authentication: { issuer: strange.url, audience: [audience] },
    });
    try {
      const headers = { authorization: `Bearer ${await as('victim', { iss: strange.url })}` };
      const answered = await fetch(`${other.url}/v1/tags`, { headers, signal: AbortSignal.timeout(8_000) });
      expect(answered.status).toBe(401);
    } finally {
      await other.stop();
      await strange.stop();
    }
  });
});
