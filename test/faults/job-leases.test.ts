import { randomUUID } from 'node:crypto';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { handler as onSchedule } from '#functions/jobs/on-schedule.ts';
import { handler as onStream } from '#functions/jobs/on-stream.ts';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { readJobs } from '#functions/store/cascades/read-jobs.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { isReady, type Job, jobKey, jobSortKey, wakeUpSortKey } from '#functions/store/model/job.ts';
import { applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { StreamReader } from '#lib/cloud-assembly/stream-reader.ts';
import { setEngineEnvironment } from '#lib/local/engine-environment.ts';
import { functionContext, scheduledEvent } from '#lib/local/lambda-context.ts';
import { isValue, listQuery } from '../support/list-queries.ts';
import { startEngineStore, type TestStore } from '../support/local-store.ts';
import { type EngineProxy, type Injector, startEngineProxy } from './engine-proxy.ts';

/** Each job has one worker at a time, with any number of stream records and with the schedule. */

/** The batch size of Lambda (`lib/infrastructure/jobs.ts`). */
const batchSize = 10;

const tasks = 600;

let store: TestStore;
let proxy: EngineProxy;
let logged: jest.SpyInstance;
/** Tokens of the transactions that succeeded, and the number of those that failed. On a slow machine, a transaction is sent again. */
let transactions: { done: Set<string>; failed: number };

const countTransactions: Injector = async ({ operation, body }, pass) => {
  const response = await pass();
  if (operation !== 'TransactWriteItems') return response;
  if (response.status === 200) transactions.done.add(String(body['ClientRequestToken']));
  else transactions.failed += 1;
  return response;
};

beforeAll(async () => {
  store = await startEngineStore({ stream: true });
  proxy = await startEngineProxy(store.endpoint);
  proxy.inject(countTransactions);
  // The functions under test use the proxy. The preparation of the test does not.
  setEngineEnvironment(proxy.endpoint);
  process.env['TABLE_NAME'] = store.tableName;
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

beforeEach(() => {
  transactions = { done: new Set(), failed: 0 };
});

afterAll(async () => {
  logged.mockRestore();
  await proxy.stop();
  await store.stop();
});

const newSession = (): Session => ({ tenant: randomUUID(), database: store.database(600_000) });

async function deletedProject(session: Session): Promise<string> {
  const organization = await createEntity(session, 'organization', { name: 'x', status: 'active' });
  const project = await createEntity(session, 'project', {
    name: 'x',
    status: 'active',
    organizationId: organization.entity.id,
  });
  const references = { projectId: project.entity.id, userId: null, tagIds: [] };
  const pieces = Array.from({ length: tasks }, (_, number) => ({
    changes: [buildCreate('task', { name: String(number), status: 'active', ...references }, Date.now())],
  }));
  await applyInBatches(session, pieces, 90);
  await deleteEntity(session, 'project', project.entity.id);
  return project.entity.id;
}

async function tasksLeft(session: Session, project: string): Promise<number> {
  const query = listQuery({ filters: [isValue('projectId', project)], limit: 1 });
  return (await listEntities(session, 'task', query)).total;
}

async function jobsOf({ tenant, database }: Session): Promise<Job[]> {
  return (await readJobs(database)).filter((job) => job.tenant === tenant);
}

const theJob = async (session: Session): Promise<Job> => {
  const [job] = await jobsOf(session);
  if (!job) throw new Error('There is no job.');
  return job;
};

const recordOf = (job: Job, sequenceNumber: number): DynamoDBRecord => {
  const { pk, sk } = jobKey(job);
  return {
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: String(sequenceNumber), Keys: { pk: { S: pk }, sk: { S: sk } } },
  };
};

const deliver = (records: readonly DynamoDBRecord[], milliseconds = 30_000) =>
  onStream({ Records: [...records] }, functionContext(randomUUID(), milliseconds));

test('ten records of one job in a batch start one worker', async () => {
  const session = newSession();
  const project = await deletedProject(session);
  const job = await theJob(session);
  const records = Array.from({ length: batchSize }, (_, number) => recordOf(job, number));
  expect(await deliver(records)).toEqual({ batchItemFailures: [] });
  expect(transactions.failed).toBe(0);
  // 600 tasks, up to 25 in each transaction, and the updates of the job's progress: ten workers would need hundreds.
  expect(transactions.done.size).toBeLessThan(100);
  expect(await tasksLeft(session, project)).toBe(0);
});

test('the schedule and a later batch skip a job that another worker holds', async () => {
  const session = newSession();
  const project = await deletedProject(session);
  const job = await theJob(session);
  // Holds every transaction of this tenant after the one that takes the lease.
  let openGate = (): void => {};
  const gate = new Promise<void>((resolve) => {
    openGate = resolve;
  });
  let leases = 0;
  let leaseTaken = (): void => {};
  const lease = new Promise<void>((resolve) => {
    leaseTaken = resolve;
  });
  proxy.inject(async (call, pass) => {
    const body = JSON.stringify(call.body);
    const isTransaction = call.operation === 'TransactWriteItems';
    const isOfTenant = isTransaction && body.includes(session.tenant);
    const isFirst = isOfTenant && leases === 0;
    if (isOfTenant && body.includes(jobKey(job).pk)) leases += 1;
    if (isOfTenant && !isFirst) await gate;
    const response = await countTransactions(call, pass);
    if (isFirst) leaseTaken();
    return response;
  });
  const working = deliver([recordOf(job, 1)]);
  await lease;
  await Promise.all([
    deliver([recordOf(job, 2), recordOf(job, 3)]),
    onSchedule(scheduledEvent(), functionContext(randomUUID(), 30_000)),
  ]);
  expect(leases).toBe(1);
  openGate();
  await working;
  proxy.inject(countTransactions);
  expect(transactions.failed).toBe(0);
  expect(await tasksLeft(session, project)).toBe(0);
});

test('stream batches as Lambda delivers them cause no failed transaction when steps time out', async () => {
  const session = newSession();
  const streams = new DynamoDBStreamsClient({ endpoint: store.endpoint });
  // The job takes several workers: it has 24 transactions, and each worker half a second.
  proxy.inject(async (call, pass) => {
    if (call.operation === 'TransactWriteItems') await new Promise((resolve) => setTimeout(resolve, 50));
    return countTransactions(call, pass);
  });
  /** The sort keys of the records that called the function, by sequence number: a record can come again. */
  const delivered = new Map<string, string>();
  let progress = 0;
  // Lambda filters the records, delivers up to ten, and waits for the function before the next batch.
  const reader = new StreamReader(
    streams,
    store.tableName,
    async ({ Records }) => {
      const sortKeyOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.Keys?.['sk']?.S ?? '';
      const isProgress = (record: DynamoDBRecord): boolean =>
        sortKeyOf(record) === jobSortKey && record.eventName !== 'INSERT';
      progress += Records.filter(isProgress).length;
      const records = Records.filter(
        (record) => [jobSortKey, wakeUpSortKey].includes(sortKeyOf(record)) && !isProgress(record),
      );
      for (let start = 0; start < records.length; start += batchSize) {
        const batch = records.slice(start, start + batchSize);
        for (const record of batch) delivered.set(record.dynamodb?.SequenceNumber ?? '', sortKeyOf(record));
        const response = await deliver(batch, 2_000);
        // On a machine that is busy, a worker's time can be over before its first step. Lambda delivers its record again.
        if (response.batchItemFailures.length > 0) return response;
      }
      return { batchItemFailures: [] };
    },
    // Retries of a record: as many as a busy machine needs.
    1_000,
  );
  await reader.start();
  const project = await deletedProject(session);
  const isWorking = async () =>
    (await jobsOf(session)).some((job) => isReady(job, 'nobody', Date.now()) || job.lease);
  while (await isWorking()) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await reader.stop();
  streams.destroy();
  proxy.inject(countTransactions);
  expect(transactions.failed).toBe(0);
  expect(await tasksLeft(session, project)).toBe(0);
  // Leases and progress call the function no more: only the beginning, and each worker whose time is over.
  const sortKeys = [...delivered.values()];
  expect(new Set(sortKeys)).toEqual(new Set([jobSortKey, wakeUpSortKey]));
  expect(sortKeys.filter((sortKey) => sortKey === jobSortKey)).toHaveLength(1);
  expect(progress).toBeGreaterThan(delivered.size);
});

test('the lease of a crashed worker expires', () => {
  const job: Job = {
    id: randomUUID(),
    tenant: 'public',
    version: 2,
    dueAt: new Date(0).toISOString(),
    work: { type: 'archive', id: randomUUID(), asOf: Date.now(), after: '' },
  };
  const leased = (until: number): Job => ({
    ...job,
    lease: { owner: 'crashed', until: new Date(until).toISOString() },
  });
  expect(isReady(leased(Date.now() + 30_000), 'another', Date.now())).toBe(false);
  expect(isReady(leased(Date.now() + 30_000), 'crashed', Date.now())).toBe(true);
  expect(isReady(leased(Date.now() - 1), 'another', Date.now())).toBe(true);
  expect(isReady(job, 'another', Date.now())).toBe(true);
});
