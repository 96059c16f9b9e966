import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Client, createClient, type TaskFilters } from '#client/index.ts';
import type { Service } from '#lib/local/service.ts';
import type { SignInIssuer } from '#lib/local/sign-in/issuer.ts';
import { localToken } from '#lib/tokens/local-token.ts';
import { startChromium } from '../browser/chromium.ts';
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
  return { headers: { 'content-type': types[extname(file)] }, body };
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
  await page.getByRole('button', { name: 'Sign in' }).click();
  await choosePerson();
  await untilSent();
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

/** Signs in on the page of the issuer. */
async function choosePerson(subject = 'ada'): Promise<void> {
  await page.waitForURL(`${issuer.url}/**`);
  await page.getByLabel('Tenant').fill('acme');
  await page.getByLabel('Subject').fill(subject);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const untilSent = () => page.getByText('Online, all changes are sent').waitFor();

const nameField = (name: string) => page.getByLabel(`Name of ${name}`, { exact: true });

async function add(name: string): Promise<void> {
  await page.getByLabel('New task').fill(name);
  await page.getByRole('button', { name: 'Add' }).click();
  await nameField(name).waitFor();
}

async function rename(name: string, to: string): Promise<void> {
  await nameField(name).fill(to);
  await nameField(name).blur();
}

const totalOf = async (filters: TaskFilters): Promise<number> =>
  (await other.tasks.list({ ...filters, limit: 1 })).total;

const untilTotal = (filters: TaskFilters, expected: number) =>
  until(async () => (await totalOf(filters)) === expected);

test('shows what others change, and sends what is changed here', async () => {
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
  await page.getByText('Offline, tasks with waiting changes: 2').waitFor();
  // More attempts than the client makes for one request.
  await until(async () => failedWrites > 4);
  expect(await totalOf({ name: 'Made offline' })).toBe(0);
  await context.setOffline(false);
  await untilSent();
  expect(await totalOf({ name: 'Renamed offline' })).toBe(1);
  expect(await totalOf({ name: 'Before', status: 'completed' })).toBe(1);
});

test('asks when somebody else has changed the same field', async () => {
  await add('Shared');
  await untilSent();
  const [shared] = (await other.tasks.list({ name: 'Shared' })).data;
  await context.setOffline(true);
  await rename('Shared', 'Mine');
  await page.getByLabel('Complete Mine').check();
  await other.tasks.update(shared?.id ?? '', { name: 'Theirs' });
  await context.setOffline(false);
  await page.getByText('Somebody else has named the task “Theirs”.').waitFor();
  await nameField('Theirs').waitFor();
  await page.getByRole('button', { name: 'Change to “Mine”' }).click();
  await untilTotal({ name: 'Mine' }, 1);
});

test('takes a change and a deletion back', async () => {
  await add('Kept');
  await page.getByLabel('Complete Kept').check();
  await untilTotal({ name: 'Kept', status: 'completed' }, 1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await untilTotal({ name: 'Kept', status: 'active' }, 1);
  await page.getByRole('button', { name: 'Delete Kept' }).click();
  await nameField('Kept').waitFor({ state: 'detached' });
  await untilTotal({ name: 'Kept' }, 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await nameField('Kept').waitFor();
  await untilTotal({ name: 'Kept' }, 1);
});

test('keeps what the user types while somebody else changes the name, and then asks', async () => {
  await add('Typed');
  await untilSent();
  const [typed] = (await other.tasks.list({ name: 'Typed' })).data;
  await nameField('Typed').fill('Typed on');
  await other.tasks.update(typed?.id ?? '', { name: 'Theirs' });
  await nameField('Theirs').waitFor();
  expect(await nameField('Theirs').inputValue()).toBe('Typed on');
  await nameField('Theirs').blur();
  await page.getByText('Somebody else has named the task “Theirs”.').waitFor();
  expect(await nameField('Theirs').inputValue()).toBe('Theirs');
  await page.getByRole('button', { name: 'Change to “Typed on”' }).click();
  await untilTotal({ name: 'Typed on' }, 1);
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
  await page.getByText('Offline, tasks with waiting changes: 2').waitFor();
  await page.close();
  await context.setOffline(false);
  page = await openPage();
  await page.getByRole('button', { name: 'Sign in' }).click();
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
  await page.evaluate('sessionStorage.setItem(\'session\', \'{"token":"old","expires":9e15}\')');
  await add('Made with an old token');
  await context.setOffline(false);
  await choosePerson();
  await untilTotal({ name: 'Made with an old token' }, 1);
  await untilSent();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('signs out without a network, warns of changes that are not sent, and erases the copy when another user signs in', async () => {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await choosePerson();
  await untilSent();
  await context.setOffline(true);
  await add('Secret');
  const asked: string[] = [];
  page.once('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(asked).toEqual([expect.stringContaining('not sent')]);
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await choosePerson('carol');
  await untilSent();
  await nameField('Closed').waitFor();
  expect(await nameField('Secret').count()).toBe(0);
  expect(await totalOf({ name: 'Secret' })).toBe(0);
});
