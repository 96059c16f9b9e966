import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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

const run = promisify(execFile);

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
  await giveId(id);
  await operation.locator('.send button').click();
  await page.locator(`#${id} [data-response]:not([hidden]), dialog.confirm`).first().waitFor();
  // What deletes asks first.
  const confirm = page.locator('dialog.confirm .danger');
  if (await confirm.isVisible()) await confirm.click();
  await operation.locator('[data-response] .status').waitFor();
  const response = operation.locator('[data-response]');
  return `${await response.locator('.status').innerText()}\n${await response.locator('pre').innerText()}`;
}

/** Returns how many operations the document of the reference has. */
async function operationCount(): Promise<number> {
  const { paths } = (await (await fetch(`${service.url}/docs/reference.json`)).json()) as {
    paths: Record<string, object>;
  };
  return Object.values(paths).flatMap(Object.keys).length;
}

/** Copies the id of the sample into a form that begins without one. */
async function giveId(id: string): Promise<void> {
  const operation = page.locator(`#${id}`);
  const input = operation.locator('[data-in="path"]');
  if ((await input.count()) === 0 || (await input.inputValue()) !== '') return;
  const address = (await operation.locator('.sample:visible').innerText()).match(/[\da-f-]{36}/)?.[0] ?? '';
  await input.fill(address);
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
  ] as const)(
    'is accessible, without errors and with the address of this service at %d pixels, %s',
    async (width, colorScheme) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.goto(service.url + path);
      expect(await page.evaluate(accessibilityIssues)).toEqual([]);
      expect(await axeViolations()).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(errors).toEqual([]);
      const text = await page.locator('body').innerText();
      expect(text).not.toMatch(/api\.example\.com|localhost:3000/);
    },
  );
});

describe('the reference', () => {
  beforeEach(() => page.goto(`${service.url}/docs`));

  test('shows its first operation without running a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${service.url}/docs`);
    expect(await plain.locator('section.operation h3').first().isVisible()).toBe(true);
    expect(await plain.locator('section.operation').count()).toBe(await operationCount());
    await context.close();
  });

  test('sends example requests', async () => {
    expect(await send('createOrganization')).toMatch(/^201[\s\S]*"name": "Acme"/);
    expect(await send('createTask')).toMatch(/^201/);
    expect(await send('listTasks')).toMatch(/^200[\s\S]*"total": 1,/);
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
    expect(await missing.innerText()).toContain('First create: 1 organization');
    expect(await missing.locator('a').getAttribute('href')).toBe('#createOrganization');
    await page.locator('#batchTags .try > summary').click();
    await page.locator('#batchTags [data-missing]').getByText('2 tags').waitFor();

    // Sending it fills in what was created since.
    await page.unroute(lists);
    await createClient({ url: service.url }).organizations.create({ name: 'Acme' });
    await page.locator('#createProject .send button').click();
    await page.locator('#createProject [data-status]').getByText('201').waitFor();
    expect(await missing.isVisible()).toBe(false);
    expect(errors).toEqual([]);
  });

  /** Fills the service with entities that refer to each other. */
  async function seed(): Promise<void> {
    const client = createClient({ url: service.url });
    for (let number = 0; number < 6; number += 1) {
      const { id: organizationId } = await client.organizations.create({ name: `Acme ${number}` });
      const { id: projectId } = await client.projects.create({ name: 'Relaunch', organizationId });
      const { id: userId } = await client.users.create({ name: 'Ada' });
      const { id: tagId } = await client.tags.create({ name: 'design' });
      await client.tasks.create({ name: 'Draft', projectId, userId, tagIds: [tagId] });
    }
  }

  /** Returns the ids of all operations. Deletions come late: an organization takes its projects and tasks along. What is restored comes last. */
  async function operationsInOrder(): Promise<string[]> {
    const all = await page.locator('section.operation').evaluateAll((sections) =>
      sections.map(({ id, dataset }) => ({
        id,
        rank: id.startsWith('restore') ? 2 : dataset['method'] === 'delete' ? 1 : 0,
      })),
    );
    const idsOf = (rank: number) => all.filter((one) => one.rank === rank).map(({ id }) => id);
    return [...idsOf(0), ...idsOf(1).reverse(), ...idsOf(2)];
  }

  test('has examples that succeed for every operation, with ids of this service', async () => {
    await seed();
    await page.reload();
    const operations = await operationsInOrder();
    for (const id of operations) {
      expect([id, (await send(id)).slice(0, 2)]).toEqual([id, '20']);
    }
    expect(operations).toHaveLength(await operationCount());
    expect(errors).toEqual([]);
  });

  test('has samples for curl that succeed for every operation when they are pasted', async () => {
    await seed();
    const operations = await operationsInOrder();
    const statuses: string[] = [];
    for (const id of operations) {
      // A write changes the versions that other samples name: each sample is read when it is used.
      if (!/^(?:list|read|create|check)/.test(id)) await page.reload();
      await page.locator(`#${id}`).evaluate((section) => section.scrollIntoView());
      await page.locator(`#${id}[data-own]`).waitFor();
      const command = await page.locator(`#${id} .sample:visible`).innerText();
      const { stdout } = await run('bash', [
        '-c',
        command.replace('curl ', "curl -s -o /dev/null -w '%{http_code}' "),
      ]);
      statuses.push(`${id} ${stdout.slice(0, 2)}`);
    }
    expect(statuses).toEqual(operations.map((id) => `${id} 20`));
    // A page is loaded for each write.
  });

  test('shows a problem whose type is the address of its explanation', async () => {
    const shown = await send('createTask', '{"nmae":"x"}');
    expect(shown).toMatch(/^400[\s\S]*Did you mean/);
    const type = /"type": "(.*?)"/.exec(shown)?.[1] ?? '';
    await page.goto(service.url + type);
    expect(await page.locator('section:target h2').innerText()).toBe(catalogue['invalid-request'].title);
  });

  test('has the language and the theme that the reader chooses, also after a reload, and no tokens where none is needed', async () => {
    const operation = page.locator('#createTag');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await operation.innerText()).not.toContain('TOKEN');
    await operation.getByRole('button', { name: 'Swift' }).click();
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    await page.reload();
    expect(await operation.locator('.sample:visible').innerText()).toContain('URLSession');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(12, 15, 21)');
  });

  test('builds a query from filters with a field, an operator and a value, and shows it in the sample', async () => {
    const operation = page.locator('#listTasks');
    await operation.locator('.try > summary').click();
    await operation.locator('form[data-filled]').waitFor();
    const sample = operation.locator('.sample:visible');
    const removals = operation.getByRole('button', { name: 'Remove the filter' });
    while ((await removals.count()) > 0) await removals.first().click();
    await operation.getByRole('button', { name: 'Add a filter' }).click();
    const row = operation.locator('.filter-row');
    for (const [field, operator, value, shown] of [
      ['priority', 'is at least', 'high', "-d 'priority[gte]=high'"],
      ['dueDate', 'is null', 'true', "-d 'dueDate[isNull]=true'"],
      ['name', 'contains', 'a & b', "--data-urlencode 'name[contains]=a & b'"],
    ] as const) {
      await row.getByLabel('Field').selectOption(field);
      await row.getByLabel('Operator').selectOption(operator);
      if (field === 'name') await row.getByLabel('Value').fill(value);
      else await row.getByLabel('Value').selectOption(value);
      expect(await sample.innerText()).toContain(shown);
    }
    await operation.getByRole('button', { name: 'TypeScript' }).click();
    expect(await sample.innerText()).toContain("name: { contains: 'a & b' }");

    const form = operation.locator('form');
    await form.getByLabel('sortOrder', { exact: true }).fill('');
    for (const direction of ['desc', 'asc']) {
      await form.getByRole('combobox', { name: 'Add to sortOrder' }).selectOption(direction);
    }
    expect(await form.getByLabel('sortOrder', { exact: true }).inputValue()).toBe('desc,asc');
    expect(errors).toEqual([]);
  });

  test('shows whether a request succeeded', async () => {
    await send('listTags');
    expect(await page.locator('#listTags [data-status]').innerText()).toMatch(/^200\s*Success · \d+ ms/);
    expect(await page.locator('#listTags [data-response] .hljs-attr').count()).toBeGreaterThan(0);
    await send('createTag', '{}');
    const failed = page.locator('#createTag [data-status]');
    expect(await failed.innerText()).toMatch(/^400\s*The request is not valid · \d+ ms/);
    expect(await failed.getByRole('link').getAttribute('href')).toBe('/docs/problems#invalid-request');
    expect(await page.locator('#createTag [data-response]').getAttribute('data-outcome')).toBe('failure');
  });

  test('deletes and archives only an id that the reader enters, and asks first', async () => {
    const client = createClient({ url: service.url });
    const { id } = await client.organizations.create({ name: 'Kept' });
    for (const operation of ['deleteOrganization', 'archiveOrganization']) {
      const section = page.locator(`#${operation}`);
      await section.locator('.try > summary').click();
      await section.locator('form[data-filled]').waitFor();
      expect(await section.locator('[data-in="path"]').inputValue()).toBe('');
      await section.locator('.send button.danger').click();
      expect(await page.locator('dialog.confirm').count()).toBe(0);
      expect(await section.locator('[data-empty]').innerText()).toBe('Enter "id".');
      expect(await section.locator('datalist option').allTextContents()).toContain('Kept');
      await section.locator('[data-in="path"]').fill(id);
      await section.locator('.send button.danger').click();
      await page.locator('dialog.confirm').waitFor();
      expect(await page.locator('dialog.confirm').innerText()).toContain('the organization “Kept”');
      expect(await page.locator('dialog.confirm').innerText()).toContain(id);
      await page.locator('dialog.confirm').getByRole('button', { name: 'Cancel' }).click();
      expect(await page.locator('dialog.confirm').count()).toBe(0);
    }
    expect((await client.organizations.get(id)).status).toBe('active');
    expect(errors).toEqual([]);
  });

  test('marks the operation in the sidebar that the reader sees, and opens its group', async () => {
    const current = page.locator('.sidebar [aria-current]');
    for (const operation of ['createTag', 'readProject']) {
      await page.locator(`#${operation}`).evaluate((section) => section.scrollIntoView());
      await page.locator(`.sidebar [aria-current][href="#${operation}"]`).waitFor();
      expect([await current.count(), await current.isVisible()]).toEqual([1, true]);
    }
  });

  test('opens the navigation in a narrow window', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.locator('.sidebar').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Contents' }).click();
    await page.locator('.sidebar summary', { hasText: 'Tasks' }).click();
    await page.locator('.sidebar a[href="#createTask"]').click();
    expect(await page.locator('.sidebar').isVisible()).toBe(false);
    expect(await page.locator('#createTask h3').isVisible()).toBe(true);
  });
});

describe('the search', () => {
  /** Opens the search of a page and types. @returns the addresses that it finds, the best one first. */
  async function find(query: string): Promise<(string | null)[]> {
    await page.keyboard.press('/');
    await page.locator('dialog.search[data-ready]').waitFor();
    await page.locator('dialog.search input').fill(query);
    // What it suggests is not found.
    const hasFound = await page.locator('dialog.search .suggestions').isHidden();
    const results = page.locator('dialog.search [role="option"]');
    const found = hasFound
      ? await results.evaluateAll((links) => links.map((link) => link.getAttribute('href')))
      : [];
    await page.keyboard.press('Escape');
    return found;
  }

  test.each(['/', '/docs/guides/errors', '/docs', '/docs/typo'])('is on %s', async (path) => {
    await page.setExtraHTTPHeaders({ accept: 'text/html' });
    await page.goto(service.url + path);
    await page.keyboard.press('Control+k');
    await page.locator('dialog.search').waitFor();
    const input = page.locator('dialog.search input');
    expect(await input.evaluate((one) => one.matches(':focus'))).toBe(true);
  });

  test('finds operations, guides, problems and fields', async () => {
    await page.goto(`${service.url}/docs/problems`);
    expect(await find('clone project')).toContain('/docs#cloneProject');
    expect((await find('post /v1/tags'))[0]).toBe('/docs#createTag');
    expect((await find('createTask'))[0]).toBe('/docs#createTask');
    expect((await find('version-mismatch'))[0]).toBe('/docs/problems#version-mismatch');
    expect(await find('duedate')).toContain('/docs#createTask');
    for (const word of ['pagination', 'overdue']) {
      expect((await find(word)).join()).toContain('/docs/guides/lists-and-filters');
    }
    expect(await find('nothing like this')).toEqual([]);
  });

  test('suggests entries before the reader types and when nothing matches, and opens one only if it is chosen', async () => {
    await page.goto(`${service.url}/docs/problems`);
    await page.keyboard.press('/');
    const suggestions = page.locator('dialog.search .suggestions');
    const options = page.locator('dialog.search [role="option"]');
    await suggestions.getByText('Suggestions').waitFor();
    expect(await options.count()).toBeGreaterThan(3);
    await page.keyboard.type('nothing like this');
    expect(await suggestions.innerText()).toContain('Nothing matches “nothing like this”.');
    await page.keyboard.press('Enter');
    expect(page.url()).toBe(`${service.url}/docs/problems`);
    const last = await options.last().getAttribute('href');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(service.url + last);
    expect(errors).toEqual([]);
  });

  test('closes with a button that a finger hits, and tells phones of no keys', async () => {
    const phone = await browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const touched = await phone.newPage();
    await touched.goto(service.url);
    await touched.getByRole('button', { name: 'Search' }).click();
    const dialog = touched.locator('dialog.search[data-ready]');
    await dialog.waitFor();
    expect(await dialog.innerText()).not.toMatch(/Enter|Esc/);
    const close = dialog.getByRole('button', { name: 'Close' });
    expect((await close.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await close.click();
    expect(await dialog.isVisible()).toBe(false);
    await phone.close();
  });
});

test('an address that does not exist is a page with ways back', async () => {
  const missing = await browser.newPage();
  for (const path of ['/docs/guides/typo', '/docs/typo', '/typo']) {
    const response = await missing.goto(service.url + path);
    expect([path, response?.status()]).toEqual([path, 404]);
    expect(await missing.locator('h1').innerText()).toBe('There is nothing at this address');
    expect(await missing.locator('main a[href="/docs"]').isVisible()).toBe(true);
    await missing.locator('main').getByRole('button', { name: 'Search' }).click();
    await missing.locator('dialog.search').waitFor();
  }
  for (const [path, page] of [
    ['/docs/', '/docs'],
    ['/docs/guides', '/docs/guides/getting-started'],
    ['/problems', '/docs/problems'],
  ]) {
    await missing.goto(service.url + path);
    expect(missing.url()).toBe(service.url + page);
  }
  await missing.close();
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
