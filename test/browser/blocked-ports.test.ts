import type { Browser } from 'playwright-core';
import { loopback, portsBlockedByBrowsers } from '#lib/local/port.ts';
import { startServer, type TestServer } from '../support/http-server.ts';
import { startChromium } from './chromium.ts';

/** The ports of the local database engine: a browser sends no request to them, whatever they would answer. */

/** An address of this machine that nothing else uses, so that each of the ports is free. */
const host = '127.83.19.7';

let browser: Browser;
const servers: TestServer[] = [];

/** Starts a server that allows pages of every origin to read its responses. */
async function start(port: number, address = host): Promise<number> {
  const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/html' };
  const server = await startServer(
    (_, response) => response.writeHead(200, headers).end('open'),
    port,
    address,
  );
  servers.push(server);
  return server.port;
}

beforeAll(async () => {
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
  for (const server of servers) await server.stop();
});

test('a page reads from an ordinary port of the same address, and from none of those of the engine', async () => {
  const ordinary = await start(0);
  for (const port of portsBlockedByBrowsers) await start(port);
  const page = await browser.newPage();
  await page.goto(`http://${loopback}:${await start(0, loopback)}`);
  const readable = await page.evaluate(
    async ([address, ports]) => {
      const found: number[] = [];
      for (const port of ports) {
        const response = await fetch(`http://${address}:${port}`, { method: 'POST', body: '{}' }).catch(
          () => undefined,
        );
        if (response?.ok) found.push(port);
      }
      return found;
    },
    [host, [ordinary, ...portsBlockedByBrowsers]] as const,
  );
  expect(readable).toEqual([ordinary]);
});
