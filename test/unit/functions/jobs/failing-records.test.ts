import { randomUUID } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import { handler } from '#functions/jobs/on-stream.ts';
import { buildJobWrite, type Job } from '#functions/store/model/job.ts';
import { functionContext } from '#lib/local/lambda-context.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** Stream batches with invalid records among valid ones. */

let store: TestStore;
let logged: jest.SpyInstance;

beforeAll(async () => {
  store = await startTestStore();
  process.env['TABLE_NAME'] = store.tableName;
  // The expected error lines would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(async () => {
  await store.stop();
  logged.mockRestore();
});

const makeJob = async (work: object): Promise<Job> => {
  const job = {
    id: randomUUID(),
    tenant: 'public',
    version: 1,
    dueAt: new Date(0).toISOString(),
    work,
  } as unknown as Job;
  await store.database().transact([buildJobWrite(undefined, job)]);
  return job;
};

const recordOf = ({ id, tenant }: Job): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: {
    SequenceNumber: id,
    Keys: { pk: { S: `${tenant}#job#${id}` }, sk: { S: 'job' } },
  },
});

const jobItem = ({ id, tenant }: Job) => store.database().get({ pk: `${tenant}#job#${id}`, sk: 'job' });

test('a failing record does not block the others and is the only one to be delivered again', async () => {
  const copyToNothing = { type: 'clone', from: randomUUID(), to: randomUUID(), asOf: Date.now(), after: '' };
  const jobs = [
    await makeJob(copyToNothing),
    await makeJob({ type: 'a type of a later version' }),
    await makeJob(copyToNothing),
    await makeJob(copyToNothing),
  ];
  const invalid = jobs[1] as Job;
  const context = functionContext('request', 30_000);
  const { batchItemFailures } = await handler({ Records: jobs.map(recordOf) }, context);
  expect(batchItemFailures).toEqual([{ itemIdentifier: invalid.id }]);
  const remaining = await Promise.all(jobs.map(jobItem));
  expect(remaining.map((item) => item !== undefined)).toEqual([false, true, false, false]);
});

test('a record of progress starts no worker, and one of a wake-up does', async () => {
  const job = await makeJob({
    type: 'clone',
    from: randomUUID(),
    to: randomUUID(),
    asOf: Date.now(),
    after: '',
  });
  const context = functionContext('request', 30_000);
  await handler({ Records: [{ ...recordOf(job), eventName: 'MODIFY' }] }, context);
  expect(await jobItem(job)).toMatchObject({ version: 1 });
  const Keys = { pk: { S: `${job.tenant}#job#${job.id}` }, sk: { S: 'wake-up' } };
  const wakeUp = { eventName: 'MODIFY', dynamodb: { SequenceNumber: '1', Keys } } as const;
  await handler({ Records: [{ ...wakeUp, eventName: 'REMOVE' }] }, context);
  expect(await jobItem(job)).toMatchObject({ version: 1 });
  await handler({ Records: [wakeUp] }, context);
  expect(await jobItem(job)).toBeUndefined();
});

test('a record whose key is not of a job fails, so that it is not lost', async () => {
  const record: DynamoDBRecord = {
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: '7', Keys: { pk: { S: 'public#job' }, sk: { S: 'job' } } },
  };
  expect(await handler({ Records: [record] }, functionContext('request', 30_000))).toEqual({
    batchItemFailures: [{ itemIdentifier: '7' }],
  });
});
