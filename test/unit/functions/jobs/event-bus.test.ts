import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { CloudEvent } from '#functions/jobs/cloud-events.ts';
import { connectToBus, maxRequestBytes, sendTo, toRequests } from '#functions/jobs/event-bus.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import { type EngineProxy, startEngineProxy } from '#test/faults/engine-proxy.ts';
import { startTestBus, type TestBus } from '#test/support/event-bus.ts';

/** Puts events on a bus that speaks the protocol of EventBridge, with faults before it. */

let bus: TestBus;
let proxy: EngineProxy;
let client: EventBridgeClient;

beforeAll(async () => {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  bus = await startTestBus();
  proxy = await startEngineProxy(bus.endpoint);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = connectToBus({ endpoint: proxy.endpoint, region: 'us-east-1', credentials });
});

beforeEach(() => {
  proxy.inject(undefined);
  bus.events.length = 0;
});

afterAll(async () => {
  client.destroy();
  await proxy.stop();
  await bus.stop();
});

const newEvent = (number: number, characters = 1): CloudEvent => ({
  specversion: '1.0',
  id: `entity:${number}`,
  type: 'task.updated',
  source: '/tenants/acme',
  subject: 'entity',
  time: '2026-11-24T02:06:32.699Z',
  datacontenttype: 'application/json',
  data: { version: number, changes: { name: { from: 'a', to: 'x'.repeat(characters) } } },
});

const newEvents = (count: number, characters?: number): CloudEvent[] =>
  Array.from({ length: count }, (_, number) => newEvent(number, characters));

const send = (events: readonly CloudEvent[], timeMs = 5_000, attempts?: number) =>
  sendTo('the-bus', { deadline: new Deadline(timeMs), client, ...(attempts && { attempts }) })(events);

const idsOf = (events: Iterable<CloudEvent>): string[] => [...events].map(({ id }) => id).sort();

test('an entry names the bus, the source, the type and the time', () => {
  const event = newEvent(1);
  expect(toRequests([event], 'the-bus')).toEqual([
    [
      {
        event,
        entry: {
          EventBusName: 'the-bus',
          Source: 'project-management',
          DetailType: 'task.updated',
          Detail: JSON.stringify(event),
          Time: new Date('2026-11-24T02:06:32.699Z'),
        },
      },
    ],
  ]);
});

test('a request has ten entries at most', () => {
  expect(toRequests(newEvents(25), 'the-bus').map(({ length }) => length)).toEqual([10, 10, 5]);
  expect(toRequests([], 'the-bus')).toEqual([]);
});

test('a request has 256 KB at most', async () => {
  const events = newEvents(7, 100_000);
  const sizes = toRequests(events, 'the-bus').map((request) =>
    request.reduce((sum, { entry }) => sum + Buffer.byteLength(entry.Detail), 0),
  );
  expect(sizes).toHaveLength(4);
  expect(Math.max(...sizes)).toBeLessThan(maxRequestBytes);
  // The bus refuses a larger one.
  expect(await send(events)).toBeUndefined();
  expect(idsOf(bus.events)).toEqual(idsOf(events));
});

test('entries that the bus does not accept are sent again, alone', async () => {
  const sent: number[] = [];
  proxy.inject(async ({ body }, pass) => {
    const { Entries } = body as { Entries: unknown[] };
    sent.push(Entries.length);
    if (sent.length > 1) return pass();
    const results = Entries.map((_, place) =>
      place === 3 ? { ErrorCode: 'ThrottlingException', ErrorMessage: 'slow down' } : { EventId: `${place}` },
    );
    return { status: 200, body: JSON.stringify({ FailedEntryCount: 1, Entries: results }) };
  });
  expect(await send(newEvents(10))).toBeUndefined();
  expect(sent).toEqual([10, 1]);
  expect(idsOf(bus.events)).toEqual(['entity:3']);
});

test('what is not accepted in three attempts is returned, with the reason, and the rest is accepted', async () => {
  let calls = 0;
  proxy.inject(async ({ body }, pass) => {
    if (!JSON.stringify(body).includes('entity:12')) return pass();
    calls += 1;
    return {
      status: 200,
      body: JSON.stringify({
        FailedEntryCount: 1,
        Entries: (body as { Entries: { Detail: string }[] }).Entries.map(({ Detail }) =>
          Detail.includes('entity:12') ? { ErrorCode: 'InternalFailure' } : { EventId: 'accepted' },
        ),
      }),
    };
  });
  const unsent = await send(newEvents(15));
  expect(idsOf(unsent?.elements ?? [])).toEqual(['entity:12']);
  expect(String(unsent?.error)).toContain('InternalFailure');
  expect(calls).toBe(3);
});

test('a refused request, a lost one and a lost response are sent again', async () => {
  let calls = 0;
  proxy.inject(async (_call, pass) => {
    calls += 1;
    if (calls === 1) return { status: 500, body: JSON.stringify({ __type: 'InternalException' }) };
    if (calls === 2) {
      await pass();
      return undefined;
    }
    return pass();
  });
  expect(await send(newEvents(2))).toBeUndefined();
  // Twice, with the same ids.
  expect(idsOf(bus.events)).toEqual(['entity:0', 'entity:0', 'entity:1', 'entity:1']);
});

test('one attempt is made where one is given', async () => {
  let calls = 0;
  proxy.inject(async () => {
    calls += 1;
    return undefined;
  });
  expect((await send(newEvents(1), 5_000, 1))?.elements.size).toBe(1);
  expect(calls).toBe(1);
});

test('nothing is thrown when the time is over', async () => {
  const events = newEvents(3);
  const unsent = await send(events, 0);
  expect(idsOf(unsent?.elements ?? [])).toEqual(idsOf(events));
  expect(bus.events).toEqual([]);
});
