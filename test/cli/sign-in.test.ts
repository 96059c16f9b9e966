import { run } from './run.ts';
import { killLeftovers, start } from './started-service.ts';

/** `npm start -- --sign-in`, and `npx pm-api token local`. */

afterEach(killLeftovers);

async function tokenOf(...flags: readonly string[]): Promise<string> {
  const { code, output } = await run('token', ['local', ...flags]);
  expect([code, output]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
  return output.trim();
}

test('a local service with an issuer requires its tokens, which the command prints', async () => {
  const service = await start({ DATABASE_FILE: ':memory:' }, ['--sign-in']);
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
