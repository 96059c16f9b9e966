import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { createClient } from '#client/index.ts';
import type { Service } from '#lib/local/service.ts';
import type { SignInIssuer } from '#lib/local/sign-in/issuer.ts';
import { proposed } from '#lib/tokens/local-grant.ts';
import { localToken } from '#lib/tokens/local-token.ts';
import { startTestService } from '../support/local-service.ts';
import { testWorker } from '../support/test-worker.ts';
import { startChromium, violationsOf } from './chromium.ts';

/** The documentation in a browser, as `npm run site` builds it. */

let browser: Browser;
let service: Service;
/** A service that requires tokens, and their issuer. */
let guarded: Service | undefined;
let issuer: SignInIssuer | undefined;
let page: Page;

/** Where the page may send requests. */
let origins: string[];

/** Errors of the page, also of its content security policy, and its requests to other hosts. */
let errors: string[];

beforeAll(async () => {
  const build = ['bin/pm-api.mjs', 'site'];
  await promisify(execFile)(process.execPath, build, { cwd: join(__dirname, '../..') });
  [browser, service] = await Promise.all([startChromium(), startTestService()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await guarded?.stop();
  await issuer?.stop();
});

beforeEach(async () => {
  errors = [];
  origins = [service.url];
  page = await browser.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('requestfailed', (request) =>
    errors.push(`failed: ${request.url()}, ${request.failure()?.errorText}`),
  );
  // Blocks all requests except those to the service, and to its issuer.
  await page.route('**/*', async (route) => {
    if (origins.includes(new URL(route.request().url()).origin)) return route.continue();
    errors.push(`request to another host: ${route.request().url()}`);
    return route.abort();
  });
});

afterEach(() => page.close());

test('a reader follows a guide, searches an operation and opens its page', async () => {
  await page.goto(`${service.url}/docs`);
  await page.locator('main').getByRole('link', { name: 'Lists and filters' }).first().click();
  await page.waitForURL('**/docs/guides/lists-and-filters');
  await page.locator('h1', { hasText: 'Lists and filters' }).waitFor();

  await page.keyboard.press('Control+k');
  await page.locator('.VPLocalSearchBox input').fill('clone a project');
  await page.locator('.VPLocalSearchBox a.result[href*="/docs/reference/cloneProject"]').first().click();
  await page.waitForURL('**/docs/reference/cloneProject*');
  await page.locator('h1', { hasText: 'Clone a project' }).waitFor();
  await page.locator('main a[href="/docs/problems#clone-too-large"]').click();
  await page.waitForURL('**/docs/problems#clone-too-large');
  await page.locator('[id="clone-too-large"]').waitFor();
  expect(errors).toEqual([]);
});

test.each(['/docs', '/docs/reference'])('%s#<operation> opens the page of the operation', async (path) => {
  await page.goto(`${service.url}${path}#listTasks`);
  await page.waitForURL('**/docs/reference/listTasks');
  await page.locator('h1', { hasText: 'List tasks' }).waitFor();
  expect(errors).toEqual([]);
});

test('samples have the address of the service, and ids of its entities', async () => {
  const { id } = await createClient({ url: service.url }).tags.create({ name: 'design' });
  await page.goto(`${service.url}/docs/reference/readTag`);
  const sample = page.locator('.vp-code-group .active');
  await sample.getByText(id).first().waitFor();
  expect(await sample.innerText()).toContain(`${service.url}/v1/tags/${id}`);
  await page.locator('.vp-code-group label', { hasText: 'Python' }).click();
  expect(await sample.innerText()).toContain('import requests');
  // A page that is opened by a link changes too.
  await page.locator('.VPNavBar a[href="/docs/guides/getting-started"]').click();
  await page.waitForURL('**/docs/guides/getting-started');
  await page.locator('main').getByText(`${service.url}/v1/tasks`).first().waitFor();
  expect(await page.locator('main').innerText()).not.toContain('api.example.com');
  expect(errors).toEqual([]);
});

test('a form sends the request that it shows, with an id of the service, and asks before it deletes', async () => {
  const client = createClient({ url: service.url });
  const { id } = await client.tags.create({ name: 'form' });
  for (const { id: other } of (await client.tags.list()).data)
    if (other !== id) await client.tags.delete(other);

  await page.goto(`${service.url}/docs/reference/updateTag`);
  const form = page.locator('.try-it');
  await form.locator('summary').click();
  await form.locator('textarea').fill('{ "name": ');
  await form.getByText('The body is not JSON').waitFor();
  expect(await form.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  await form.locator('textarea').fill('{ "name": "sent" }');
  await form.getByLabel('The request').getByText(`${service.url}/v1/tags/${id}`).waitFor();
  await form.getByLabel('Token').fill('secret');
  expect(await form.getByLabel('The request').innerText()).toContain('Bearer $TOKEN');
  expect(await form.getByLabel('The request').innerText()).not.toContain('secret');
  await form.getByLabel('Token').fill('');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText('200 OK').waitFor();
  expect((await client.tags.get(id)).name).toBe('sent');

  await page.goto(`${service.url}/docs/reference/listTags`);
  await form.locator('summary').click();
  await form.getByRole('button', { name: 'Send' }).waitFor();
  const ofSample = form.getByRole('button', { name: 'Remove the filter' });
  while ((await ofSample.count()) > 0) await ofSample.first().click();
  await form.getByRole('button', { name: 'Add a filter' }).click();
  await form.getByLabel('Field').last().selectOption('name');
  await form.getByLabel('Operator').last().selectOption('begins with');
  await form.getByLabel('Value').last().fill('se');
  expect(await form.getByLabel('The request').innerText()).toContain("-d 'name[startsWith]=se'");
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByLabel('The response').getByText('"sent"').waitFor();

  await page.goto(`${service.url}/docs/reference/replaceTag`);
  await form.locator('summary').click();
  await form.getByLabel('The request').getByText(id).waitFor();
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText('Replace all fields of “sent” with this body?').waitFor();
  await form.getByRole('button', { name: 'Keep it' }).click();
  expect((await client.tags.get(id)).name).toBe('sent');

  await page.goto(`${service.url}/docs/reference/deleteTag`);
  await form.locator('summary').click();
  await form.getByLabel('The request').getByText(id).waitFor();
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText('Delete “sent”, and what belongs to it?').waitFor();
  await form.getByRole('button', { name: 'Keep it' }).click();
  expect((await client.tags.get(id)).name).toBe('sent');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByRole('button', { name: 'Delete it' }).click();
  await form.getByText('204').waitFor();

  const { id: batched } = await client.tags.create({ name: 'batched' });
  await page.goto(`${service.url}/docs/reference/batchTags`);
  await form.locator('summary').click();
  await form.locator('textarea').fill(JSON.stringify({ operations: [{ operation: 'delete', id: batched }] }));
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText('Delete this entity, and what belongs to it?').waitFor();
  expect((await client.tags.get(batched)).name).toBe('batched');
  expect(await violationsOf(page, 'main')).toEqual([]);
  expect(errors).toEqual([]);
});

test.each([
  '/docs',
  '/docs/guides/mobile-apps',
  '/docs/reference',
  '/docs/reference/listTasks',
  '/docs/problems',
])('%s is readable on a phone in dark mode', async (path) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(service.url + path);
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(27, 27, 31)');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  expect(await violationsOf(page, 'main')).toEqual([]);
  expect(errors).toEqual([]);
});

test('parts of an address and of a filter are whole on a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${service.url}/docs/reference/listTasks`);
  const parts = page.locator('.vp-doc code > span', { hasText: /^dueDate\[lte\]=[\d-]+&$/ });
  expect(await parts.count()).toBe(1);
  // One line has 24 pixels.
  expect((await parts.boundingBox())?.height).toBeLessThan(40);
  const form = page.locator('.try-it');
  await form.locator('summary').first().click();
  await form.getByLabel('Field', { exact: true }).first().selectOption('parentId');
  await form.getByLabel('Operator', { exact: true }).first().selectOption('is none of');
  const widths = `[...document.querySelectorAll('.try-it .filter select')].map((one) => {
    const { width } = one.getBoundingClientRect();
    one.style.width = 'max-content';
    return width >= one.getBoundingClientRect().width;
  })`;
  expect(await page.evaluate(widths)).not.toContain(false);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(errors).toEqual([]);
});

test('an address that does not exist is a page with a way back', async () => {
  const response = await page.goto(`${service.url}/docs/typo`);
  expect(response?.status()).toBe(404);
  await page.locator('.NotFound').getByRole('link', { name: 'Start page' }).click();
  await page.locator('h1', { hasText: 'Project management API' }).waitFor();
  expect(page.url()).toBe(`${service.url}/docs`);
});

test('a form signs in, keeps the token for other pages, and says what to do about a refused one', async () => {
  issuer = await (await testWorker()).startSignIn();
  const authentication = { issuer: issuer.url, audience: [issuer.audience], isLocal: true };
  guarded = await startTestService({ authentication });
  origins = [guarded.url, issuer.url];
  const client = createClient({ url: guarded.url, token: await localToken(issuer.url) });

  // Programs add parameters to links.
  await page.goto(`${guarded.url}/docs/reference/createTag?utm_source=mail`);
  const form = page.locator('.try-it');
  const send = form.getByRole('button', { name: 'Send' });
  await form.locator('summary').first().click();
  await send.click();
  await form.getByText('npx pm-api token local').waitFor();
  await form.getByRole('button', { name: 'Sign in' }).click();
  await form.getByText(`Signed in as ${proposed.subject}, with 10 scopes.`).waitFor();
  expect(await form.getByText('npx pm-api token local').count()).toBe(0);
  await form.getByRole('button', { name: 'Sign out' }).click();
  expect(await form.getByLabel('Token').inputValue()).toBe('');
  await form.getByRole('button', { name: 'Sign in' }).click();
  await form.locator('textarea').fill('{ "name": "signed in" }');
  const sentKeys: (string | undefined)[] = [];
  page.on('request', (one) => {
    if (one.method() === 'POST') sentKeys.push(one.headers()['idempotency-key']);
  });
  for (const _ of ['first', 'second'])
    await Promise.all([page.waitForResponse((one) => one.status() === 201), send.click()]);
  expect(new Set(sentKeys).size).toBe(2);
  const [{ id } = { id: '' }] = (await client.tags.list()).data;
  expect((await client.tags.list()).total).toBe(2);

  await page.goto(`${guarded.url}/docs/reference/deleteTag`);
  await page.locator('.vp-code-group .active').getByText(id).first().waitFor();
  await form.locator('summary').first().click();
  await form.getByLabel('The request').getByText(id).waitFor();
  const viewer = { tenant: 'acme', subject: 'bob', roles: ['viewer'] };
  await form.getByLabel('Token').fill(await localToken(issuer.url, viewer));
  await form.getByText('Signed in as bob, with 5 scopes.').waitFor();
  await send.click();
  await form.getByRole('button', { name: 'Delete it' }).click();
  await form.getByText('lacks the scope "tags:write"').waitFor();
  expect(await violationsOf(page, 'main')).toEqual([]);
  // The browser reports each response of 401 and 403.
  expect(errors.filter((text) => !/status of 40[13]/.test(text))).toEqual([]);
});
