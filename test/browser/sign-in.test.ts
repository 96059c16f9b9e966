import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { localToken } from '#lib/cli/local-token.ts';
import type { Service } from '#lib/local/service.ts';
import type { SignInIssuer } from '#lib/local/sign-in/issuer.ts';
import { startResponder, type TestServer } from '../support/http-server.ts';
import { startTestService } from '../support/local-service.ts';
import { testWorker } from '../support/test-worker.ts';
import { startChromium } from './chromium.ts';

/** Signs in with the module of the guide on authentication and the page of the local issuer. */

const root = join(__dirname, '../..');

let browser: Browser;
let issuer: SignInIssuer;
let service: Service;
let server: TestServer;
let page: Page;
let errors: string[];

const app = (url: string): string => `
import { accessToken, completeSignIn, signIn, signOut } from './examples/offline-app/src/sign-in.ts';

await completeSignIn();
const [token] = await Promise.all([accessToken(), accessToken()]);
const button = document.querySelector('button');
button.textContent = token ? 'Sign out' : 'Sign in';
button.addEventListener('click', token ? signOut : signIn);
if (token) {
  const response = await fetch('${url}/v1/users/me', { headers: { authorization: 'Bearer ' + token } });
  window.me = await response.json();
}`;

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: app(service.url), resolveDir: root },
    define: { 'import.meta.env': JSON.stringify({ VITE_ISSUER_URL: issuer.url }) },
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
  const script = await bundle();
  server = await startResponder(({ url }) => {
    const [type, body] = url?.endsWith('.js')
      ? ['text/javascript', script]
      : ['text/html', '<button></button><script type="module" src="/app.js"></script>'];
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
  errors = [];
  page = await browser.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
});

afterEach(() => page.close());

const button = (name: string) => page.getByRole('button', { name });

/** Chooses a person on the page of the issuer. */
async function choosePerson(): Promise<void> {
  await page.getByLabel('Tenant').fill('globex');
  await page.getByLabel('Subject').fill('ada');
  await page.getByLabel('viewer').check();
  await button('Sign in').click();
}

const expected = { subject: 'ada', tenant: 'globex', scopes: ['tasks:read'], user: null };

async function expectSignedIn(address: string): Promise<void> {
  await page.waitForURL(address);
  await button('Sign out').waitFor();
  await page.waitForFunction('window.me');
  expect(await page.evaluate('window.me')).toEqual(expected);
}

test.each(['localhost', '127.0.0.1'])('a person signs in and out on a page on %s', async (host) => {
  const address = `http://${host}:${server.port}/tasks?status=active`;
  await page.goto(address);
  await button('Sign in').click();
  await choosePerson();
  await expectSignedIn(address);
  // A reload keeps the session, and does not ask again.
  await page.reload();
  await expectSignedIn(address);
  // The issuer gives no refresh token, so it asks when the token expires.
  await page.evaluate(
    "sessionStorage.setItem('session', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('session')), renewAt: 0 }))",
  );
  await page.reload();
  await choosePerson();
  await expectSignedIn(address);
  await button('Sign out').click();
  await button('Sign in').waitFor();
  expect(await page.evaluate('[window.me, sessionStorage.length]')).toEqual([undefined, 0]);
  expect(errors).toEqual([]);
});

test('a session with a refresh token is renewed without a page, once for several requests', async () => {
  const sent: (string | null)[] = [];
  const person = { issuer: issuer.url, tenant: 'globex', subject: 'ada', roles: ['viewer'] };
  const access_token = await localToken({ ...person, scopes: ['tasks:read'] });
  // The development issuer gives no refresh tokens.
  await page.route(`${issuer.url}/token`, async (route) => {
    sent.push(route.request().postData());
    await route.fulfill({
      headers: { 'access-control-allow-origin': '*' },
      json: { access_token, token_type: 'bearer', expires_in: 3_600, refresh_token: 'second' },
    });
  });
  const address = `http://localhost:${server.port}/`;
  await page.goto(address);
  await button('Sign in').waitFor();
  await page.evaluate('sessionStorage.setItem(\'session\', \'{"renewAt":0,"refreshToken":"first"}\')');
  await page.reload();
  await expectSignedIn(address);
  expect(sent).toEqual([expect.stringContaining('refresh_token=first')]);
  expect(await page.evaluate("JSON.parse(sessionStorage.getItem('session')).refreshToken")).toBe('second');
  expect(errors).toEqual([]);
});
