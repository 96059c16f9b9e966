import { join } from 'node:path';
import { createClient } from '#client/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './run.ts';
import { killLeftovers, start } from './started-service.ts';

/** `npm start -- --sign-in`, and `npx pm-api token local`. */

const folder = temporaryFolder();
afterEach(killLeftovers);

async function tokenOf(...flags: readonly string[]): Promise<string> {
  const { code, output } = await run('token', ['local', ...flags]);
  expect([code, output]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
  return output.trim();
}

test('a local service with an issuer requires its tokens, which the command prints', async () => {
  const service = await start({ DATABASE_FILE: ':memory:' }, ['--sign-in']);
  const said = await service.printed(
    /Sign in: (\S+) is the issuer of tokens\. "npx pm-api token local --url (\S+)"/,
  );
  expect(said).toContain(service.url);
  const me = (token = '') =>
    fetch(`${service.url}/v1/users/me`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  expect((await me()).status).toBe(401);
  const usual = await me(await tokenOf('--url', service.url));
  expect(await usual.json()).toMatchObject({ tenant: 'acme', user: null });
  expect(await run('token', ['local', '--url', service.url, '--scope', 'all-projects'])).toMatchObject({
    code: 2,
    errors: expect.stringContaining('needs --role admin'),
  });
  const flags = '--tenant globex --subject bob --role viewer --scope tasks:read --scope tasks:write';
  const other = await me(await tokenOf('--url', service.url, ...flags.split(' ')));
  const expected = { subject: 'bob', tenant: 'globex', scopes: ['tasks:read'], user: null };
  expect(await other.json()).toEqual(expected);
  await service.stop();
});

test('a token survives a restart, and its tenant has what the command seeded', async () => {
  const file = { DATABASE_FILE: join(folder, 'kept', 'database.sqlite') };
  const first = await start(file, ['--sign-in']);
  const said = await first.printed(/Sign in: http:\/\/localhost:\d+/);
  const token = await tokenOf('--url', first.url);
  await first.stop();
  const second = await start(file, ['--sign-in', '--sign-in-port', said.replace(/.*:/, '')]);
  const amounts = '--organizations 1 --users 2 --tags 1 --projects 9 --tasks 20 --url'.split(' ');
  // Nothing is created with a token that cannot create all of it.
  expect(await run('seed', [...amounts, second.url, '--token', token])).toMatchObject({
    code: 1,
    errors: expect.stringContaining('lacks the scope "all-projects"'),
  });
  expect((await createClient({ url: second.url, token }).organizations.list()).total).toBe(0);
  expect(await run('seed', [...amounts, second.url])).toMatchObject({ code: 0, errors: '' });
  const client = createClient({ url: second.url, token });
  // The first user is the one who signs in, and has tasks.
  const { user } = await client.me();
  expect((await client.tasks.list({ userId: user?.id })).total).toBeGreaterThan(0);
  // A third of the projects is private.
  const stranger = createClient({
    url: second.url,
    token: await tokenOf('--url', second.url, '--subject', 'stranger'),
  });
  const { total } = await stranger.tasks.list();
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(20);
  const data = ['--url', second.url, '--output', join(folder, 'data')];
  expect(await run('export', data)).toMatchObject({
    code: 0,
    errors: expect.stringContaining('Wrote 20 tasks'),
  });
  const refused = await run('export', [...data, '--token', 'refused']);
  expect(refused).toMatchObject({ code: 1, errors: expect.stringMatching(/^401 .*npx pm-api token.*\n$/) });
  await second.stop();
});
