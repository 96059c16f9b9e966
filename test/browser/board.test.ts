import { generateNKeysBetween } from 'fractional-indexing';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { type Client, createClient } from '#client/index.ts';
import { serveBoard } from '#lib/local/serve-board.ts';
import type { Service } from '#lib/local/service.ts';
import type { SignInIssuer } from '#lib/local/sign-in/issuer.ts';
import { localToken } from '#lib/tokens/local-token.ts';
import { startTestService } from '../support/local-service.ts';
import { testWorker } from '../support/test-worker.ts';
import { startChromium, violationsOf } from './chromium.ts';

/** The example of a front end, on another origin than the service. */

let browser: Browser;
let service: Service;
/** A service that requires tokens, and their issuer. */
let guarded: Service | undefined;
let issuer: SignInIssuer | undefined;
let board: Awaited<ReturnType<typeof serveBoard>>;
let client: Client;
let page: Page;
let errors: string[];

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startTestService()]);
  client = createClient({ url: service.url });
  board = await serveBoard(service.url, 0);
  const organization = await client.organizations.create({ name: 'Acme' });
  const project = await client.projects.create({ name: 'Relaunch', organizationId: organization.id });
  const { id: userId } = await client.users.create({ name: 'Ada' });
  await client.tasks.batch([
    { operation: 'create', body: { name: 'Draft', projectId: project.id, userId, priority: 'high' } },
    { operation: 'create', body: { name: 'Review', priority: 'urgent', dueDate: '2020-02-29' } },
    { operation: 'create', body: { name: 'Print', status: 'planned', projectId: project.id } },
    { operation: 'create', body: { name: 'Old', status: 'completed' } },
  ]);
});

afterAll(async () => {
  await browser?.close();
  await board?.stop();
  await service?.stop();
  await guarded?.stop();
  await issuer?.stop();
});

async function open(query = ''): Promise<void> {
  await page.goto(board.url + query);
  await page.locator('#board[aria-busy=false]').waitFor();
}

beforeEach(async () => {
  errors = [];
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on('console', (message) => {
    // The browser reports the 404 of a service that announces nothing, and the board keeps its interval.
    const isOff = message.location().url.endsWith('/v1/live');
    if (message.type() === 'error' && !isOff) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await open();
});

afterEach(() => page.close());

const column = (status: string): Locator => page.locator(`.column[data-status="${status}"]`);
const card = (name: string): Locator => page.locator('.card', { has: page.getByText(name, { exact: true }) });
const names = (status: string): Promise<string[]> => column(status).locator('h3').allInnerTexts();
const totals = (): Promise<string[]> => page.locator('.column h2 span').allInnerTexts();
const notice = (): Locator => page.getByRole('status');

async function stored(name: string) {
  const [task] = (await client.tasks.list({ name })).data;
  if (!task) throw new Error(`There is no task ${name}.`);
  return task;
}

/** Keeps the feed from responding, but for its beginning: the board does not see what others do. */
const holdFeed = () =>
  page.route('**/v1/tasks/changes?*', (route) =>
    route.request().url().includes('since=now') ? route.continue() : undefined,
  );

/** Handles the moves of cards. */
const routeMoves = (handle: (route: Route) => Promise<void>) =>
  page.route('**/v1/tasks/*', (route) =>
    route.request().method() === 'PATCH' ? handle(route) : route.fallback(),
  );

async function openWith(name: string): Promise<void> {
  await client.tasks.create({ name, status: 'planned' });
  await open();
}

test('shows the tasks by status, the most urgent first', async () => {
  expect(await page.locator('.column h2').allInnerTexts()).toEqual([
    expect.stringMatching(/^Planned\s+1$/),
    expect.stringMatching(/^Active\s+2$/),
    expect.stringMatching(/^Completed\s+1$/),
  ]);
  expect(await names('active')).toEqual(['Review', 'Draft']);
  expect(await card('Draft').innerText()).toMatch(/#\d+ · Relaunch · Ada/);
  expect(await card('Review').innerText()).toMatch(/Overdue/);
  expect(errors).toEqual([]);
});

test('filters the tasks, and the address of the page keeps the filters', async () => {
  await page.getByLabel('Project').selectOption('Relaunch');
  await card('Review').waitFor({ state: 'detached' });
  expect([await names('planned'), await names('active'), await totals()]).toEqual([
    ['Print'],
    ['Draft'],
    ['1', '1', '0'],
  ]);
  await page.getByLabel('Name').fill('dra');
  await card('Print').waitFor({ state: 'detached' });
  await page.reload();
  await card('Draft').waitFor();
  expect(await totals()).toEqual(['0', '1', '0']);
  await page.getByRole('button', { name: 'Clear' }).click();
  await card('Review').waitFor();
  await page.getByLabel('Name').fill(`#${(await stored('Draft')).number}`);
  await card('Review').waitFor({ state: 'detached' });
  expect(await names('active')).toEqual(['Draft']);
  await page.getByRole('button', { name: 'Clear' }).click();
  await card('Review').waitFor();
  await page.getByLabel('Overdue').check();
  await card('Draft').waitFor({ state: 'detached' });
  expect(await names('active')).toEqual(['Review']);
  expect(errors).toEqual([]);
});

test('a dragged card moves at once, before the service responds', async () => {
  await openWith('Dragged');
  let respond = (): void => {};
  const held = new Promise<void>((resolve) => {
    respond = resolve;
  });
  await routeMoves(async (route) => {
    await held;
    await route.continue();
  });
  await card('Dragged').dragTo(column('completed'));
  expect(await names('completed')).toContain('Dragged');
  expect(await card('Dragged').getAttribute('aria-busy')).toBe('true');
  expect((await stored('Dragged')).status).toBe('planned');
  respond();
  await notice().getByText('“Dragged” is now completed.').waitFor();
  expect(await card('Dragged').getAttribute('aria-busy')).toBe('false');
  expect((await stored('Dragged')).status).toBe('completed');
  expect(errors).toEqual([]);
});

test('a task that somebody else moves while the columns are read is shown once', async () => {
  await holdFeed();
  const task = await client.tasks.create({ name: 'Elsewhere', status: 'planned' });
  let showPlanned = (): void => {};
  const isPlannedRead = new Promise<void>((resolve) => {
    showPlanned = resolve;
  });
  await page.route('**/v1/tasks?*', async (route) => {
    const { searchParams } = new URL(route.request().url());
    if (searchParams.get('status') === 'planned') {
      const response = await route.fetch();
      showPlanned();
      return route.fulfill({ response });
    }
    if (searchParams.get('status') === 'completed') {
      await isPlannedRead;
      await client.tasks.update(task.id, { status: 'completed' });
    }
    return route.continue();
  });
  await open();
  expect(await names('planned')).not.toContain('Elsewhere');
  expect(await names('completed')).toContain('Elsewhere');
  expect((await totals()).map(Number)).toEqual([
    (await names('planned')).length,
    (await names('active')).length,
    (await names('completed')).length,
  ]);
  expect(errors).toEqual([]);
});

test('a move is taken back when somebody else changed the task, and the next one succeeds', async () => {
  await holdFeed();
  await openWith('Contended');
  await client.tasks.update(await stored('Contended'), { priority: 'urgent' });
  await card('Contended').dragTo(column('active'));
  await notice().getByText('Somebody else changed “Contended”').waitFor();
  expect(await names('active')).not.toContain('Contended');
  expect(await names('planned')).toContain('Contended');
  expect(await card('Contended').innerText()).toMatch(/urgent/);
  expect(await stored('Contended')).toMatchObject({ status: 'planned', priority: 'urgent' });
  // Chromium reports every response with an error status.
  expect(errors).toEqual([expect.stringContaining('412')]);

  await card('Contended').dragTo(column('active'));
  await notice().getByText('“Contended” is now active.').waitFor();
  expect((await stored('Contended')).status).toBe('active');
});

/** Creates tasks of a column of their own, in the order of the column, and opens the board without the feed. */
async function openSorted(positions: Readonly<Record<string, string>>): Promise<void> {
  await holdFeed();
  for (const [name, position] of Object.entries(positions))
    await client.tasks.create({ name, status: 'sorted', position });
  await open();
}

/** Drops a card into the upper half of another one. */
async function dropOn(name: string, other: string): Promise<void> {
  await card(name).dragTo(card(other), { targetPosition: { x: 20, y: 4 } });
  await notice().getByText(`“${name}” is moved.`).waitFor();
}

/** Returns the names in the order of the service, and deletes the tasks. */
async function takeSorted(): Promise<string[]> {
  const order = { sortBy: 'position', sortOrder: 'desc' } as const;
  const { data } = await client.tasks.list({ status: 'sorted', ...order, limit: 100 });
  await client.tasks.batchInSeveralTransactions(data.map(({ id }) => ({ operation: 'delete', id })));
  return data.map(({ name }) => name);
}

test('a card stays where it was dropped, among cards that nobody has placed too', async () => {
  for (const name of ['One', 'Two', 'Three'])
    await client.tasks.create({ name, status: 'sorted', priority: 'low' });
  await client.tasks.create({ name: 'Four', status: 'sorted' });
  await open();
  const order = await names('sorted');
  expect(order.at(-1)).toBe('Four');
  await dropOn('Four', order[1] ?? '');
  const moved = [order[0], 'Four', order[1], order[2]];
  expect(await names('sorted')).toEqual(moved);
  await open();
  expect(await names('sorted')).toEqual(moved);

  await card('Four').focus();
  await page.keyboard.press('Shift+ArrowUp');
  await notice().getByText('“Four” is moved.').waitFor();
  await open();
  expect(await takeSorted()).toEqual(['Four', order[0], order[1], order[2]]);
  expect(errors).toEqual([]);
});

test('a card that is moved to the end of a long column stays above the cards that are not shown', async () => {
  const cards = generateNKeysBetween('a0', 'a1', 53).map((position, number) => ({
    operation: 'create' as const,
    body: { name: `Card ${53 - number}`, status: 'sorted', position },
  }));
  await client.tasks.batchInSeveralTransactions(cards);
  await open();
  expect((await names('sorted')).slice(-2)).toEqual(['Card 49', 'Card 50']);
  await card('Card 49').focus();
  await page.keyboard.press('Shift+ArrowDown');
  await notice().getByText('“Card 49” is moved.').waitFor();
  expect((await takeSorted()).slice(47)).toEqual([48, 50, 49, 51, 52, 53].map((number) => `Card ${number}`));
  expect(errors).toEqual([]);
});

test('a card that is brought back goes to its place, and cards can be dropped below it', async () => {
  await openSorted({ First: 'a3', Second: 'a2', Third: 'a1', Fourth: 'a0' });
  await page.getByRole('button', { name: 'Delete Third' }).click();
  await notice().getByRole('button', { name: 'Undo' }).click();
  await notice().getByText('“Third” is back.').waitFor();
  expect(await names('sorted')).toEqual(['First', 'Second', 'Third', 'Fourth']);
  await dropOn('First', 'Fourth');
  const shown = await names('sorted');
  expect(shown).toEqual(['Second', 'Third', 'First', 'Fourth']);
  expect(await takeSorted()).toEqual(shown);
  expect(errors).toEqual([]);
});

test('what others create, change and delete appears without a reload', async () => {
  await page.getByLabel('Name').fill('foreign');
  await card('Draft').waitFor({ state: 'detached' });
  expect(await totals()).toEqual(['0', '0', '0']);
  const { id } = await client.tasks.create({ name: 'Foreign', status: 'planned' });
  await column('planned').locator(card('Foreign')).waitFor();
  await client.tasks.update(id, { status: 'active', priority: 'urgent' });
  await column('active').locator(card('Foreign')).getByText('urgent').waitFor();
  expect([await names('planned'), await totals()]).toEqual([[], ['0', '1', '0']]);
  await card('Foreign').focus();
  await client.tasks.update(id, { status: 'completed' });
  await column('completed').locator('.card:focus').waitFor();
  await client.tasks.update(id, { name: 'Other' });
  await card('Foreign').waitFor({ state: 'detached' });
  await client.tasks.update(id, { name: 'Foreign again' });
  await card('Foreign again').waitFor();
  await client.tasks.delete(id);
  await card('Foreign again').waitFor({ state: 'detached' });
  expect(await totals()).toEqual(['0', '0', '0']);
  expect(errors).toEqual([]);
});

test('the keyboard selects and moves cards, and the focus stays on the card', async () => {
  await openWith('Typed');
  await card('Typed').focus();
  await page.keyboard.press('ArrowRight');
  expect(await column('active').locator('.card:focus').count()).toBe(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await card('Typed').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await notice().getByText('“Typed” is now active.').waitFor();
  await page.keyboard.press('Shift+ArrowRight');
  await notice().getByText('“Typed” is now completed.').waitFor();
  expect(await page.locator('.card:focus h3').innerText()).toBe('Typed');
  expect((await stored('Typed')).status).toBe('completed');
  expect(errors).toEqual([]);
});

test('a card shows its history in a panel, which Escape closes', async () => {
  const { id } = await client.tasks.create({ name: 'Told', status: 'planned' });
  const { id: projectId } = await client.projects.create({
    name: 'Told project',
    organizationId: (await client.organizations.create({ name: 'x' })).id,
  });
  await client.tasks.update(id, { projectId, priority: 'low' });
  for (let count = 0; count < 10; count += 1) await client.tasks.update(id, { description: `${count}` });
  await open();
  await page.getByRole('button', { name: 'History of Told' }).click();
  const panel = page.getByRole('dialog', { name: 'History of “Told”' });
  const changes = () => panel.getByRole('listitem').allInnerTexts();
  await panel.getByText('Description: 8 → 9').waitFor();
  expect(await changes()).toHaveLength(10);
  await panel.getByRole('button', { name: 'Earlier changes' }).click();
  await panel.getByText('Somebody created this task').waitFor();
  const [updated, created] = (await changes()).slice(-2);
  expect(updated).toMatch(/Priority: none → low/);
  expect(updated).toMatch(/Project: none → Told project/);
  expect(created).toMatch(/Name: Told/);
  expect(created).not.toMatch(/Due date/);
  expect(await panel.getByRole('button', { name: 'Earlier changes' }).isVisible()).toBe(false);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  await client.tasks.delete(id);
  expect(errors).toEqual([]);
});

test.each([
  [1280, 'light'],
  [390, 'dark'],
] as const)(
  'has no accessibility violation and fits a window of %d pixels, %s',
  async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  },
);

test('gets tokens of the issuer for development by itself', async () => {
  issuer = await (await testWorker()).startSignIn();
  const authentication = { issuer: issuer.url, audience: [issuer.audience], isLocal: true };
  guarded = await startTestService({ authentication });
  const token = await localToken(issuer.url);
  await createClient({ url: guarded.url, token }).tasks.create({ name: 'Of the proposed tenant' });
  await board.stop();
  board = await serveBoard(guarded.url, 0);
  await open();
  await card('Of the proposed tenant').waitFor();
  expect(errors).toEqual([]);
});
