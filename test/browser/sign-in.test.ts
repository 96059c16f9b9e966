import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { Service } from '#lib/local/service.ts';
import type { SignInIssuer } from '#lib/local/sign-in/issuer.ts';
import { compilerMessages } from '../support/compiler.ts';
import { startResponder, type TestServer } from '../support/http-server.ts';
import { startTestService } from '../support/local-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testWorker } from '../support/test-worker.ts';
import { startChromium } from './chromium.ts';

/** Signs in with the web app of the guide on authentication, as it stands there, and the page of the local issuer. */

const root = join(__dirname, '../..');
const folder = temporaryFolder();

let browser: Browser;
let issuer: SignInIssuer;
let service: Service;
let server: TestServer;
let page: Page;
let errors: string[];
/** The addresses of the pages that the browser opened at the issuer. */
let issuerPages: string[];

/** Returns the example of the guide that contains a text. */
function exampleOfGuide(text: string): string {
  const guide = readFileSync(join(root, 'docs/guides/authentication.md'), 'utf8');
  const examples = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, source = '']) => source);
  return examples.find((source) => source.includes(text)) ?? '';
}

/** Writes the app of the guide, for the issuer and the service of this file. @returns a module that also exports what signs in. */
async function writeApp(): Promise<string> {
  const signIn = exampleOfGuide("from 'oauth4webapi'").replace('http://localhost:3001', issuer.url);
  const main = exampleOfGuide("from './sign-in.ts'").replace('http://localhost:3000', service.url);
  expect([signIn, main]).toEqual([expect.stringContaining(issuer.url), expect.stringContaining(service.url)]);
  await writeFile(join(folder, 'sign-in.ts'), signIn);
  await writeFile(join(folder, 'main.ts'), main);
  await writeFile(join(folder, 'app.ts'), "import './main.ts';\nexport * from './sign-in.ts';\n");
  return join(folder, 'app.ts');
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    alias: { 'project-management-client': join(root, 'client/index.ts') },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

beforeAll(async () => {
  [browser, issuer] = await Promise.all([
    startChromium(),
    testWorker().then((worker) => worker.startSignIn()),
  ]);
  service = await startTestService({ authentication: { issuer: issuer.url, audience: [issuer.audience] } });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const script = await bundle(await writeApp());
  server = await startResponder(({ url }) => {
    const [type, body] = url?.endsWith('.js')
      ? ['text/javascript', script]
      : ['text/html', '<!doctype html><body><script type="module" src="/app.js"></script>'];
    return { headers: { 'content-type': type }, body };
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await service?.stop();
  await issuer?.stop();
});

beforeEach(async () => {
  [errors, issuerPages] = [[], []];
  page = await browser.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('framenavigated', (frame) => {
    if (frame.url().startsWith(issuer.url)) issuerPages.push(frame.url());
  });
});

afterEach(() => page.close());

const ada = { subject: 'ada', tenant: 'globex', scopes: ['tasks:read'], user: null };

/** The address of a page of the app, which differs from the redirect address. */
const pageOn = (host: string): string => `http://${host}:${server.port}/tasks?page=2#last`;

const click = (name: string): Promise<void> => page.getByRole('button', { name }).click();

/** Returns whom the service names to the app after an action. */
async function personAfter(action: () => Promise<unknown>): Promise<unknown> {
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.url() === `${service.url}/v1/users/me` && one.status() === 200),
    action(),
  ]);
  return response.json();
}

/** Signs in on the page of the issuer. */
async function signInAsAda(): Promise<void> {
  await page.waitForURL(`${issuer.url}/**`);
  await page.getByLabel('Tenant').fill('globex');
  await page.getByLabel('Subject').fill('ada');
  await page.getByLabel('viewer').check();
  await click('Sign in');
}

/** Opens the app and signs in. */
async function openSignedIn(host = 'localhost'): Promise<unknown> {
  await page.goto(pageOn(host));
  await click('Sign in');
  return personAfter(signInAsAda);
}

/** Lets the clock of the page reach the end of a token, which is valid for an hour. */
const expireToken = (): Promise<void> => page.clock.setSystemTime(Date.now() + 3_600_000);

/** Changes the session of a tab. Without a refresh token, it is as that of an issuer that issues none. */
const changeSession = (changes: { expires: number } | { refreshToken: string }, tab = page): Promise<void> =>
  tab.evaluate(
    `sessionStorage.setItem('session', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('session')), ...${JSON.stringify(changes)} }))`,
  );

test("the app compiles with the compiler options of Vite's template", async () => {
  const options = {
    target: 'es2022',
    lib: ['es2022', 'dom'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    verbatimModuleSyntax: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    erasableSyntaxOnly: true,
    noFallthroughCasesInSwitch: true,
    noUncheckedSideEffectImports: true,
  };
  expect(await compilerMessages(folder, ['app.ts'], options)).toBe('');
});

test.each(['localhost', '127.0.0.1'])(
  'a person signs in from a page on %s, and returns to it',
  async (host) => {
    expect(await openSignedIn(host)).toEqual(ada);
    expect(page.url()).toBe(pageOn(host));
    expect(errors).toEqual([]);
  },
);

test.each([-60, 3_900])('a person signs in with a clock that is %d seconds wrong', async (seconds) => {
  await page.addInitScript(`const { now } = Date; Date.now = () => now() + ${seconds * 1_000};`);
  expect(await openSignedIn()).toEqual(ada);
});

test('the page shows why a sign-in fails', async () => {
  // An issuer that does not show its clock to pages.
  await page.route(`${issuer.url}/token`, async (route) => {
    const response = await route.fetch();
    const { date: _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await page.addInitScript('const { now } = Date; Date.now = () => now() - 60_000;');
  await page.goto(pageOn('localhost'));
  await click('Sign in');
  await signInAsAda();
  await page.getByText('Sign-in failed: unexpected JWT "nbf"').waitFor();
  await page.context().setOffline(true);
  await click('Sign in');
  await page.getByText('Sign-in failed: Failed to fetch').waitFor();
  expect(errors).toEqual([]);
});

test('a person who reloads the page stays signed in', async () => {
  await openSignedIn();
  issuerPages = [];
  expect(await personAfter(() => page.reload())).toEqual(ada);
  expect(issuerPages).toEqual([]);
});

test('an expired token is renewed on the page of an issuer without refresh tokens, which leads back', async () => {
  await openSignedIn();
  await changeSession({ refreshToken: '' });
  await expireToken();
  await page.reload();
  await page.waitForURL(`${issuer.url}/**`);
  await page.clock.setSystemTime(Date.now());
  expect(await personAfter(signInAsAda)).toEqual(ada);
  expect(page.url()).toBe(pageOn('localhost'));
  expect(errors).toEqual([]);
});

/** Collects the refresh tokens that a page uses. */
function usedRefreshTokens(tab = page): unknown[] {
  const used: unknown[] = [];
  tab.on('request', (request) => {
    const form = new URLSearchParams(request.postData() ?? '');
    if (form.get('grant_type') === 'refresh_token') used.push(form.get('refresh_token'));
  });
  return used;
}

const renewed = (tab: Page): Promise<string> =>
  tab.evaluate<string>("import('/app.js').then(({ accessToken }) => accessToken())");

test('an expired token is renewed with the last refresh token, once for requests at the same time', async () => {
  const used = usedRefreshTokens();
  await openSignedIn();
  issuerPages = [];
  await changeSession({ expires: 0 });
  expect(await personAfter(() => page.reload())).toEqual(ada);
  await changeSession({ expires: 0 });
  const [first, second] = await page.evaluate<string[]>(
    "import('/app.js').then(({ accessToken }) => Promise.all([accessToken(), accessToken()]))",
  );
  expect(second).toBe(first);
  expect([used.length, new Set(used).size]).toEqual([2, 2]);
  expect(issuerPages).toEqual([]);
  expect(errors).toEqual([]);
});

test('a duplicated tab and the first one renew their tokens with one refresh token, and then with their own', async () => {
  await openSignedIn();
  const [copy] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate('void window.open(location.href)'),
  ]);
  await copy.getByRole('button', { name: 'Sign out' }).waitFor();
  const [ofFirst, ofCopy] = [usedRefreshTokens(), usedRefreshTokens(copy)];
  for (const _ of [1, 2]) {
    for (const tab of [page, copy]) await changeSession({ expires: 0 }, tab);
    const [one, other] = await Promise.all([renewed(page), renewed(copy)]);
    expect(one).not.toBe(other);
  }
  expect(ofFirst[0]).toBe(ofCopy[0]);
  expect(ofFirst[1]).not.toBe(ofCopy[1]);
  expect([ofFirst.length, ofCopy.length]).toEqual([2, 2]);
  await copy.close();
});

test('a refresh token that the issuer refuses leads to the page of the issuer', async () => {
  await openSignedIn();
  await changeSession({ refreshToken: 'unknown' });
  await expireToken();
  await page.reload();
  await page.waitForURL(`${issuer.url}/**`);
  expect(errors).toEqual([]);
});

test('a new sign-in replaces the session', async () => {
  await openSignedIn();
  await page.evaluate("void import('/app.js').then(({ signIn }) => signIn())");
  await page.waitForURL(`${issuer.url}/**`);
  await page.getByLabel('Subject').fill('grace');
  expect(await personAfter(() => click('Sign in'))).toMatchObject({ subject: 'grace' });
});

test('a person signs out', async () => {
  await openSignedIn();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await click('Sign out');
  await page.waitForURL(`http://localhost:${server.port}/`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goto(pageOn('localhost'));
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(requests).toContainEqual(expect.stringContaining(`${issuer.url}/endsession?`));
  expect(requests).not.toContainEqual(expect.stringContaining('/v1/users/me'));
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('a renewal that the issuer refuses ends the session, and leads back to the page', async () => {
  await openSignedIn();
  await changeSession({ refreshToken: '' });
  await expireToken();
  await page.reload();
  await page.waitForURL(`${issuer.url}/**`);
  const state = new URL(page.url()).searchParams.get('state');
  await page.goto(`http://localhost:${server.port}/?error=access_denied&state=${state}`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(page.url()).toBe(pageOn('localhost'));
});

test('a page ignores the response to a sign-in of another tab', async () => {
  await page.goto(`http://localhost:${server.port}/?code=of-another-person&state=unknown`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(errors).toEqual([]);
});
