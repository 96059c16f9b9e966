import { join } from 'node:path';
import { createClient } from '#client/index.ts';
import type { CloudEvent } from '#functions/jobs/cloud-events.ts';
import { startResponder, startServer } from '../support/http-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { killLeftovers, start } from './started-service.ts';

/** `npm start -- --events`: every change is posted, whenever the service is killed. */

const folder = temporaryFolder();
afterEach(killLeftovers);

test('continues after it was killed, and after it was stopped: nothing is missing, and repeated events have the same id', async () => {
  const { url, port, stop } = await startServer();
  await stop();
  const ids: string[] = [];
  const startPosting = async () => {
    const environment = { DATABASE_FILE: join(folder, 'database.sqlite') };
    const service = await start(environment, ['--events', url]);
    const { tasks } = createClient({ url: service.url });
    return { ...service, create: async () => ids.push((await tasks.create({ name: 'x' })).id) };
  };

  // Nobody listens yet.
  const first = await startPosting();
  await first.create();
  await first.create();
  first.process.kill('SIGKILL');
  await first.ended();

  const events: CloudEvent[] = [];
  const mediaTypes = new Set<string | undefined>();
  const receiver = await startResponder(({ headers }, body) => {
    mediaTypes.add(headers['content-type']);
    events.push(...(JSON.parse(body) as CloudEvent[]));
    return { status: 204 };
  }, port);
  const untilReceived = () => until(() => ids.every((id) => events.some(({ subject }) => subject === id)));
  const second = await startPosting();
  await untilReceived();
  await second.create();
  await untilReceived();
  second.process.kill('SIGKILL');
  await second.ended();

  const third = await startPosting();
  expect(third.output()).toContain(`Events: posted to ${url}`);
  await third.create();
  await untilReceived();
  await third.stop();

  expect([...mediaTypes]).toEqual(['application/cloudevents-batch+json; charset=utf-8']);
  const distinct = new Map(events.map((event) => [event.id, event]));
  expect([...distinct.keys()].sort()).toEqual(ids.map((id) => `task:${id}:1`).sort());
  for (const event of events) expect(event).toEqual(distinct.get(event.id));
  await receiver.stop();
});
