import { audience, type Issuer, startIssuer } from '../support/issuer.ts';
import { startTestService } from '../support/local-service.ts';
import { runProgram } from './run.ts';

const scopes = ['organizations', 'projects', 'users', 'tasks', 'tags'].flatMap((plural) => [
  `${plural}:read`,
  `${plural}:write`,
]);

let issuer: Issuer;
let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startTestService({ authentication: { issuer: issuer.url, audience: [audience] } });
});

afterAll(async () => {
  await service.stop();
  await issuer.stop();
});

const verify = async (other: string) => {
  const all = await issuer.token({ sub: 'administrator', scope: [...scopes, 'all-projects'].join(' ') });
  return runProgram('verify', [
    ...[service.url, '--only', 'private-projects', '--token', all],
    ...['--other-token', other],
  ]);
};

test('two users show whether private projects are hidden', async () => {
  const other = await issuer.token({ sub: 'other', scope: scopes.join(' ') });
  expect(await verify(other)).toMatchObject({ code: 0, errors: expect.stringMatching(/2 passed, 2 total/) });
});

test('a refused token, and one that lacks a scope, are refused before the first test', async () => {
  const viewer = await issuer.token({ sub: 'viewer', scope: 'tasks:read' });
  for (const [token, message] of [
    ['wrong', /^401 /],
    [viewer, /^The token lacks organizations:read, /],
  ] as const)
    expect(await runProgram('verify', [service.url, '--token', token])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(message),
    });
});

test('a token names who has deleted something', async () => {
  const token = await issuer.token({ sub: 'administrator', scope: [...scopes, 'all-projects'].join(' ') });
  const flags = [service.url, '--token', token, '--only', 'deleted-entities'];
  expect(await runProgram('verify', flags)).toMatchObject({ code: 0 });
}, 120_000);

test('a token that sees all fails', async () => {
  const all = await issuer.token({ sub: 'other', scope: [...scopes, 'all-projects'].join(' ') });
  expect((await verify(all)).code).toBe(1);
});
