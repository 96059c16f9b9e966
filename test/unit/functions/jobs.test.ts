import { randomUUID } from 'node:crypto';
import { EventBridgeClient, type PutEventsRequest } from '@aws-sdk/client-eventbridge';
import { type SendMessageRequest, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBBatchResponse, DynamoDBRecord, SQSEvent } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { decodeRecord, logPartition, recordKey, recordPrefix } from '#functions/engine/model/change-log.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import { buildJobWrite, type Job } from '#functions/engine/model/job.ts';
import { decodeReminder, reminderKey } from '#functions/engine/model/reminder.ts';
import type { Item, Key } from '#functions/engine/model/writes.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import { applyInBatches } from '#functions/engine/write/commit.ts';
import { type CloudEvent, fitEvent, sourceOf, toEvents } from '#functions/jobs/cloud-events.ts';
import { maxRequestBytes, sendTo, toRequests } from '#functions/jobs/event-bus.ts';
import { ageOf, isMissed } from '#functions/jobs/job-metrics.ts';
import { handler as onLogRecords } from '#functions/jobs/on-log-records.ts';
import { handler as onLogRecordsWithBus } from '#functions/jobs/on-log-records-with-bus.ts';
import { handler as onStream } from '#functions/jobs/on-stream.ts';
import type { UnpublishedRecords } from '#functions/jobs/unpublished-queue.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import type { Kind } from '#functions/schema.ts';
import { putEvents } from '#lib/cloud-assembly/event-bus.ts';
import { sendMessage } from '#lib/cloud-assembly/queue.ts';
import { functionContext } from '#lib/local/lambda-context.ts';
import { absorbedRows } from '#test/support/compaction.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { lostRequest, refused } from '#test/support/table/faults.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

const writtenAt = Date.parse('2026-02-03T04:00:00.000Z');
const minuteMs = 60_000;

let store: ReturnType<typeof startTestStore>;
let time: VirtualTime;
let tenant: string;
let logged: jest.SpyInstance;

/** What the bus has accepted, and the bodies in the queue. */
let events: CloudEvent[];
let queue: string[];

interface Call<Request> {
  readonly request: Request;
  readonly abortSignal: AbortSignal;
  /** Lets the service respond. */
  pass(): unknown;
}

/** What happens to the calls of the bus and the queue. */
let onPut: ((call: Call<PutEventsRequest>) => unknown) | undefined;
let onSend: ((call: Call<SendMessageRequest>) => unknown) | undefined;

const pass = (call: Call<unknown>): unknown => call.pass();

const hung = ({ abortSignal }: Call<unknown>): Promise<void> => time.delay(3_600_000, abortSignal);

const refuse = (): never => {
  throw new Error('refused');
};

function put(request: PutEventsRequest): unknown {
  const { status, body, events: accepted } = putEvents(request);
  if (status !== 200) throw new Error(JSON.stringify(body));
  events.push(...accepted.map(({ detail }) => detail as CloudEvent));
  return body;
}

function send(request: SendMessageRequest): unknown {
  const { status, body } = sendMessage(request);
  if (status !== 200) throw new Error(JSON.stringify(body));
  queue.push(request.MessageBody ?? '');
  return body;
}

beforeEach(() => {
  time = new VirtualTime(1, writtenAt);
  setTimeAndChance(time);
  store = startTestStore();
  tenant = `@${randomUUID()}`;
  [events, queue, onPut, onSend] = [[], [], undefined, undefined];
  process.env['TABLE_NAME'] = store.tableName;
  process.env['EVENT_BUS_NAME'] = 'the-bus';
  process.env['UNPUBLISHED_QUEUE_URL'] = 'https://queue.example/unpublished';
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  type Sent = { readonly input: never };
  type Options = { readonly abortSignal: AbortSignal };
  jest
    .spyOn(EventBridgeClient.prototype, 'send')
    .mockImplementation((async ({ input }: Sent, { abortSignal }: Options) =>
      (onPut ?? pass)({ request: input, abortSignal, pass: () => put(input) })) as never);
  jest
    .spyOn(SQSClient.prototype, 'send')
    .mockImplementation((async ({ input }: Sent, { abortSignal }: Options) =>
      (onSend ?? pass)({ request: input, abortSignal, pass: () => send(input) })) as never);
});

afterEach(() => {
  jest.restoreAllMocks();
  setTimeAndChance();
});

const logLines = () => logged.mock.calls.map(([line]) => JSON.parse(String(line)) as object);

/** Creates entities, each in a transaction of its own: each writes one record. */
async function write(kind: 'tag' | 'organization', count: number): Promise<void> {
  const created = Array.from({ length: count }, () => ({
    changes: [buildCreate(kind, { name: 'x', status: 'active' }, time.now())],
  }));
  await applyInBatches(store.session(tenant), created, 1);
}

async function recordsOf(kind: Kind): Promise<Item[]> {
  const { items } = await store.database().query({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': logPartition(tenant, kind), ':prefix': recordPrefix },
  });
  return items;
}

/** Returns changes of items as the stream reports them. Their sequence numbers are their sort keys. */
const delivered = (keys: readonly Key[], eventName: 'INSERT' | 'REMOVE' = 'INSERT') =>
  keys.map(({ pk, sk }) => ({
    eventName,
    dynamodb: {
      Keys: { pk: { S: pk }, sk: { S: sk } },
      SequenceNumber: sk,
      ApproximateCreationDateTime: writtenAt / 1_000,
    },
  }));

async function compactedRows(kind: Kind): Promise<number> {
  const { manifest } = await openLog(store.database(), tenant, kind).readHead(0);
  return manifest ? absorbedRows(manifest) : 0;
}

describe('cloud events', () => {
  const log = { tenant: '@acme', kind: 'task' } as const;
  const id = '019a0000-0000-7000-8000-000000000001';
  const time = Date.parse('2026-11-24T02:06:32.699Z');
  const row = { name: 'Plan', status: 'active', updatedAt: '2026-11-24T02:06:32.699Z' };

  const eventOf = (entry: object, actor?: string) => {
    const record = {
      position: 70,
      time,
      actor,
      entries: [{ id, version: 11, previousPosition: 1, ...entry }],
    };
    return toEvents(log, record)[0] as CloudEvent;
  };

  test('an update is a CloudEvent with the changed fields before and after', () => {
    const event = eventOf({ before: row, after: { ...row, status: 'done' } }, '8d3c');
    expect(event).toEqual({
      specversion: '1.0',
      id: 'task:019a0000-0000-7000-8000-000000000001:11',
      type: 'task.updated',
      source: '/tenants/acme',
      subject: '019a0000-0000-7000-8000-000000000001',
      time: '2026-11-24T02:06:32.699Z',
      sequence: '000000000000070',
      datacontenttype: 'application/json',
      data: { version: 11, actor: '8d3c', changes: { status: { from: 'active', to: 'done' } } },
    });
  });

  test('the source names the tenant as part of a path', () => {
    expect(sourceOf('@auth0%7C1%2F2')).toBe('/tenants/auth0%7C1%2F2');
    // Another path than that of the tenant "public" of a token.
    expect([sourceOf('public'), sourceOf('@public')]).toEqual(['/public', '/tenants/public']);
  });

  test('an event above the limit of the bus leaves out its changed fields, and says so', () => {
    const event = eventOf({ before: row, after: { ...row, name: 'é'.repeat(255) } });
    const bytes = Buffer.byteLength(JSON.stringify(event));
    expect(fitEvent(event, bytes)).toBe(event);
    const cut = { version: 11, isCut: true };
    expect(fitEvent(event, bytes - 1)).toEqual({ ...event, data: cut });
    expect(fitEvent(eventOf({ after: { ...row, name: 'x'.repeat(300_000) } })).data).toEqual(cut);
  });
});

describe('event bus', () => {
  const newEvents = (count: number, characters = 1): CloudEvent[] =>
    Array.from({ length: count }, (_, number) => ({
      specversion: '1.0',
      id: `entity:${number}`,
      type: 'task.updated',
      source: '/tenants/acme',
      subject: 'entity',
      time: '2026-11-24T02:06:32.699Z',
      sequence: '000000000000070',
      datacontenttype: 'application/json',
      data: { version: number, changes: { name: { from: 'a', to: 'x'.repeat(characters) } } },
    }));

  const sendAll = (sent: readonly CloudEvent[], timeMs = 10_000) =>
    sendTo('the-bus', { deadline: new Deadline(timeMs) })(sent);

  const idsOf = (some: Iterable<CloudEvent>): string[] => [...some].map(({ id }) => id).sort();

  test('an entry names the bus, the source, the type and the time', () => {
    const [event] = newEvents(1) as [CloudEvent];
    const entry = {
      EventBusName: 'the-bus',
      Source: 'project-management',
      DetailType: 'task.updated',
      Detail: JSON.stringify(event),
      Time: new Date('2026-11-24T02:06:32.699Z'),
    };
    expect(toRequests([event], 'the-bus')).toEqual([[{ event, entry }]]);
    expect(toRequests(newEvents(25), 'the-bus').map(({ length }) => length)).toEqual([10, 10, 5]);
  });

  test('a request has 256 KB at most', async () => {
    const sent = newEvents(7, 100_000);
    const sizes = toRequests(sent, 'the-bus').map((request) =>
      request.reduce((sum, { entry }) => sum + Buffer.byteLength(entry.Detail), 0),
    );
    expect(sizes).toHaveLength(4);
    expect(Math.max(...sizes)).toBeLessThan(maxRequestBytes);
    // The bus refuses a larger one.
    expect(await sendAll(sent)).toBeUndefined();
    expect(idsOf(events)).toEqual(idsOf(sent));
  });

  test('entries that the bus does not accept are sent again, alone', async () => {
    const sizes: number[] = [];
    onPut = ({ request: { Entries = [] }, pass }) => {
      sizes.push(Entries.length);
      const results = Entries.map((_, place) =>
        place === 3 ? { ErrorCode: 'Throttled' } : { EventId: 'x' },
      );
      return sizes.length === 1 ? { Entries: results } : pass();
    };
    expect(await sendAll(newEvents(10))).toBeUndefined();
    expect([sizes, idsOf(events)]).toEqual([[10, 1], ['entity:3']]);
  });
});

describe('job metrics', () => {
  const idOf = (msecs: number): string => uuidv7({ msecs });
  const job: Job = {
    id: idOf(writtenAt - 60_000),
    tenant: 'acme',
    version: 1,
    dueAt: '1970-01-01T00:00:00.000Z',
    work: { type: 'archive' },
  };

  test.each([
    ['that nobody has started', {}, true, 60_000],
    ['that was started', { version: 2 }, false, 60_000],
    ['that began with a later time', { dueAt: '2026-02-03T03:59:59.000Z' }, false, 60_000],
    ['that began a moment ago', { id: idOf(writtenAt - 5_000) }, false, 5_000],
    ['of a writer whose clock is ahead', { id: idOf(writtenAt + 5_000) }, false, 0],
    ['whose id has no time', { id: 'job' }, false, 0],
  ])('a job %s', (_, more, missed, age) => {
    const one = { ...job, ...more };
    expect([isMissed(one, writtenAt), ageOf(one, writtenAt)]).toEqual([missed, age]);
  });
});

describe('jobs of the stream', () => {
  async function makeJob(type = 'clone'): Promise<Job> {
    const work = { type, from: randomUUID(), to: randomUUID(), asOf: writtenAt, path: [] };
    const dueAt = new Date(0).toISOString();
    const job = { id: randomUUID(), tenant, version: 1, dueAt, work } as unknown as Job;
    await store.database().transact([buildJobWrite(undefined, job)]);
    return job;
  }

  const keyOf = ({ id }: Job): Key => ({ pk: `${tenant}#job#${id}`, sk: 'job' });

  const recordOf = (
    { pk, sk }: Key,
    eventName: 'INSERT' | 'MODIFY' | 'REMOVE' = 'INSERT',
  ): DynamoDBRecord => ({
    eventName,
    dynamodb: { SequenceNumber: pk, Keys: { pk: { S: pk }, sk: { S: sk } } },
  });

  const handle = (...Records: DynamoDBRecord[]) => onStream({ Records }, functionContext('request', 30_000));

  test('a failing record does not block the others and is the only one to be delivered again', async () => {
    const jobs = [await makeJob(), await makeJob('a type of a later version'), await makeJob()];
    // Its key is not of a job.
    const other = { pk: 'public#job', sk: 'job' };
    const keys = [...jobs.map(keyOf), other];
    const { batchItemFailures } = await handle(...keys.map((key) => recordOf(key)));
    const failed = [keys[1], other].map((key) => ({ itemIdentifier: key?.pk }));
    expect(batchItemFailures).toEqual(failed);
    const left = await Promise.all(jobs.map((job) => store.database().get(keyOf(job))));
    expect(left.map((item) => item !== undefined)).toEqual([false, true, false]);
  });

  test('a record of progress starts no worker, and one of a wake-up does', async () => {
    const key = keyOf(await makeJob());
    await handle(recordOf(key, 'MODIFY'), recordOf({ ...key, sk: 'wake-up' }, 'REMOVE'));
    expect(await store.database().get(key)).toMatchObject({ version: 1 });
    await handle(recordOf({ ...key, sk: 'wake-up' }, 'MODIFY'));
    expect(await store.database().get(key)).toBeUndefined();
  });
});

describe('new log records', () => {
  const handle = (keys: readonly Key[], eventName?: 'REMOVE'): Promise<void> =>
    onLogRecords({ Records: delivered(keys, eventName) }, functionContext('request', 30_000));

  /** Returns the milliseconds until the schedule looks at a log. */
  async function remindedIn(kind: Kind): Promise<number> {
    const item = await store.database().get(reminderKey({ tenant, kind }));
    return decodeReminder(item as Item).dueAt - time.now();
  }

  const newRecord = (kind: Kind): Key => recordKey({ tenant, kind }, 1);

  test('other items, and records that are deleted, compact nothing', async () => {
    await write('tag', 64);
    await time.delay(minuteMs);
    const pk = logPartition(tenant, 'tag');
    const others = [
      { pk, sk: '~' },
      { pk: `${tenant}#tag#1`, sk: 'entity' },
      { pk: `${tenant}#log`, sk: 'r#1' },
    ];
    await handle(others);
    await handle([{ pk, sk: 'r#1' }], 'REMOVE');
    expect([await compactedRows('tag'), logLines()]).toEqual([0, []]);
  });

  test('does not throw when one log cannot be compacted, compacts the others, and the schedule looks again', async () => {
    await write('organization', 1);
    await write('tag', 64);
    await time.delay(minuteMs);
    const kind = 'organization';
    // The manifest of a later version of the service.
    await store.database().putItem({ pk: logPartition(tenant, kind), sk: '~', format: 99, version: 1 });
    await handle([newRecord(kind), newRecord('tag')]);
    expect(logLines()).toContainEqual(expect.objectContaining({ level: 'ERROR', log: kind }));
    expect([await compactedRows('tag'), await remindedIn(kind)]).toEqual([64, 5_000]);
  });
});

describe('new log records with a bus', () => {
  /** Delivers records. @param remainingMs time of the function. */
  const deliver = (keys: readonly Key[], remainingMs = 30_000): Promise<DynamoDBBatchResponse> =>
    onLogRecordsWithBus({ Records: delivered(keys) }, functionContext('request', remainingMs));

  const failedKeys = ({ batchItemFailures }: DynamoDBBatchResponse): string[] =>
    batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

  const queuedKeys = (): string[] =>
    queue.flatMap((body) => (JSON.parse(body) as UnpublishedRecords).records.map(({ sk }) => sk));

  /** Creates tags. @returns their records, whose log can be compacted. */
  async function writeTags(count: number): Promise<Item[]> {
    await write('tag', count);
    await time.delay(minuteMs);
    return recordsOf('tag');
  }

  /** Lets the bus refuse one event. */
  async function refuseEventOf(record: Item): Promise<void> {
    const [{ id } = { id: '' }] = decodeRecord(record).entries;
    onPut = ({ request }) => putEvents(request, (detail) => detail.includes(id)).body;
  }

  test('publishes the changes of all records before anything else, and compacts their log', async () => {
    const records = await writeTags(64);
    let rowsBefore: number | undefined;
    onPut = async ({ pass }) => {
      rowsBefore ??= await compactedRows('tag');
      return pass();
    };
    expect(failedKeys(await deliver(records))).toEqual([]);
    expect([rowsBefore, await compactedRows('tag'), queue]).toEqual([0, 64, []]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(64);
    expect(events[0]).toMatchObject({ type: 'tag.created', source: `/tenants/${tenant.slice(1)}` });
    const first = [...events];
    await deliver(records);
    expect(events.slice(64)).toEqual(first);
  });

  test('a bus that refuses some events: the keys of their records alone go to the queue, and the log is compacted', async () => {
    const records = await writeTags(64);
    await refuseEventOf(records[7] as Item);
    expect(failedKeys(await deliver(records))).toEqual([]);
    expect([queuedKeys(), await compactedRows('tag')]).toEqual([[records[7]?.sk], 64]);
  });

  test('a bus that does not respond: one message has the keys of all records, and the log is compacted', async () => {
    const records = await writeTags(64);
    onPut = hung;
    expect(failedKeys(await deliver(records))).toEqual([]);
    expect(queuedKeys()).toEqual(records.map(({ sk }) => sk));
    expect([queue.length, await compactedRows('tag')]).toEqual([1, 64]);
    expect(logLines()).toContainEqual(expect.objectContaining({ level: 'ERROR', records: 64 }));
  });

  /** Lets the queue call the function with its messages, which have their places as ids. Returns the ids of those that stay in the queue. */
  const deliverQueue = async (): Promise<string[]> =>
    failedKeys(
      await onLogRecordsWithBus(
        {
          Records: queue.map((body, place) => ({ messageId: `${place}`, body, eventSource: 'aws:sqs' })),
        } as unknown as SQSEvent,
        functionContext('request', 30_000),
      ),
    );

  test('a message of the queue is reported until the bus accepts all its records, and is never sent again', async () => {
    const records = await writeTags(3);
    onPut = refuse;
    await deliver(records);
    await deliver(records.slice(0, 1));
    expect([queue.length, await deliverQueue()]).toEqual([2, ['0', '1']]);
    await refuseEventOf(records[2] as Item);
    expect([queue.length, await deliverQueue()]).toEqual([2, ['0']]);
    onPut = undefined;
    expect([await deliverQueue(), queue.length]).toEqual([[], 2]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
  });

  test('a message has the attempts of new records: the bus must accept all its records in one call', async () => {
    onPut = refuse;
    await deliver(await writeTags(1));
    let calls = 0;
    onPut = ({ pass }) => {
      calls += 1;
      return calls < 3 ? refuse() : pass();
    };
    expect([await deliverQueue(), calls]).toEqual([[], 3]);
  });

  test('a message whose records have all expired leaves the queue', async () => {
    const records = await writeTags(2);
    onPut = refuse;
    await deliver(records);
    for (const { pk, sk } of records) await store.database().deleteItem({ pk, sk });
    expect([await deliverQueue(), events]).toEqual([[], []]);
  });

  test('a queue that does not accept the keys: the unpublished records alone are reported, and the log is compacted', async () => {
    const records = await writeTags(64);
    await refuseEventOf(records[7] as Item);
    onSend = refuse;
    expect(failedKeys(await deliver(records))).toEqual([records[7]?.sk]);
    expect([queue, await compactedRows('tag')]).toEqual([[], 64]);
  });

  test('a queue that does not respond does not keep the log from being compacted', async () => {
    const records = await writeTags(64);
    onPut = refuse;
    onSend = hung;
    // The queue has a quarter of the time.
    expect(failedKeys(await deliver(records, 8_000))).toEqual(records.map(({ sk }) => sk));
    expect(await compactedRows('tag')).toBe(64);
  });

  test.each([
    ['a new record gets three attempts', minuteMs, 3],
    ['a record that is older than five minutes gets one', 5 * minuteMs + 1_000, 1],
  ])('%s', async (_, age, attempts) => {
    const records = await writeTags(1);
    await time.delay(age - minuteMs);
    let calls = 0;
    onPut = () => {
      calls += 1;
      return refuse();
    };
    await deliver(records);
    expect([calls, queuedKeys()]).toEqual([attempts, records.map(({ sk }) => sk)]);
  });

  test('the keys of records that cannot be decoded or read go to the queue, and a record that is gone has no event', async () => {
    const [unknown, known] = (await writeTags(2)) as [Item, Item];
    await store.database().putItem({ ...unknown, e: Buffer.of(99) });
    const gone = { ...known, sk: `${known.sk.slice(0, -1)}~` };
    expect(failedKeys(await deliver([unknown, known, gone]))).toEqual([]);
    expect([queuedKeys(), events.length]).toEqual([[unknown.sk], 1]);
    store.table.intercept = ({ operation }) =>
      operation === 'BatchGetItem' ? refused('AccessDenied') : undefined;
    expect(failedKeys(await deliver([known]))).toEqual([]);
    expect(queuedKeys()).toEqual([unknown.sk, known.sk]);
  });

  test.each([1, 3, 4, 5, 6])('no event is missing, and repeated ones are equal: seed %i', async (seed) => {
    time = new VirtualTime(seed, writtenAt);
    setTimeAndChance(time);
    const isHit = (share: number): boolean => time.random() < share;
    const fail =
      (share: number) =>
      ({ pass }: Call<unknown>): unknown => {
        if (isHit(share / 2)) refuse();
        const response = pass();
        return isHit(share / 2) ? refuse() : response;
      };
    store = startTestStore();
    process.env['TABLE_NAME'] = store.tableName;
    let left = await writeTags(40);
    const ids = left.flatMap((item) =>
      decodeRecord(item).entries.map(({ id, version }) => `tag:${id}:${version}`),
    );
    const idOf = new Map(left.map(({ sk }, place) => [sk, ids[place]]));
    [onPut, onSend] = [fail(0.9), fail(0.5)];
    store.table.intercept = () => (isHit(0.1) ? lostRequest(0) : undefined);
    while (left.length > 0) {
      const batch = left.slice(0, 12);
      const failed = await deliver(batch, 3_000).then(failedKeys, () => [batch[0]?.sk]);
      // Lambda delivers the batch again from the first failed record on.
      left = left.slice(failed.length > 0 ? batch.findIndex(({ sk }) => failed.includes(sk)) : batch.length);
    }
    const byId = new Map(events.map((event) => [event.id, event]));
    for (const event of events) expect(event).toEqual(byId.get(event.id));
    expect(new Set([...byId.keys(), ...queuedKeys().map((sk) => idOf.get(sk))])).toEqual(new Set(ids));
    expect(queue.length).toBeGreaterThan(0);
  });
});
