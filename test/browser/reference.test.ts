import type { Browser, Page } from 'playwright-core';
import { catalogue } from '../../functions/shared/http/problems.ts';
import type { Service } from '../../lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';
import { startChromium } from './chromium.ts';

/** The static pages in a browser. */

let browser: Browser;
let service: Service;
let page: Page;

/** Errors of the page, and its requests to other hosts. */
let errors: string[];

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startTestService()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

beforeEach(async () => {
  errors = [];
  page = await browser.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('requestfailed', (request) => errors.push(`failed: ${request.url()}`));
  // Blocks all requests except those to the service.
  await page.route('**/*', async (route) => {
    if (new URL(route.request().url()).origin === service.url) return route.continue();
    errors.push(`request to another host: ${route.request().url()}`);
    return route.abort();
  });
});

afterEach(() => page.close());

/** Opens an operation of the reference and sends its example, or another body. @returns the shown response. */
async function execute(id: string, body?: string): Promise<string> {
  const operation = page.locator(`#operations-${id}`);
  await operation.locator('.opblock-summary').click();
  if (body !== undefined) await operation.locator('textarea').fill(body);
  await operation.getByRole('button', { name: 'Execute' }).click();
  return operation.locator('.live-responses-table .response').innerText();
}

test('the reference loads without errors and without requests to other hosts', async () => {
  await page.goto(`${service.url}/docs`);
  await page.locator('#operations-Tasks-listTasks').waitFor();
  expect(await page.locator('.opblock').count()).toBeGreaterThan(40);
  expect(errors).toEqual([]);
});

test('the example requests of the reference succeed', async () => {
  await page.goto(`${service.url}/docs`);
  expect(await execute('Organizations-createOrganization')).toMatch(/^201[\s\S]*"name": "Acme"/);
  expect(await execute('Tasks-createTask')).toMatch(/^201/);
  expect(await execute('Tasks-listTasks')).toMatch(/^200[\s\S]*"total": 1/);
  expect(errors).toEqual([]);
});

test('the reference shows a problem, and its type links to the explanation', async () => {
  await page.goto(`${service.url}/docs`);
  const shown = await execute('Tasks-createTask', '{"nmae":"x"}');
  expect(shown).toMatch(/^400[\s\S]*Did you mean/);
  const type = /"type": "(.*?)"/.exec(shown)?.[1] ?? '';
  await page.goto(service.url + type);
  expect(await page.locator('section:target h2').innerText()).toBe(catalogue['invalid-request'].title);
});

test('the problems page has a section for every problem type', async () => {
  await page.goto(`${service.url}/docs/problems`);
  const sections = await page.locator('section').evaluateAll((found) => found.map(({ id }) => id));
  expect(sections).toEqual(Object.keys(catalogue));
  expect(errors).toEqual([]);
});

test('the start page links to all pages', async () => {
  await page.goto(service.url);
  const links = await page
    .locator('main a')
    .evaluateAll((found) => found.map((link) => link.getAttribute('href')));
  expect(links).toEqual(['/docs', '/docs/problems', '/v1/openapi.json', '/v1/health']);
  for (const link of links) expect((await fetch(service.url + link)).status).toBe(200);
  expect(errors).toEqual([]);
});

test.each([1280, 390])('no page is wider than a window of %d pixels', async (width) => {
  await page.setViewportSize({ width, height: 900 });
  for (const path of ['/', '/docs', '/docs/problems']) {
    await page.goto(service.url + path);
    if (path === '/docs') await page.locator('.opblock').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
});
