import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventReceiver, startEventReceiver } from '../support/event-receiver.ts';
import { killLeftovers, type StartedService, start } from './started-service.ts';

/** `npm start -- --events`: every change is posted, whenever the service is killed. */

const folder = mkdtempSync(join(tmpdir(), 'events-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(killLeftovers);

async function createTask(service: StartedService, name: string): Promise<string> {
  const response = await fetch(`${service.url}/v1/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function untilReceived(receiver: EventReceiver, ids: readonly string[]): Promise<void> {
  const isMissing = (id: string): boolean => !receiver.events.some(({ subject }) => subject === id);
  while (ids.some(isMissing)) await delay(50);
}

test('continues after it was killed, and after it was stopped: nothing is missing, and repeated events have the same id', async () => {
  const unused = await startEventReceiver();
  const { port } = new URL(unused.url);
  await unused.stop();
  const environment = { PORT: '0', DATABASE_FILE: join(folder, 'database.sqlite') };
  const flags = ['--events', `http://127.0.0.1:${port}`];

  // Nobody listens yet.
  const first = await start(environment, flags);
  const ids = [await createTask(first, 'one'), await createTask(first, 'two')];
  first.process.kill('SIGKILL');
  await first.ended();

  const receiver = await startEventReceiver(Number(port));
  const second = await start(environment, flags);
  await untilReceived(receiver, ids);
  ids.push(await createTask(second, 'three'));
  await untilReceived(receiver, ids);
  second.process.kill('SIGKILL');
  await second.ended();

  const third = await start(environment, flags);
  expect(third.output()).toContain(`Events: posted to http://127.0.0.1:${port}`);
  ids.push(await createTask(third, 'four'));
  await untilReceived(receiver, ids);
  third.process.kill('SIGTERM');
  expect(await third.ended()).toBe(0);

  expect([...receiver.mediaTypes]).toEqual(['application/cloudevents-batch+json; charset=utf-8']);
  const distinct = new Map(receiver.events.map((event) => [event.id, event]));
  expect([...distinct.keys()].sort()).toEqual(ids.map((id) => `${id}:1`).sort());
  for (const event of receiver.events) expect(event).toEqual(distinct.get(event.id));
  await receiver.stop();
});
