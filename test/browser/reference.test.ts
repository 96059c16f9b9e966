import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { createClient } from '#client/index.ts';
import { showGuide } from '#functions/documentation/contract.ts';
import { catalogue } from '#functions/http/problems.ts';
import type { Service } from '#lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';
import { accessibilityIssues } from './accessibility.ts';
import { startChromium } from './chromium.ts';

/** The static pages in a browser. */

const guides = showGuide.files.map((name) => `/docs/guides/${name}`);
const paths = ['/', '/docs', '/docs/problems', ...guides];

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
  page.on('requestfailed', (request) =>
    errors.push(`failed: ${request.url()}, ${request.failure()?.errorText}`),
  );
  // Blocks all requests except those to the service.
  await page.route('**/*', async (route) => {
    if (new URL(route.request().url()).origin === service.url) return route.continue();
    errors.push(`request to another host: ${route.request().url()}`);
    return route.abort();
  });
});

afterEach(() => page.close());

/** Opens the form of an operation and sends its example, or another body. @returns the status and the shown response. */
async function send(id: string, body?: string): Promise<string> {
  const operation = page.locator(`#${id}`);
  await operation.locator('.try > summary').click();
  await operation.locator('form[data-filled]').waitFor();
  if (body !== undefined) await operation.locator('textarea').fill(body);
  await operation.getByRole('button', { name: 'Send' }).click();
  await operation.locator('[data-response]').waitFor();
  const status = await operation.locator('[data-status]').innerText();
  return `${status}\n${await operation.locator('[data-response]').innerText()}`;
}

/** Runs axe in the page. @returns each violation with the first element that has it. */
async function axeViolations(): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as {
    violations: readonly { id: string; nodes: readonly { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

describe.each(paths)('%s', (path) => {
  // Each width and each colour scheme once: axe takes many seconds for the reference.
  test.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('is accessible and without errors at %d pixels, %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(service.url + path);
    expect(await page.evaluate(accessibilityIssues)).toEqual([]);
    expect(await axeViolations()).toEqual([]);
    expect(errors).toEqual([]);
  });

  test.each([1280, 390])('is not wider than a window of %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(service.url + path);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });

  test('shows the address of this service in its examples', async () => {
    await page.goto(service.url + path);
    expect(await page.locator('body').innerText()).not.toContain('api.example.com');
  });
});

describe('the reference', () => {
  beforeEach(() => page.goto(`${service.url}/docs`));

  test('shows its first operation without running a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${service.url}/docs`);
    expect(await plain.locator('section.operation h3').first().isVisible()).toBe(true);
    expect(await plain.locator('section.operation').count()).toBeGreaterThan(35);
    await context.close();
  });

  test('sends example requests', async () => {
    expect(await send('createOrganization')).toMatch(/^201[\s\S]*"name": "Acme"/);
    expect(await send('createTask')).toMatch(/^201/);
    expect(await send('listTasks')).toMatch(/^200[\s\S]*"total": 1/);
    // The form fills in the id of an existing entity.
    expect(await send('readOrganization')).toMatch(/^200[\s\S]*"name": "Acme"/);
    expect(errors).toEqual([]);
  });

  test('says what to create when an example refers to entities that do not exist', async () => {
    const lists = /\/v1\/(?:organizations|tags)\?/;
    await page.route(lists, (route) => route.fulfill({ json: { data: [], etags: [] } }));
    await page.locator('#createProject .try > summary').click();
    const missing = page.locator('#createProject [data-missing]');
    await missing.waitFor();
    expect(await missing.innerText()).toContain('Create first: 1 organization');
    expect(await missing.locator('a').getAttribute('href')).toBe('#createOrganization');
    await page.locator('#batchTags .try > summary').click();
    await page.locator('#batchTags [data-missing]').getByText('2 tags').waitFor();

    // Sending it fills in what was created since.
    await page.unroute(lists);
    await createClient({ url: service.url }).organizations.create({ name: 'Acme' });
    await page.locator('#createProject').getByRole('button', { name: 'Send' }).click();
    await page.locator('#createProject [data-status]').getByText('201').waitFor();
    expect(await missing.isVisible()).toBe(false);
    expect(errors).toEqual([]);
  });

  test('has examples that succeed for every operation, with ids of this service', async () => {
    const client = createClient({ url: service.url });
    for (let number = 0; number < 6; number += 1) {
      const { id: organizationId } = await client.organizations.create({ name: `Acme ${number}` });
      const { id: projectId } = await client.projects.create({ name: 'Relaunch', organizationId });
      const { id: userId } = await client.users.create({ name: 'Ada' });
      const { id: tagId } = await client.tags.create({ name: 'design' });
      await client.tasks.create({ name: 'Draft', projectId, userId, tagIds: [tagId] });
    }
    await page.reload();
    const forms = await page
      .locator('section.operation')
      .evaluateAll((sections) =>
        sections.map(({ id, dataset }) => ({ id, method: dataset['method'] ?? '' })),
      );
    // Deletions come last: an organization takes its projects and tasks along.
    const inOrder = [
      ...forms.filter(({ method }) => method !== 'delete'),
      ...forms.filter(({ method }) => method === 'delete').reverse(),
    ];
    for (const { id } of inOrder) {
      expect([id, (await send(id)).slice(0, 2)]).toEqual([id, '20']);
    }
    expect(inOrder.length).toBeGreaterThan(35);
    expect(errors).toEqual([]);
  });

  test('shows a problem whose type is the address of its explanation', async () => {
    const shown = await send('createTask', '{"nmae":"x"}');
    expect(shown).toMatch(/^400[\s\S]*Did you mean/);
    const type = /"type": "(.*?)"/.exec(shown)?.[1] ?? '';
    await page.goto(service.url + type);
    expect(await page.locator('section:target h2').innerText()).toBe(catalogue['invalid-request'].title);
  });

  test('finds operations by name, method and path', async () => {
    const shown = page.locator('.sidebar a[data-search]:visible');
    await page.keyboard.press('/');
    await page.keyboard.type('clone');
    expect(await shown.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '#cloneProject',
    ]);
    await page.locator('#search').fill('post /v1/tags');
    expect(await shown.count()).toBe(2);
    await page.locator('#search').fill('if-match');
    expect(await shown.count()).toBeGreaterThan(10);
    await page.locator('#search').fill('idempotency-key clone');
    expect(await shown.count()).toBe(1);
    await page.locator('#search').fill('due date list');
    const lists = await shown.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(lists).toEqual(expect.arrayContaining(['#listTasks', '#listUserTasks', '#listProjects']));
    expect(lists).not.toContain('#listTags');
    await page.locator('#search').fill('nothing like this');
    expect(await page.locator('#nothing').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await shown.count()).toBeGreaterThan(35);
  });

  test('shows all samples in the language that the reader chooses, also after a reload', async () => {
    const operation = page.locator('#createTag');
    await operation.getByRole('button', { name: 'Swift' }).click();
    expect(await operation.locator('.sample:visible').innerText()).toContain('URLSession');
    await page.reload();
    expect(await operation.locator('.sample:visible').innerText()).toContain('URLSession');
  });

  test('has drop-downs for enumerations, and no mention of tokens where none is needed', async () => {
    await page.locator('#listTasks .try > summary').click();
    const optionsOf = (selector: string) =>
      page
        .locator(`${selector} option`)
        .evaluateAll((options) => options.map(({ textContent }) => textContent));
    expect(await optionsOf('select#listTasks-query-priority')).toEqual([
      '',
      'none',
      'low',
      'medium',
      'high',
      'urgent',
    ]);
    expect(await optionsOf('#listTasks-query-status-values')).toContain('active');
    const form = page.locator('#listTasks form');
    for (const direction of ['desc', 'asc']) {
      await form.getByRole('combobox', { name: 'Add to sortOrder' }).selectOption(direction);
    }
    expect(await form.getByLabel('sortOrder', { exact: true }).inputValue()).toBe('desc,asc');
    expect(await page.getByText('Requires the scope').first().isVisible()).toBe(false);
    expect(await page.locator('#token').isVisible()).toBe(false);
    expect(await page.locator('#createTag').innerText()).not.toContain('TOKEN');
  });

  test('keeps the theme that the reader chooses', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    await page.reload();
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(16, 22, 31)');
  });

  test('opens the navigation in a narrow window', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.locator('.sidebar').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Contents' }).click();
    await page.locator('.sidebar a[href="#createTask"]').click();
    expect(await page.locator('.sidebar').isVisible()).toBe(false);
    expect(await page.locator('#createTask h3').isVisible()).toBe(true);
  });
});

test('the problems page shows the JSON of every problem type', async () => {
  await page.goto(`${service.url}/docs/problems`);
  const sections = await page.locator('section').evaluateAll((found) => found.map(({ id }) => id));
  expect(sections).toEqual(Object.keys(catalogue));
  for (const [code, { status }] of Object.entries(catalogue)) {
    const [, json = ''] = (await page.locator(`#${code} pre`).innerText()).split(/\n\n(.*)/s);
    expect(JSON.parse(json)).toMatchObject({ type: `/docs/problems#${code}`, status });
  }
});

test('all links of the pages to pages of the service lead somewhere', async () => {
  const links = new Set<string>();
  for (const path of paths) {
    await page.goto(service.url + path);
    for (const link of await page
      .locator('a')
      .evaluateAll((found) => found.map((one) => (one as never as { href: string }).href))) {
      links.add(link);
    }
  }
  // Tests work without a network: other sites are not asked.
  const own = [...links].filter((link) => link.startsWith(service.url));
  expect(own.length).toBeGreaterThan(paths.length);
  for (const link of own) {
    const response = await fetch(link);
    expect([link, response.status]).toEqual([link, 200]);
    const anchor = decodeURIComponent(new URL(link).hash.slice(1));
    if (anchor)
      expect([link, await response.text()]).toEqual([link, expect.stringContaining(`id="${anchor}"`)]);
  }
});

test('the start page shows the totals', async () => {
  const total = async () => {
    await page.goto(service.url);
    await page.locator('.totals').waitFor();
    return Number(await page.locator('[data-total="tags"]').innerText());
  };
  const before = await total();
  await fetch(`${service.url}/v1/tags`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"one"}',
  });
  expect(await total()).toBe(before + 1);
});
