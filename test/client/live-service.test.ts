import { join } from 'node:path';
import WebSocket from 'ws';
import { createClient } from '#client/index.ts';
import type { Service } from '#lib/local/service.ts';
import { audience, startIssuer } from '../support/issuer.ts';
import { startTestService } from '../support/local-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The client and the local service together: only an announcement can bring a change, because nothing else makes the client ask within an hour. */

const hourMs = 3_600_000;

/** Follows all tasks. @returns what waits until a task with a name has come. */
function follow(url: string, token?: string) {
  const client = createClient({ url, token, webSocket: WebSocket as never });
  const stop = new AbortController();
  const waiting = new Map<string, () => void>();
  const names = new Set<string>();
  let pages = 0;
  const run = async (): Promise<void> => {
    const options = { live: true, interval: hourMs, signal: stop.signal };
    for await (const { data } of client.tasks.sync({}, options)) {
      pages += 1;
      for (const { name } of data) {
        names.add(name);
        waiting.get(name)?.();
      }
    }
  };
  const ended = run();
  return {
    pages: () => pages,
    until: (name: string): Promise<void> =>
      new Promise((resolve) => {
        if (names.has(name)) resolve();
        else waiting.set(name, resolve);
      }),
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

test('what one client writes comes to another one', async () => {
  const issuer = await startIssuer();
  const service = await startTestService({ authentication: { issuer: issuer.url, audience: [audience] } });
  const token = await issuer.token({ scope: 'tasks:read tasks:write' });
  const writer = createClient({ url: service.url, token });
  await writer.tasks.create({ name: 'first' });
  const follower = follow(service.url, token);
  await follower.until('first');
  for (const name of ['second', 'third']) {
    await writer.tasks.create({ name });
    await follower.until(name);
  }
  // The first page, one when it is connected, and one for each change; two can be one.
  expect(follower.pages()).toBeLessThanOrEqual(4);
  await follower.stop();
  await service.stop();
  await issuer.stop();
});

test('a client is connected again after the service has started again', async () => {
  const databaseFile = join(temporaryFolder(), 'data.sqlite');
  const start = (port: number): Promise<Service> =>
    startTestService({ endpoint: undefined as never, databaseFile, port });
  let service = await start(0);
  const { url } = service;
  await createClient({ url }).tasks.create({ name: 'before' });
  const follower = follow(url);
  await follower.until('before');
  await service.stop();
  service = await start(Number(new URL(url).port));
  await createClient({ url }).tasks.create({ name: 'after' });
  await follower.until('after');
  await createClient({ url }).tasks.create({ name: 'last' });
  await follower.until('last');
  expect(follower.pages()).toBeGreaterThanOrEqual(3);
  await follower.stop();
  await service.stop();
}, 60_000);
