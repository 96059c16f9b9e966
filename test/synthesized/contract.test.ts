import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { routes } from '../../functions/routes.ts';
import { scopeOf } from '../../functions/shared/contract/contract.ts';
import type { PermissionReport } from '../../lib/cloud-assembly/iam-proxy.ts';
import { findNode } from '../../lib/cloud-assembly/runtime.ts';
import { resourceServer } from '../../lib/hosting/scopes.ts';
import { killLeftovers, spawnStart, untilItListens } from '../cli/started-service.ts';
import { synthesize, temporaryFolder } from '../infrastructure/stacks.ts';
import { audience, type Issuer, startIssuer } from '../support/issuer.ts';
import { type Synthesized, startSynthesized, toEnvironment } from './synthesized-service.ts';

/**
 * Runs the contract tests on the bundles, routes, environments, roles and the authorizer of the templates, on Node.js 24
 * when it is installed or can be downloaded.
 */

const authentication = process.env['AUTHENTICATION'] ?? 'cognito';

let issuer: Issuer;
let synthesized: Synthesized;
let environment: Record<string, string>;

beforeAll(async () => {
  issuer = await startIssuer();
  const { assembly } = await synthesize({ authentication });
  const reports = join(temporaryFolder(), 'reports');
  mkdirSync(reports);
  synthesized = { assembly, node: findNode('24') ?? process.execPath, reports };
  const scopes = routes.flatMap(({ contract }) => scopeOf(contract) ?? []);
  const scope = scopes.map((name) => `${resourceServer}/${name}`).join(' ');
  environment = {
    ...(authentication === 'none' ? {} : { TOKEN: await issuer.token({ scope }) }),
    AUTHENTICATION_ISSUER: issuer.url,
    AUTHENTICATION_AUDIENCE: audience,
  };
});

afterEach(killLeftovers);
afterAll(() => issuer.stop());

/** Runs tests on the cloud assembly. */
function runTests(path: string): Promise<{ failed: boolean; output: string }> {
  const jest = createRequire(__filename).resolve('jest/bin/jest');
  const env = {
    ...process.env,
    DYNAMODB_ENDPOINT: '',
    BASE_URL: '',
    ...environment,
    ...toEnvironment(synthesized),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [jest, path], { env, maxBuffer: 1e8 }, (error, _, output) =>
      resolve({ failed: error !== null, output }),
    );
  });
}

/** Returns the permissions in the reports of all processes, by function. */
function permissions(): Map<string, { used: Set<string>; unused: Set<string>; refused: Set<string> }> {
  const all = new Map<string, { used: Set<string>; unused: Set<string>; refused: Set<string> }>();
  for (const file of readdirSync(synthesized.reports)) {
    const report = JSON.parse(readFileSync(join(synthesized.reports, file), 'utf8')) as PermissionReport[];
    for (const { function: name, used, unused, refused } of report) {
      const known = all.get(name) ?? { used: new Set(), unused: new Set(), refused: new Set() };
      all.set(name, known);
      for (const permission of used) known.used.add(permission);
      for (const permission of unused) known.unused.add(permission);
      for (const permission of refused) known.refused.add(permission);
    }
  }
  return all;
}

test(`passes the contract tests, with authentication ${authentication}`, async () => {
  const { failed, output } = await runTests('test/contract');
  expect(failed ? output.slice(-5_000) : '').toBe('');
  expect(output).toMatch(/Tests: +(\d{4}) passed, \1 total/);
}, 600_000);

test('the schedule runs all jobs when the stream is not read', async () => {
  const service = await startSynthesized(synthesized, { flags: ['--without-stream'], environment });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${environment['TOKEN']}` };
  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(service.url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>);
  };
  const { id: organizationId } = await call('POST', '/v1/organizations', { name: 'Large' });
  const users = await Promise.all(
    Array.from({ length: 101 }, (_, number) =>
      call('POST', '/v1/users', { name: `User ${number}`, organizationId }),
    ),
  );
  // A transaction has at most 100 actions: a job clears the references of the users and deletes the project.
  await call('POST', '/v1/projects', { name: 'Project', organizationId });
  const { id: tagId } = await call('POST', '/v1/tags', { name: 'Tag' });
  await call('DELETE', `/v1/organizations/${organizationId}`);
  await call('DELETE', `/v1/users/${users[0]?.['id']}`);
  await call('DELETE', `/v1/tags/${tagId}`);
  for (let total = users.length; total > 0; ) {
    await delay(200);
    total = (await call('GET', `/v1/organizations/${organizationId}/users`))['total'] as number;
  }
  await service.stop();
}, 60_000);

/** Returns the output of the command until it listens. */
async function startOutput(more: Record<string, string>): Promise<string> {
  const { assembly, node } = synthesized;
  const started = spawnStart(
    { PORT: '0', DATABASE_FILE: ':memory:', ...more },
    ['--assembly', assembly, '--any-node'],
    {
      command: 'start-synthesized',
      node,
    },
  );
  await untilItListens(started);
  started.process.kill('SIGTERM');
  expect(await started.ended()).toBe(0);
  return started.output();
}

test('prints how to get a token when the issuer of the templates is unreachable', async () => {
  const output = await startOutput({});
  const isShown = [
    '/.well-known/openid-configuration failed: ',
    'oauth2/token',
    '--authentication-issuer',
    '-c authentication=none',
  ].map((part) => output.includes(part));
  expect(isShown).toEqual(isShown.map(() => authentication !== 'none'));
});

test('prints no help for tokens when the issuer is reachable', async () => {
  const { AUTHENTICATION_ISSUER = '', AUTHENTICATION_AUDIENCE = '' } = environment;
  const output = await startOutput({ AUTHENTICATION_ISSUER, AUTHENTICATION_AUDIENCE });
  expect(output).not.toContain('oauth2/token');
});

test('no function calls DynamoDB without permission', () => {
  for (const [name, { refused }] of permissions()) expect([name, ...refused]).toEqual([name]);
});

test('no function has a permission that it never uses', () => {
  const all = permissions();
  expect(all.size).toBeGreaterThan(routes.length);
  for (const [name, { used, unused }] of all) {
    expect([name, ...[...unused].filter((permission) => !used.has(permission))]).toEqual([name]);
  }
});
