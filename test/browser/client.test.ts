import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import type { Service } from '#lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';
import { startChromium } from './chromium.ts';

/** Runs the client in a page on another origin. The CORS headers must expose everything that it uses. */

const root = join(__dirname, '../..');

const app = (url: string): string => `<!doctype html>
<script type="module">
import { createClient, isProblem } from '/index.js';

const client = createClient({ url: '${url}' });
const seen = [];
const tag = await client.tags.create({ name: 'one' });
await client.tags.create({ name: 'two' });
for await (const { name } of client.tags.iterate({ limit: 1 })) seen.push(name);
const [listed] = (await client.tags.list({ limit: 1 })).data;
seen.push((await client.tags.update(listed, { color: '#abcdef' })).color);
await client.tags.update(tag, { color: '#123456' });
await client.tags.update(tag, { color: '#654321' }).catch((error) => seen.push(isProblem(error, 'version-mismatch')));
await client.tags.delete(tag.id);
window.seen = seen;
</script>`;

let browser: Browser;
let service: Service;
let server: Server;

beforeAll(async () => {
  const build = promisify(execFile)('npm', ['run', '--silent', '--prefix', 'client', 'build'], { cwd: root });
  [browser, service] = await Promise.all([startChromium(), startTestService(), build]);
  server = createServer(({ url }, response) => {
    if (!url?.endsWith('.js')) return response.setHeader('content-type', 'text/html').end(app(service.url));
    const built = readFileSync(join(root, 'client/dist', url));
    return response.setHeader('content-type', 'text/javascript').end(built);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  await service?.stop();
});

test('the client creates entities, reads pages and reads versions from ETag headers', async () => {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await page.waitForFunction('window.seen');
  expect(await page.evaluate('window.seen')).toEqual(['two', 'one', '#abcdef', true]);
});
