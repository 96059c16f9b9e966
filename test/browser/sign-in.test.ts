import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { Service } from '#lib/local/service.ts';
import type { SignInIssuer } from '#lib/local/sign-in/issuer.ts';
import { startResponder, type TestServer } from '../support/http-server.ts';
import { startTestService } from '../support/local-service.ts';
import { testWorker } from '../support/test-worker.ts';
import { startChromium } from './chromium.ts';

/** Signs in with the web app of the guide on authentication, as it stands there, and the page of the local issuer. */

const root = join(__dirname, '../..');

let browser: Browser;
let issuer: SignInIssuer;
let service: Service;
let server: TestServer;
let page: Page;
let errors: string[];

/** Returns the module of the guide, for another issuer. */
function moduleOfGuide(): string {
  const guide = readFileSync(join(root, 'docs/guides/authentication.md'), 'utf8');
  const [, source = ''] = /```ts\n(import \* as oauth [^`]*(?:`\$[^`]*`[^`]*)?)```/.exec(guide) ?? [];
  expect(source).toContain('http://localhost:3001');
  return source.replace('http://localhost:3001', issuer.url);
}

const app = (url: string): string => `
import { completeSignIn, signIn } from './sign-in.ts';

if (location.pathname === '/callback') {
  const token = await completeSignIn();
  const response = await fetch('${url}/v1/users/me', { headers: { authorization: 'Bearer ' + token } });
  window.me = await response.json();
} else {
  document.querySelector('button').addEventListener('click', signIn);
}`;

async function bundle(): Promise<string> {
  const guide: Plugin = {
    name: 'guide',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^\.\/sign-in\.ts$/ }, ({ path }) => ({ path, namespace: 'guide' }));
      onLoad({ filter: /./, namespace: 'guide' }, () => ({
        contents: moduleOfGuide(),
        resolveDir: root,
        loader: 'ts',
      }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: app(service.url), resolveDir: root },
    plugins: [guide],
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
      : ['text/html', '<button>Sign in</button><script type="module" src="/app.js"></script>'];
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

test.each(['localhost', '127.0.0.1'])('a person signs in from a page on %s', async (host) => {
  await page.goto(`http://${host}:${server.port}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Tenant').fill('globex');
  await page.getByLabel('Subject').fill('ada');
  await page.getByLabel('viewer').check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/callback?*');
  await page.waitForFunction('window.me');
  const expected = { subject: 'ada', tenant: 'globex', scopes: ['tasks:read'], user: null };
  expect(await page.evaluate('window.me')).toEqual(expected);
  expect(errors).toEqual([]);
});
