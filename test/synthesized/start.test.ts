import { setTimeout as delay } from 'node:timers/promises';
import { killLeftovers, spawnStart, untilItListens } from '../cli/started-service.ts';
import { readConfiguration } from './configuration.ts';
import { fromEnvironment, type Synthesized, startSynthesized } from './synthesized-service.ts';

/** `npm run start:synthesized`, beside the contract tests, which this project runs on the synthesized stacks as well. */

const { authentication } = readConfiguration();
const synthesized = fromEnvironment() as Synthesized;

afterEach(killLeftovers);

test('the schedule runs all jobs when the stream is not read', async () => {
  const service = await startSynthesized(synthesized, { flags: ['--without-stream'] });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${process.env['TOKEN']}` };
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
  // The job has cleared the reference of each user.
  expect(await call('GET', `/v1/organizations/${organizationId}/users`)).toMatchObject({ total: 0 });
  await service.stop();
});

test('functions run with the CPU share of their memory', async () => {
  const service = await startSynthesized(synthesized, { flags: ['--lambda-cpu'] });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${process.env['TOKEN']}` };
  const body = JSON.stringify({ name: 'A' });
  const created = await fetch(`${service.url}/v1/tasks`, { method: 'POST', headers, body });
  expect(created.status).toBe(201);
  // Several environments of one function.
  const lists = Array.from({ length: 3 }, () => fetch(`${service.url}/v1/tasks`, { headers }));
  for (const response of await Promise.all(lists)) expect(await response.json()).toMatchObject({ total: 1 });
  await service.stop();
});

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
  const output = await startOutput({ AUTHENTICATION_ISSUER: '', AUTHENTICATION_AUDIENCE: '' });
  const isShown = [
    '/.well-known/openid-configuration failed: ',
    'oauth2/token',
    '--authentication-issuer',
    '-c authentication=none',
  ].map((part) => output.includes(part));
  expect(isShown).toEqual(isShown.map(() => authentication !== 'none'));
});

test('prints no help for tokens when the issuer is reachable', async () => {
  const output = await startOutput({});
  expect(output).not.toContain('oauth2/token');
});
