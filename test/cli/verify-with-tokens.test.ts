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

test('a token that sees all fails', async () => {
  const all = await issuer.token({ sub: 'other', scope: [...scopes, 'all-projects'].join(' ') });
  expect((await verify(all)).code).toBe(1);
});
