import { randomUUID } from 'node:crypto';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import type { CloudEvent } from '#functions/jobs/cloud-events.ts';
import { sendTo } from '#functions/jobs/event-bus.ts';
import { handler } from '#functions/jobs/on-log-records-with-bus.ts';
import { connectToQueue } from '#functions/jobs/unpublished-queue.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import {
  decodeRecord,
  logPartition,
  manifestSortKey,
  recordPrefix,
  stampOf,
} from '#functions/store/model/change-log.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { deliverAll } from '#lib/cloud-assembly/stream-delivery.ts';
import { republishQueue } from '#lib/events/republish.ts';
import { UnpublishedMessages } from '#lib/events/unpublished-messages.ts';
import { streamRetries } from '#lib/hosting/functions.ts';
import { setEngineEnvironment } from '#lib/local/engine-environment.ts';
import { functionContext } from '#lib/local/lambda-context.ts';
import { type EngineProxy, type Injector, seeded, startEngineProxy } from '#test/faults/engine-proxy.ts';
import { printedSeed } from '#test/faults/seed.ts';
import { startTestBus, type TestBus } from '#test/support/event-bus.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { startTestQueue, type TestQueue } from '#test/support/queue.ts';
import { runs } from '#test/support/runs.ts';
import type { Intercept } from '#test/support/table/course.ts';
import { refused } from '#test/support/table/faults.ts';

/**
 * Changes are published by a function whose bus, queue and table fail at random, and which ends at random between publishing and compaction. Records
 * are delivered as Lambda does it, which sends the times of what it gives up to the same queue. What the queue has is published by the command of the
 * runbook. Then no event is missing, events with one id are equal, and the queue is empty.
 */

let store: Awaited<ReturnType<typeof startTestStore>>;
let bus: TestBus;
let queue: TestQueue;
let busProxy: EngineProxy;
let queueProxy: EngineProxy;
let random: () => number;
let printed: jest.SpyInstance;

beforeAll(async () => {
  random = seeded(printedSeed());
  store = await startTestStore();
  bus = await startTestBus();
  queue = await startTestQueue();
  busProxy = await startEngineProxy(bus.endpoint);
  queueProxy = await startEngineProxy(queue.endpoint);
  setEngineEnvironment(store.endpoint);
  process.env['TABLE_NAME'] = store.tableName;
  process.env['EVENT_BUS_NAME'] = 'the-bus';
  process.env['UNPUBLISHED_QUEUE_URL'] = queue.url;
  process.env['AWS_ENDPOINT_URL_EVENTBRIDGE'] = busProxy.endpoint;
  process.env['AWS_ENDPOINT_URL_SQS'] = queueProxy.endpoint;
  // The number of attempts matters, not how long the function waits between them.
  jest.spyOn(Deadline.prototype, 'backOff').mockImplementation(async function (this: Deadline) {
    return this.remaining() > 0;
  });
  printed = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(async () => {
  printed.mockRestore();
  await busProxy.stop();
  await queueProxy.stop();
  await bus.stop();
  await queue.stop();
  await store.stop();
});

const pick = <Element>(elements: readonly Element[]): Element =>
  elements[Math.floor(random() * elements.length)] as Element;

/** Entries of a request to the bus that are refused, or its request or response that is lost, with a probability. */
const failingBus =
  (share: number): Injector =>
  async (_, pass) => {
    if (random() >= share) return pass();
    switch (pick(['refused', 'lost', 'unanswered', 'in part'])) {
      case 'refused':
        return { status: 400, body: JSON.stringify({ __type: 'ThrottlingException', message: 'slow down' }) };
      case 'lost':
        return undefined;
      case 'unanswered':
        await pass();
        return undefined;
      default: {
        const { body: accepted } = await pass();
        const { Entries } = JSON.parse(accepted) as { Entries: object[] };
        // They were accepted all the same: the bus says otherwise.
        const results = Entries.map((entry) => (random() < 0.5 ? entry : { ErrorCode: 'InternalFailure' }));
        return { status: 200, body: JSON.stringify({ FailedEntryCount: 1, Entries: results }) };
      }
    }
  };

/** Messages that the queue refuses, or whose request or response is lost, with a probability. */
const failingQueue =
  (share: number): Injector =>
  async (_, pass) => {
    if (random() >= share) return pass();
    switch (pick(['refused', 'lost', 'unanswered'])) {
      case 'refused':
        return { status: 400, body: JSON.stringify({ __type: 'AccessDenied', message: 'not now' }) };
      case 'unanswered':
        await pass();
        return undefined;
      default:
        return undefined;
    }
  };

/** The calls of a function to the table, some of which never return, as if it had ended. */
const failingTable =
  (share: number): Intercept =>
  () =>
    random() < share ? refused('ProcessStopped', 'stopped here') : undefined;

/** Makes random changes of tags and organizations. */
async function change(session: Session, count: number): Promise<void> {
  const known: { kind: 'tag' | 'organization'; id: string }[] = [];
  for (let number = 0; number < count; number += 1) {
    const one = known.length > 0 && random() < 0.5 ? pick(known) : undefined;
    const fields = {
      name: `Name ${number}`,
      status: pick(['active', 'done']),
      description: 'é'.repeat(random() * 300),
    };
    if (one) await updateEntity(session, one, fields);
    else {
      const kind = pick(['tag', 'organization'] as const);
      const { entity } = await createEntity(session, kind, fields);
      known.push({ kind, id: entity.id });
    }
  }
}

/** Returns the records of a tenant, as the stream reports them, and the ids of their events. */
async function written({ tenant, database }: Session): Promise<{ records: DynamoDBRecord[]; ids: string[] }> {
  const logs = await Promise.all(
    (['tag', 'organization'] as const).map((kind) =>
      database.query({
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':pk': logPartition(tenant, kind),
          ':from': recordPrefix,
          ':to': manifestSortKey,
        },
      }),
    ),
  );
  const items = logs.flatMap(({ items: found }) => found).filter(({ sk }) => sk.startsWith(recordPrefix));
  return {
    records: items.map(({ pk, sk }) => ({
      eventName: 'INSERT',
      dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, SequenceNumber: `${pk}${sk}` },
    })),
    ids: items.flatMap((item) => decodeRecord(item).entries.map(({ id, version }) => `${id}:${version}`)),
  };
}

async function deliverBatch(
  records: readonly DynamoDBRecord[],
  endsEarly: boolean,
): Promise<DynamoDBBatchResponse> {
  const response = await handler({ Records: [...records] }, functionContext(randomUUID(), 3_000));
  // Lambda does not know what a function did that ended before it responded.
  if (endsEarly) throw new Error('The function has ended.');
  return response;
}

/** Returns what Lambda sends to the destination of a batch that it gives up. */
function givenUp(records: readonly DynamoDBRecord[]): string {
  const at = records.map(({ dynamodb }) => stampOf(dynamodb?.Keys?.['sk']?.S ?? ''));
  const [first, last] = [Math.min(...at), Math.max(...at)].map((time) => new Date(time).toISOString());
  const times = { approximateArrivalOfFirstRecord: first, approximateArrivalOfLastRecord: last };
  return JSON.stringify({ version: '1.0', DDBStreamBatchInfo: { ...times, batchSize: records.length } });
}

/** Publishes what the queue has, as `npm run republish` does. */
const replay = () =>
  republishQueue(
    {
      client: store.table,
      table: store.tableName,
      send: (events) => sendTo('the-bus', { deadline: new Deadline(10_000) })(events),
      onItems: () => undefined,
    },
    new UnpublishedMessages(connectToQueue({ endpoint: queue.endpoint }), queue.url),
  );

test.each(Array.from({ length: runs(3, 30) }, (_, round) => round))(
  'no event is missing, and repeated ones are equal: round %i',
  async (round) => {
    const tenant = `@${randomUUID()}`;
    const session = store.session(tenant);
    await change(session, 40);
    const { records, ids } = await written(session);
    busProxy.inject(failingBus(0.5));
    queueProxy.inject(failingQueue(0.7));
    store.table.intercept = failingTable(0.2);
    for (let start = 0; start < records.length; ) {
      const batch = records.slice(start, start + 1 + Math.floor(random() * 12));
      start += batch.length;
      await deliverAll(batch, {
        call: (some) => deliverBatch(some, random() < 0.2),
        onDiscarded: (given) => queue.add(givenUp(given)),
        isStopped: () => false,
        retries: streamRetries,
      });
    }
    busProxy.inject(undefined);
    queueProxy.inject(undefined);
    store.table.intercept = undefined;
    if (round % 2 === 1) {
      // The bus still fails in part: the messages stay until all of their records are published.
      busProxy.inject(failingBus(0.3));
      await replay();
      busProxy.inject(undefined);
    }
    const { failed, missing, error } = await replay();
    expect([failed, missing, error, queue.bodies()]).toEqual([0, 0, undefined, []]);

    const events = bus.events.filter(({ source }) => source === `/tenants/${tenant.slice(1)}`);
    const byId = new Map<string, CloudEvent>();
    for (const event of events)
      expect(event).toEqual(byId.get(event.id) ?? byId.set(event.id, event).get(event.id));
    expect([...byId.keys()].sort()).toEqual([...ids].sort());
  },
  60_000,
);
