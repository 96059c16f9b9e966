import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '#client/index.ts';
import { startEventReceiver } from '../support/event-receiver.ts';
import { until } from '../support/until.ts';
import { killLeftovers, start } from './started-service.ts';

/** `npm start -- --events`: every change is posted, whenever the service is killed. */

const folder = mkdtempSync(join(tmpdir(), 'events-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(killLeftovers);

test('continues after it was killed, and after it was stopped: nothing is missing, and repeated events have the same id', async () => {
  const unused = await startEventReceiver();
  const { port } = new URL(unused.url);
  await unused.stop();
  const ids: string[] = [];
  const startPosting = async () => {
    const environment = { DATABASE_FILE: join(folder, 'database.sqlite') };
    const service = await start(environment, ['--events', `http://127.0.0.1:${port}`]);
    const { tasks } = createClient({ url: service.url });
    return { ...service, create: async () => ids.push((await tasks.create({ name: 'x' })).id) };
  };

  // Nobody listens yet.
  const first = await startPosting();
  await first.create();
  await first.create();
  first.process.kill('SIGKILL');
  await first.ended();

  const receiver = await startEventReceiver(Number(port));
  const untilReceived = () =>
    until(() => ids.every((id) => receiver.events.some(({ subject }) => subject === id)));
  const second = await startPosting();
  await untilReceived();
  await second.create();
  await untilReceived();
  second.process.kill('SIGKILL');
  await second.ended();

  const third = await startPosting();
  expect(third.output()).toContain(`Events: posted to http://127.0.0.1:${port}`);
  await third.create();
  await untilReceived();
  await third.stop();

  expect([...receiver.mediaTypes]).toEqual(['application/cloudevents-batch+json; charset=utf-8']);
  const distinct = new Map(receiver.events.map((event) => [event.id, event]));
  expect([...distinct.keys()].sort()).toEqual(ids.map((id) => `${id}:1`).sort());
  for (const event of receiver.events) expect(event).toEqual(distinct.get(event.id));
  await receiver.stop();
});
