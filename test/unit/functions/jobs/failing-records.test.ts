import { randomUUID } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import { handler } from '../../../../functions/jobs/on-stream.ts';
import { buildJobWrite, type Job } from '../../../../functions/shared/store/cascades/job.ts';
import { functionContext } from '../../../../lib/local/lambda-context.ts';
import { startTestStore, type TestStore } from '../../../support/local-store.ts';

/** Records of the stream that cannot be worked on, among others that can. */

let store: TestStore;
let logged: jest.SpyInstance;

beforeAll(async () => {
  store = await startTestStore();
  process.env['TABLE_NAME'] = store.tableName;
  // Each failure is logged, as it should be.
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

test('a record that fails keeps no other from being worked on, and is the only one that is delivered again', async () => {
  const copyToNothing = { type: 'clone', from: randomUUID(), to: randomUUID(), after: '' };
  const jobs = [
    await makeJob(copyToNothing),
    await makeJob({ type: 'a type that a later version of the service has' }),
    await makeJob(copyToNothing),
    await makeJob(copyToNothing),
  ];
  const poison = jobs[1] as Job;
  const context = functionContext('request', 30_000);
  const { batchItemFailures } = await handler({ Records: jobs.map(recordOf) }, context);
  expect(batchItemFailures).toEqual([{ itemIdentifier: poison.id }]);
  const left = await Promise.all(jobs.map(jobItem));
  expect(left.map((item) => item?.['id'])).toEqual([undefined, poison.id, undefined, undefined]);
});

test('a record whose key is no job of anybody counts as failed: taken for done, it would be forgotten', async () => {
  const record: DynamoDBRecord = {
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: '7', Keys: { pk: { S: 'public#job' }, sk: { S: 'job' } } },
  };
  expect(await handler({ Records: [record] }, functionContext('request', 30_000))).toEqual({
    batchItemFailures: [{ itemIdentifier: '7' }],
  });
});
