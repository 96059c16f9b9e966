import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { handler as onSchedule } from '#functions/jobs/on-schedule.ts';
import { handler } from '#functions/jobs/on-stream.ts';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { newId } from '#functions/store/model/ids.ts';
import { beginJob, type JobWork, jobSortKey } from '#functions/store/model/job.ts';
import { applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { type StreamFunction, StreamReader } from '#lib/cloud-assembly/stream-reader.ts';
import { streamRetries } from '#lib/hosting/functions.ts';
import { functionContext, scheduledEvent } from '#lib/local/lambda-context.ts';
import { isValue, listQuery } from '../support/list-queries.ts';
import { startEngineStore, type TestStore } from '../support/local-store.ts';
import { seeded } from './engine-proxy.ts';
import { printedSeed } from './seed.ts';

/** Stream records that are repeated, late, out of order or invalid. */

/** Milliseconds that a call of the function may take. Jobs need several calls. */
const timeout = 2_500;

const seed = printedSeed();
let store: TestStore;
let streams: DynamoDBStreamsClient;
let logged: jest.SpyInstance;
let setAside: jest.SpyInstance;
let reader: StreamReader | undefined;

let deliveries: Map<string, number>;

beforeAll(async () => {
  store = await startEngineStore({ stream: true });
  process.env['TABLE_NAME'] = store.tableName;
  streams = new DynamoDBStreamsClient({ endpoint: store.endpoint });
  // The expected error lines would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  setAside = jest.spyOn(console, 'error').mockImplementation(() => {});
});

afterEach(async () => {
  await reader?.stop();
  reader = undefined;
  setAside.mockClear();
  streams.middlewareStack.remove('invalid-iterators');
});

afterAll(async () => {
  setAside.mockRestore();
  logged.mockRestore();
  streams.destroy();
  await store.stop();
});

const numberOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.SequenceNumber ?? '';
const jobOf = ({ dynamodb }: DynamoDBRecord): string | undefined => dynamodb?.Keys?.['pk']?.S;

/** The function under test with a short timeout. */
const onStream: StreamFunction = (event) => handler(event, functionContext(randomUUID(), timeout));

/** Starts to deliver the stream to a function. */
async function read(deliver: StreamFunction): Promise<void> {
  deliveries = new Map();
  reader = new StreamReader(streams, store.tableName, (event) => {
    for (const record of event.Records) {
      deliveries.set(numberOf(record), (deliveries.get(numberOf(record)) ?? 0) + 1);
    }
    return deliver(event);
  });
  await reader.start();
}

/** Repeats some records, adds some of earlier batches, and shuffles all of them. */
function disordered(deliver: StreamFunction): StreamFunction {
  const random = seeded(seed);
  const earlier: DynamoDBRecord[] = [];
  return async ({ Records }) => {
    const repeated = earlier.filter(() => random() < 0.3).slice(0, 30);
    const twice = Records.filter(() => random() < 0.5);
    const places = new Map([...Records, ...twice, ...repeated].map((record) => [{ record }, random()]));
    const shuffled = [...places].sort(([, one], [, other]) => one - other).map(([{ record }]) => record);
    earlier.push(...Records.filter(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === jobSortKey));
    const { batchItemFailures } = await deliver({ Records: shuffled });
    const own = new Set(Records.map(numberOf));
    return { batchItemFailures: batchItemFailures.filter(({ itemIdentifier }) => own.has(itemIdentifier)) };
  };
}

const newSession = (): Session => ({ tenant: randomUUID(), database: store.database(120_000) });
const fields = (more: object = {}) => ({ name: 'x', status: 'active', ...more });

async function makeProject(session: Session, tasks: number): Promise<string> {
  const organization = await createEntity(session, 'organization', fields());
  const { entity } = await createEntity(
    session,
    'project',
    fields({ organizationId: organization.entity.id }),
  );
  const pieces = Array.from({ length: tasks }, () => ({
    changes: [buildCreate('task', fields({ projectId: entity.id, userId: null, tagIds: [] }), Date.now())],
  }));
  await applyInBatches(session, pieces, 90);
  return entity.id;
}

async function tasksOf(session: Session, project: string): Promise<number> {
  const query = listQuery({ filters: [isValue('projectId', project)], limit: 1 });
  return (await listEntities(session, 'task', query)).total;
}

const begin = ({ tenant, database }: Session, work: JobWork): Promise<void> =>
  database.transact([beginJob({ tenant }, work, { id: newId(Date.now()).id })]);

/** Waits for a condition. The timeout of the test ends the wait. */
async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await delay(50);
}

async function expectCleanAudit(): Promise<void> {
  const report = await auditTable(store.client, store.tableName, { pauseMs: 50 });
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
}

/** Writes new invalid jobs: with missing fields, or of an unknown type. A second write of the same key would be no insertion, which is ignored. */
async function writeInvalidJobs(): Promise<string[]> {
  const tenant = 'poison';
  const whole = { tenant, version: 1, dueAt: new Date(0).toISOString() };
  const items: object[] = [
    {},
    { tenant },
    { ...whole, id: `no-work-${randomUUID()}` },
    { ...whole, id: `unknown-${randomUUID()}`, work: { type: 'unknown' } },
  ];
  const keys = items.map(() => `${tenant}#job#${randomUUID()}`);
  for (const [place, item] of items.entries()) {
    const id = (item as { id?: string }).id;
    const pk = id ? `${tenant}#job#${id}` : keys[place];
    keys[place] = pk ?? '';
    const Item = { pk, sk: jobSortKey, ...item };
    await store.client.send(new PutCommand({ TableName: store.tableName, Item }));
  }
  return keys;
}

test('jobs are done once when records are repeated, late or out of order and steps time out', async () => {
  await read(disordered(onStream));
  const session = newSession();
  const [from, to, gone] = [
    await makeProject(session, 260),
    await makeProject(session, 0),
    await makeProject(session, 260),
  ];
  await begin(session, { type: 'clone', from, to, asOf: Date.now(), after: '' });
  await deleteEntity(session, 'project', gone);
  await until(async () => {
    // The schedule continues jobs that the stream gave up because of conflicts.
    await onSchedule(scheduledEvent(), functionContext(randomUUID(), timeout));
    return (await tasksOf(session, to)) >= 260 && (await tasksOf(session, gone)) === 0;
  });
  // Later records must not change the result.
  await delay(500);
  expect([await tasksOf(session, from), await tasksOf(session, to)]).toEqual([260, 260]);
  await expectCleanAudit();
});

test('invalid records are set aside and do not block other records', async () => {
  const poison = new Map<string, string>();
  await read(async (event) => {
    for (const record of event.Records) {
      const job = jobOf(record) ?? '';
      if (job.startsWith('poison')) poison.set(numberOf(record), job);
    }
    return onStream(event);
  });
  const session = newSession();
  const [from, first, second] = [
    await makeProject(session, 60),
    await makeProject(session, 0),
    await makeProject(session, 0),
  ];
  const keys = await writeInvalidJobs();
  await begin(session, { type: 'clone', from, to: first, asOf: Date.now(), after: '' });
  const others = await writeInvalidJobs();
  await begin(session, { type: 'clone', from, to: second, asOf: Date.now(), after: '' });
  await until(async () => (await tasksOf(session, first)) === 60 && (await tasksOf(session, second)) === 60);
  const numbers = (): string[] => setAside.mock.calls.flatMap(([, named]) => String(named).split(', '));
  await until(() => poison.size >= 8 && [...poison.keys()].every((number) => numbers().includes(number)));
  expect(new Set(poison.values())).toEqual(new Set([...keys, ...others]));
  for (const number of poison.keys()) {
    expect(deliveries.get(number)).toBeGreaterThan(1);
    expect(deliveries.get(number)).toBeLessThanOrEqual(streamRetries + 1);
  }
  await expectCleanAudit();
});

test('a record that crashes the function is set aside alone', async () => {
  const session = newSession();
  const [from, to] = [await makeProject(session, 60), await makeProject(session, 0)];
  const alone: string[] = [];
  await read(async (event) => {
    const kills = event.Records.filter((record) => jobOf(record)?.includes('kills'));
    if (kills.length === 0) return onStream(event);
    if (event.Records.length === 1) alone.push(numberOf(event.Records[0] as DynamoDBRecord));
    throw new Error('Runtime exited with error: signal: killed');
  });
  const Item = { pk: 'poison#job#kills', sk: jobSortKey, tenant: 'poison', id: 'kills' };
  await store.client.send(new PutCommand({ TableName: store.tableName, Item }));
  await begin(session, { type: 'clone', from, to, asOf: Date.now(), after: '' });
  await until(async () => (await tasksOf(session, to)) === 60);
  await until(() => setAside.mock.calls.length > 0);
  expect(new Set(alone).size).toBe(1);
  expect(alone.length).toBe(streamRetries + 1);
  expect(setAside.mock.calls.map(([, numbers]) => numbers)).toEqual([alone[0]]);
  await expectCleanAudit();
});

/** Makes all iterators fail until there is a new one. With `afterRecord`, new iterators after a record fail too. */
function invalidateIterators(error: Error, afterRecord?: Error): void {
  let isValid = false;
  streams.middlewareStack.add(
    (next) => (args) => {
      if (afterRecord && 'SequenceNumber' in args.input) throw afterRecord;
      isValid ||= 'ShardIteratorType' in args.input;
      if (!isValid && 'ShardIterator' in args.input) throw error;
      return next(args);
    },
    { step: 'initialize', name: 'invalid-iterators' },
  );
}

const details = { $metadata: {}, message: 'The iterator is not valid.' };
const expired = new ExpiredIteratorException(details);
const trimmed = new TrimmedDataAccessException(details);

test.each([
  ['has expired', expired, undefined],
  ['has expired after a trimmed record', expired, trimmed],
  ['points to trimmed records', trimmed, undefined],
])('an iterator that %s is replaced without losing records', async (_, gone, afterRecord) => {
  const created: string[] = [];
  await read(async ({ Records }) => {
    created.push(...Records.map((record) => record.dynamodb?.Keys?.['pk']?.S ?? ''));
    return { batchItemFailures: [] };
  });
  const session = newSession();
  const create = async (kind: 'tag' | 'user'): Promise<string> => {
    const { entity } = await createEntity(session, kind, fields());
    return `${session.tenant}#${kind}#${entity.id}`;
  };
  const first = await create('tag');
  await until(() => created.includes(first));
  invalidateIterators(gone, afterRecord);
  const second = await create('user');
  await until(() => created.includes(second));
  expect(setAside).not.toHaveBeenCalled();
  // The new iterator starts after the last delivered record. For trimmed records, it cannot.
  if (gone === expired && !afterRecord) expect(created.filter((key) => key === first)).toHaveLength(1);
});
