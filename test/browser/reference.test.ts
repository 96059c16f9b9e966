import type { Browser, Page } from 'playwright-core';
import { catalogue } from '../../functions/shared/http/problems.ts';
import type { Service } from '../../lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';
import { startChromium } from './chromium.ts';

/** The pages as people see them. */

let browser: Browser;
let service: Service;
let page: Page;

/** What went wrong in the page, and what it asked of other hosts. */
let troubles: string[];

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startTestService()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

beforeEach(async () => {
  troubles = [];
  page = await browser.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('requestfailed', (request) => troubles.push(`failed: ${request.url()}`));
  // The network is cut: there is only the service.
  await page.route('**/*', async (route) => {
    if (new URL(route.request().url()).origin === service.url) return route.continue();
    troubles.push(`asked elsewhere: ${route.request().url()}`);
    return route.abort();
  });
});

afterEach(() => page.close());

/** Opens an operation of the reference, and sends it as it stands there, or with another body. */
async function execute(id: string, body?: string): Promise<string> {
  const operation = page.locator(`#operations-${id}`);
  await operation.locator('.opblock-summary').click();
  if (body !== undefined) await operation.locator('textarea').fill(body);
  await operation.getByRole('button', { name: 'Execute' }).click();
  return operation.locator('.live-responses-table .response').innerText();
}

test('the reference loads without an error, and asks nothing of other hosts', async () => {
  await page.goto(`${service.url}/docs`);
  await page.locator('#operations-Tasks-listTasks').waitFor();
  expect(await page.locator('.opblock').count()).toBeGreaterThan(40);
  expect(troubles).toEqual([]);
});

test('a request sent from the reference as it stands there succeeds', async () => {
  await page.goto(`${service.url}/docs`);
  expect(await execute('Organizations-createOrganization')).toMatch(/^201[\s\S]*"name": "Acme"/);
  expect(await execute('Tasks-createTask')).toMatch(/^201/);
  expect(await execute('Tasks-listTasks')).toMatch(/^200[\s\S]*"total": 1/);
  expect(troubles).toEqual([]);
});

test('a refusal is shown with its type, and the type leads to its explanation', async () => {
  await page.goto(`${service.url}/docs`);
  const shown = await execute('Tasks-createTask', '{"nmae":"x"}');
  expect(shown).toMatch(/^400[\s\S]*Did you mean/);
  const type = /"type": "(.*?)"/.exec(shown)?.[1] ?? '';
  await page.goto(service.url + type);
  expect(await page.locator('section:target h2').innerText()).toBe(catalogue['invalid-request'].title);
});

test('every type of problem has its section', async () => {
  await page.goto(`${service.url}/docs/problems`);
  const sections = await page.locator('section').evaluateAll((found) => found.map(({ id }) => id));
  expect(sections).toEqual(Object.keys(catalogue));
  expect(troubles).toEqual([]);
});

test('the root leads to all of it', async () => {
  await page.goto(service.url);
  const links = await page
    .locator('main a')
    .evaluateAll((found) => found.map((link) => link.getAttribute('href')));
  expect(links).toEqual(['/docs', '/docs/problems', '/v1/openapi.json', '/v1/health']);
  for (const link of links) expect((await fetch(service.url + link)).status).toBe(200);
  expect(troubles).toEqual([]);
});

test.each([1280, 390])('nothing is wider than a window of %d pixels', async (width) => {
  await page.setViewportSize({ width, height: 900 });
  for (const path of ['/', '/docs', '/docs/problems']) {
    await page.goto(service.url + path);
    if (path === '/docs') await page.locator('.opblock').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
});
