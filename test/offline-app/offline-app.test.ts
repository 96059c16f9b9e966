import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Client, createClient, type TaskFilters } from '#client/index.ts';
import type { Service } from '#lib/local/service.ts';
import type { SignInIssuer } from '#lib/local/sign-in/issuer.ts';
import { localToken } from '#lib/tokens/local-token.ts';
import { startChromium, violationsOf } from '../browser/chromium.ts';
import { startResponder, type TestServer } from '../support/http-server.ts';
import { startTestService } from '../support/local-service.ts';
import { testWorker } from '../support/test-worker.ts';
import { until } from '../support/until.ts';

/** Builds the app of `examples/offline-app` with Vite, and uses it in Chromium, with and without a network. */

const folder = join(__dirname, '../../examples/offline-app');
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
};

let browser: Browser;
let context: BrowserContext;
let issuer: SignInIssuer;
let service: Service;
let server: TestServer;
let page: Page;
/** Somebody else, in the same tenant. */
let other: Client;

/** Returns a file of the built app, for the service and the issuer of this file. */
function respond(path: string) {
  const file = path === '/' ? '/index.html' : path;
  if (!existsSync(join(folder, 'dist', file))) return { status: 404 };
  const body = readFileSync(join(folder, 'dist', file), 'utf8')
    .replaceAll('http://localhost:3000', service.url)
    .replaceAll('http://localhost:3001', issuer.url);
  // As the servers of Vite do.
  return { headers: { 'content-type': types[extname(file)], vary: 'Origin' }, body };
}

const errors: string[] = [];
let failedWrites = 0;

beforeAll(async () => {
  [browser, issuer] = await Promise.all([
    startChromium(),
    testWorker().then((worker) => worker.startSignIn()),
  ]);
  service = await startTestService({ authentication: { issuer: issuer.url, audience: [issuer.audience] } });
  execFileSync('npm', ['run', '--silent', 'build', '--', '--logLevel', 'error'], { cwd: folder });
  server = await startResponder(({ url = '/' }) => respond(url.split('?', 1)[0] ?? ''));
  const token = await localToken(issuer.url, { tenant: 'acme', subject: 'bob' });
  other = createClient({ url: service.url, token });
  context = await browser.newContext();
  page = await openPage();
  await signIn();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await service?.stop();
  await issuer?.stop();
});

afterEach(() => expect(errors).toEqual([]));

/** Opens the app. */
async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  opened.on('pageerror', ({ message }) => errors.push(message));
  opened.on('requestfailed', (request) => {
    if (request.method() === 'PUT') failedWrites += 1;
  });
  await opened.goto(server.url);
  return opened;
}

interface Person {
  readonly subject?: string;
  readonly tenant?: string;
  readonly role?: string;
}

/** Signs in on the page of the issuer. */
async function choosePerson({ subject = 'ada', tenant = 'acme', role }: Person = {}, on = page) {
  await on.waitForURL(`${issuer.url}/**`);
  await on.getByLabel('Tenant').fill(tenant);
  await on.getByLabel('Subject').fill(subject);
  if (role) await on.getByLabel(role, { exact: true }).check();
  await on.getByRole('button', { name: 'Sign in' }).click();
}

const signInButton = (on = page) => on.getByRole('button', { name: 'Sign in' });

const untilSent = (on = page) => on.getByText('Online, all changes are sent').waitFor();

async function signIn(person: Person = {}, on = page): Promise<void> {
  await signInButton(on).click();
  await choosePerson(person, on);
  await untilSent(on);
}

const nameField = (name: string, on = page) => on.getByLabel(`Name of ${name}`, { exact: true });

async function add(name: string, on = page): Promise<void> {
  await on.getByLabel('New task').fill(name);
  await on.getByRole('button', { name: 'Add' }).click();
  await nameField(name, on).waitFor();
}

async function rename(name: string, to: string, on = page): Promise<void> {
  await nameField(name, on).fill(to);
  await nameField(name, on).blur();
}

async function remove(name: string): Promise<void> {
  await page.getByRole('button', { name: `Delete ${name}`, exact: true }).click();
  await nameField(name).waitFor({ state: 'detached' });
}

const buttons = (name: string) => page.getByRole('button', { name });

/** Adds a task, and waits until the service has it. @returns its id. */
async function addSent(name: string): Promise<string> {
  await add(name);
  await untilTotal({ name }, 1);
  await untilSent();
  const [task] = (await other.tasks.list({ name })).data;
  return task?.id ?? '';
}

/** Returns the names of all rows, in their order. */
const listedNames = async (): Promise<string[]> => {
  const labels = `[...document.querySelectorAll('[type=checkbox]')].map((one) => one.ariaLabel)`;
  return ((await page.evaluate(labels)) as string[]).map((label) => label.replace('Complete ', ''));
};

const undo = () => page.getByRole('button', { name: 'Undo' }).click();

/** Hides or shows a window, as the browser does behind another one. */
const become = (state: 'hidden' | 'visible', on: Page) =>
  on.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

/** Gives a window the session of a token. */
const setToken = (token: string, on = page) =>
  on.evaluate(`sessionStorage.setItem('session', '{"token":"${token}","expires":9e15}')`);

const totalOf = async (filters: TaskFilters): Promise<number> =>
  (await other.tasks.list({ ...filters, limit: 1 })).total;

const untilTotal = (filters: TaskFilters, expected: number) =>
  until(async () => (await totalOf(filters)) === expected);

test('shows what others change, and sends what is changed here', async () => {
  await page.getByText('There are no tasks yet.').waitFor();
  await add('Made here');
  await untilTotal({ name: 'Made here' }, 1);
  const { id } = await other.tasks.create({ name: 'Made elsewhere' });
  await nameField('Made elsewhere').waitFor();
  await other.tasks.update(id, { status: 'archived' });
  await nameField('Made elsewhere').waitFor({ state: 'detached' });
});

test('keeps changes that are made offline, and sends them when the network is back', async () => {
  await add('Before');
  await untilTotal({ name: 'Before' }, 1);
  await context.setOffline(true);
  await add('Made offline');
  await rename('Made offline', 'Renamed offline');
  await page.getByLabel('Complete Before').check();
  await page.getByText('Offline, tasks to send: 2').waitFor();
  // More attempts than the client makes for one request.
  await until(async () => failedWrites > 4);
  expect(await totalOf({ name: 'Made offline' })).toBe(0);
  await context.setOffline(false);
  await untilSent();
  expect(await totalOf({ name: 'Renamed offline' })).toBe(1);
  expect(await totalOf({ name: 'Before', status: 'completed' })).toBe(1);
});

test('asks when somebody else has changed the same field', async () => {
  const id = await addSent('Shared');
  await context.setOffline(true);
  await rename('Shared', 'Mine');
  await page.getByLabel('Complete Mine').check();
  await other.tasks.update(id, { name: 'Theirs' });
  await context.setOffline(false);
  await page.getByText('Somebody else has named the task “Theirs”.').waitFor();
  await nameField('Theirs').waitFor();
  await page.getByRole('button', { name: 'Change to “Mine”' }).click();
  await untilTotal({ name: 'Mine' }, 1);
});

test('says that a task was not deleted because somebody else has changed it, and deletes it anyway', async () => {
  const changes = [
    { name: 'Doomed, renamed' },
    { status: 'completed' },
    { name: 'Gone', status: 'archived' },
  ];
  for (const change of changes) {
    const id = await addSent('Doomed');
    const { name, status } = { name: 'Doomed', status: 'active', ...change };
    await context.setOffline(true);
    await remove('Doomed');
    await other.tasks.update(id, change);
    await context.setOffline(false);
    const shown = status === 'archived' ? 'Doomed' : name;
    await page
      .getByText(`The task “${shown}” was changed by somebody else, so it was not deleted.`)
      .waitFor();
    for (const action of ['Undo', 'Change to']) expect(await buttons(action).count()).toBe(0);
    if (status === 'archived') {
      // It is not in the list any more.
      expect(await buttons('Delete anyway').count()).toBe(0);
      await buttons('Close').click();
      continue;
    }
    await buttons('Delete anyway').click();
    await untilTotal({ name }, 0);
    await page.getByText(`“${name}” is deleted.`).waitFor();
    await buttons('Close').click();
    expect(await page.getByRole('alert').count()).toBe(0);
  }
});

test('does not ask about a deletion that the user has taken back', async () => {
  const id = await addSent('Wanted');
  await context.setOffline(true);
  await remove('Wanted');
  await undo();
  await other.tasks.update(id, { name: 'Wanted, renamed' });
  await context.setOffline(false);
  await nameField('Wanted, renamed').waitFor();
  await untilSent();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('keeps all conflicts until the user has seen them', async () => {
  const names = ['First', 'Second'];
  for (const name of names) await addSent(name);
  await context.setOffline(true);
  for (const name of names) {
    const [shared] = (await other.tasks.list({ name })).data;
    await rename(name, `Mine ${name}`);
    await other.tasks.update(shared?.id ?? '', { name: `Theirs ${name}` });
  }
  await context.setOffline(false);
  for (const name of names) await nameField(`Theirs ${name}`).waitFor();
  await page.getByLabel('Complete Theirs First').check();
  await page.reload();
  // The latest one covers the list, and the others do not.
  for (const name of names.toReversed()) {
    await page.getByRole('button', { name: `Change to “Mine ${name}”` }).click();
    await untilTotal({ name: `Mine ${name}` }, 1);
  }
  expect(await page.getByText('Somebody else').count()).toBe(0);
});

test('says why the service refuses a name', async () => {
  await addSent('Refused');
  await rename('Refused', 'x'.repeat(300));
  await page.getByText(/“Refused”: your change was not applied.*255/).waitFor();
  await nameField('Refused').waitFor();
  expect(await page.getByText('Somebody else').count()).toBe(0);
  await page.getByRole('button', { name: 'Close' }).click();
});

test('restores a deleted task in its place when the network is back, also after a restart', async () => {
  await addSent('Deleted');
  await context.setOffline(true);
  await add('Never sent');
  await add('Above');
  for (const name of ['Deleted', 'Never sent']) {
    await remove(name);
    await undo();
    await page.getByText(`${name} comes back`).waitFor();
  }
  await page.reload();
  for (const name of ['Deleted', 'Never sent']) await page.getByText(`${name} comes back`).waitFor();
  await page.getByText('Offline, tasks to send: 3').waitFor();
  const order = ['Above', 'Never sent', 'Deleted'];
  expect((await listedNames()).slice(0, 3)).toEqual(order);
  await context.setOffline(false);
  for (const name of ['Deleted', 'Never sent']) {
    await nameField(name).waitFor();
    await untilTotal({ name }, 1);
  }
  await untilSent();
  expect(await page.getByText('comes back').count()).toBe(0);
  expect((await listedNames()).slice(0, 3)).toEqual(order);
});

test('shows changes, refusals and what is sent in a window while the one that reads is hidden', async () => {
  const second = await openPage();
  await signIn({}, second);
  await become('hidden', page);
  const { id } = await other.tasks.create({ name: 'Seen in the second window' });
  await nameField('Seen in the second window', second).waitFor();
  await add('Made in the second window', second);
  await untilTotal({ name: 'Made in the second window' }, 1);
  await untilSent(second);
  await context.setOffline(true);
  await rename('Seen in the second window', 'Mine in the second window', second);
  await other.tasks.update(id, { name: 'Theirs in the second window' });
  await context.setOffline(false);
  await second.getByRole('button', { name: 'Change to “Mine in the second window”' }).click();
  await untilTotal({ name: 'Mine in the second window' }, 1);
  await become('visible', page);
  await second.close();
});

test('takes a change and a deletion back', async () => {
  await add('Kept');
  await page.getByLabel('Complete Kept').check();
  await untilTotal({ name: 'Kept', status: 'completed' }, 1);
  await undo();
  await untilTotal({ name: 'Kept', status: 'active' }, 1);
  await remove('Kept');
  await untilTotal({ name: 'Kept' }, 0);
  await undo();
  await nameField('Kept').waitFor();
  await untilTotal({ name: 'Kept' }, 1);
});

test('keeps what the user types while somebody else changes the name, and then asks', async () => {
  const id = await addSent('Typed');
  await nameField('Typed').fill('Typed on');
  await other.tasks.update(id, { name: 'Theirs' });
  await nameField('Theirs').waitFor();
  expect(await nameField('Theirs').inputValue()).toBe('Typed on');
  await nameField('Theirs').blur();
  await page.getByText('Somebody else has named the task “Theirs”.').waitFor();
  expect(await nameField('Theirs').inputValue()).toBe('Theirs');
  await page.getByRole('button', { name: 'Change to “Typed on”' }).click();
  await untilTotal({ name: 'Typed on' }, 1);
});

test('fits on a phone: whole names, rows that do not move, and notices that cover little', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await addSent('Row');
  const long = 'A name that is as long as a sentence, and needs several lines on a phone. '.repeat(3).trim();
  await addSent(long);
  const field = nameField(long);
  const areWhole = () =>
    page.evaluate(
      `[...document.querySelectorAll('textarea')].every((one) => one.scrollHeight <= one.clientHeight)`,
    );
  expect(await areWhole()).toBe(true);
  expect((await field.boundingBox())?.height).toBeGreaterThan(100);
  await field.fill(`${long}\nand more`);
  expect([await field.inputValue(), await areWhole()]).toEqual([`${long} and more`, true]);
  await field.press('Enter');
  await untilTotal({ name: `${long} and more` }, 1);
  await untilSent();
  const top = async () => (await nameField('Row').boundingBox())?.y;
  const before = await top();
  await context.setOffline(true);
  await page.getByLabel('Complete Row').check();
  await page.getByText('Offline, tasks to send: 1').waitFor();
  expect(await top()).toBe(before);
  await context.setOffline(false);
  await untilSent();
  for (const [count, name] of ['x'.repeat(256), 'y'.repeat(256)].entries()) {
    await rename('Row', name);
    await until(async () => (await page.getByText('A name has 1 to 255 characters.').count()) === count + 1);
    await nameField('Row').waitFor();
  }
  // Nothing is left to take back of a task whose change was refused.
  expect(await buttons('Undo').count()).toBe(0);
  await page.getByLabel('Complete Row').uncheck();
  await buttons('Undo').waitFor();
  await page.getByText('2 more').waitFor();
  const notices = page.locator('aside');
  expect((await notices.boundingBox())?.height).toBeLessThan(844 / 4);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByText('2 more').click();
  expect(await violationsOf(page, '#app')).toEqual([]);
  for (let left = 3; left > 0; left -= 1) await buttons('Close').first().click();
  await notices.getByRole('alert').first().waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1280, height: 720 });
});

test('renders a hundred rows of a long list, and more when the user asks for them', async () => {
  const operations = Array.from({ length: 150 }, (_, number) => ({
    operation: 'create' as const,
    body: { name: `Row ${number}`, status: 'active' },
  }));
  await other.tasks.batchInSeveralTransactions(operations);
  await nameField('Row 149').waitFor();
  const rowsBecome = (count: number) =>
    until(async () => (await page.getByRole('listitem').count()) === count);
  await rowsBecome(100);
  await page.getByRole('button', { name: 'Show more' }).click();
  await nameField('Row 0').waitFor();
});

test('sends what was changed offline before the page was reloaded, and before it was closed', async () => {
  await untilSent();
  await context.setOffline(true);
  await add('Reloaded');
  await page.reload();
  await nameField('Reloaded').waitFor();
  await add('Closed');
  await page.getByText('Offline, tasks to send: 2').waitFor();
  await page.close();
  page = await openPage();
  await nameField('Closed').waitFor();
  await context.setOffline(false);
  await choosePerson();
  await nameField('Closed').waitFor();
  await untilSent();
  expect([await totalOf({ name: 'Reloaded' }), await totalOf({ name: 'Closed' })]).toEqual([1, 1]);
});

test('stays signed in until the user signs out', async () => {
  await page.reload();
  await nameField('Closed').waitFor();
  // The service does not know the token any more. The next request leads to the issuer, which must not be one before the task is there.
  await context.setOffline(true);
  const token = await localToken(issuer.url, { tenant: 'acme', subject: 'ada' });
  await setToken(`${token.slice(0, -8)}AAAAAAAA`);
  await add('Made with an old token');
  await context.setOffline(false);
  await choosePerson();
  await untilTotal({ name: 'Made with an old token' }, 1);
  await untilSent();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signInButton().waitFor();
});

test('signs out without a network, warns of changes that are not sent, and erases the copy when another user signs in', async () => {
  await signIn();
  await context.setOffline(true);
  await add('Secret');
  const asked: string[] = [];
  page.once('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signInButton().waitFor();
  expect(asked).toEqual([expect.stringContaining('not sent')]);
  await signInButton().click();
  await page.getByText('Sign-in failed. You are offline.').waitFor();
  await context.setOffline(false);
  await signIn({ subject: 'carol' });
  await nameField('Closed').waitFor();
  expect(await nameField('Secret').count()).toBe(0);
  expect(await totalOf({ name: 'Secret' })).toBe(0);
});

test('never mixes users: the other windows end when one signs in, and no token of another user is used', async () => {
  const zoe = { subject: 'zoe', tenant: 'umbrella' };
  const token = await localToken(issuer.url, zoe);
  const ofZoe = createClient({ url: service.url, token });
  const second = await openPage();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await second.route('**/changes?*', async (route) => {
    await held;
    await route.continue();
  });
  await signInButton(second).click();
  await choosePerson(zoe, second);
  await second.getByText('Online, loading…').waitFor();
  release();
  await untilSent(second);
  await signInButton().waitFor();
  expect(await nameField('Closed', second).count()).toBe(0);
  const names =
    'indexedDB.databases().then((found) => new Set(found.map(({ name }) => name.split("--")[0])).size)';
  await until(async () => (await second.evaluate(names)) === 1);
  await signIn();
  await signInButton(second).waitFor();
  await second.close();
  await context.setOffline(true);
  await setToken(token);
  await add('Of ada');
  await page.waitForFunction('!sessionStorage.session');
  await context.setOffline(false);
  await choosePerson();
  await untilTotal({ name: 'Of ada' }, 1);
  // The session is older than that of the user who has signed in last.
  await setToken(token);
  // The app can leave the page at the same time.
  await page.reload().catch(() => undefined);
  await signInButton().waitFor();
  await signIn();
  expect((await ofZoe.tasks.list()).total).toBe(0);
});

test('lets a viewer only read, and says why changes are not sent', async () => {
  await addSent('Before the role');
  await context.setOffline(true);
  await rename('Before the role', 'With the role');
  const token = await localToken(issuer.url, { tenant: 'acme', subject: 'ada', roles: ['viewer'] });
  await setToken(token);
  await context.setOffline(false);
  await page.getByText('You are not allowed to change tasks, so your changes are not sent.').waitFor();
  await page.reload();
  await page.getByText('You cannot change tasks').waitFor();
  expect(await page.getByRole('textbox').first().isDisabled()).toBe(true);
  expect(await totalOf({ name: 'With the role' })).toBe(0);
  await page.getByText('You are not allowed to change tasks, so your changes are not sent.').waitFor();
});
