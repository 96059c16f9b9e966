import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '#functions/jobs/on-schedule.ts';
import { readDueReminders, readJobs } from '#functions/store/cascades/read-jobs.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { newId } from '#functions/store/model/ids.ts';
import { beginJob } from '#functions/store/model/job.ts';
import { type Reminder, reminderKey } from '#functions/store/model/reminder.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { setEngineEnvironment } from '#lib/local/engine-environment.ts';
import { functionContext, scheduledEvent } from '#lib/local/lambda-context.ts';
import { startEngineStore, type TestStore } from '../support/local-store.ts';
import { type EngineProxy, errorResponse, type Injector, startEngineProxy } from './engine-proxy.ts';

/** The function of the schedule, with jobs that never complete. */

/** Milliseconds that a call of the function may take. */
const timeout = 6_000;

let store: TestStore;
let proxy: EngineProxy;
let logged: jest.SpyInstance;

beforeAll(async () => {
  store = await startEngineStore();
  proxy = await startEngineProxy(store.endpoint);
  setEngineEnvironment(proxy.endpoint);
  process.env['TABLE_NAME'] = store.tableName;
  // The expected error lines would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(async () => {
  logged.mockRestore();
  proxy.inject(undefined);
  await proxy.stop();
  await store.stop();
});

/** A tenant whose transactions always conflict. */
const stuck = 'stuck';

const conflicts: Injector = async ({ operation, body }, pass) =>
  operation === 'TransactWriteItems' && JSON.stringify(body).includes(`${stuck}#`)
    ? errorResponse('TransactionCanceledException', {
        CancellationReasons: [{ Code: 'TransactionConflict' }],
      })
    : pass();

/** Creates a task of a deleted project, and the job that must delete the task. */
async function beginSweepOf(session: Session): Promise<void> {
  const organization = await createEntity(session, 'organization', { name: 'x', status: 'active' });
  const { id } = buildCreate(
    'project',
    {
      name: 'x',
      status: 'active',
      organizationId: organization.entity.id,
    },
    Date.now(),
  ).after.entity;
  const task = { name: 'x', status: 'active', projectId: id, userId: null, tagIds: [] };
  const sweep = { type: 'sweep', kind: 'project', id, final: true, relation: 0 } as const;
  await applyChangeSet(session, {
    changes: [buildCreate('task', task, Date.now())],
    writes: [beginJob(session, sweep, { id: newId(Date.now()).id })],
  });
}

async function tenantsWithSweeps(): Promise<string[]> {
  const sweeps = (await readJobs(store.database())).filter(({ work }) => work.type === 'sweep');
  return sweeps.map(({ tenant }) => tenant);
}

test('jobs that never complete do not block later jobs', async () => {
  // More stuck jobs than run concurrently. All of them are due before the job that can complete.
  for (let number = 0; number < 10; number += 1) await beginSweepOf(store.session(stuck));
  const tenant = randomUUID();
  await beginSweepOf(store.session(tenant));
  proxy.inject(conflicts);
  // Each call starts with the stuck jobs. The timeout of the test ends the loop.
  const call = () => handler(scheduledEvent(), functionContext(randomUUID(), timeout));
  while ((await tenantsWithSweeps()).includes(tenant)) await call();
  expect((await tenantsWithSweeps()).filter((one) => one === stuck)).toHaveLength(10);
  proxy.inject(undefined);
  while ((await tenantsWithSweeps()).length > 0) await call();
});

test('an item that is no job stops no other job, and is reported', async () => {
  const tenant = randomUUID();
  const session = store.session(tenant);
  await beginSweepOf(session);
  const { put } = beginJob(
    { tenant },
    { type: 'archive', id: '1', asOf: Date.now(), after: '' },
    { id: 'malformed' },
  ) as {
    put: Record<string, unknown>;
  };
  const { work: _work, ...malformed } = put;
  await store.client.send(new PutCommand({ TableName: store.tableName, Item: malformed }));
  logged.mockClear();
  await handler(scheduledEvent(), functionContext(randomUUID(), timeout));
  const jobs = await readJobs(store.database());
  expect(jobs).toMatchObject([{ id: 'malformed' }]);
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'ERROR',
      tenant,
      error: expect.objectContaining({ name: 'UnknownFormat' }),
    }),
  );
  await store.client.send(
    new DeleteCommand({ TableName: store.tableName, Key: { pk: malformed['pk'], sk: malformed['sk'] } }),
  );
});

test('a reminder in a format of another release stops no other reminder, and is reported', async () => {
  const session = store.session(randomUUID());
  await createEntity(session, 'organization', { name: 'x', status: 'active' });
  const { Item: known } = await store.client.send(
    new GetCommand({
      TableName: store.tableName,
      Key: { ...reminderKey({ ...session, kind: 'organization' }) },
    }),
  );
  const due = { ...known, byStatus: new Date(0).toISOString(), dueAt: 0 };
  const unknown = { ...due, pk: 'other#reminder', format: 99 };
  for (const Item of [due, unknown])
    await store.client.send(new PutCommand({ TableName: store.tableName, Item }));
  logged.mockClear();
  const pages: Reminder[][] = [];
  for await (const page of readDueReminders(store.database(), Date.now())) pages.push(page);
  expect(pages.flat().map(({ tenant }) => tenant)).toEqual([session.tenant]);
  expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
    { level: 'WARN', log: 'other#reminder', error: expect.stringContaining('(reminder) is 99') },
  ]);
  await store.client.send(
    new DeleteCommand({ TableName: store.tableName, Key: { pk: unknown.pk, sk: known?.['sk'] } }),
  );
});

test('when jobs cannot be read, the function logs the error and fails', async () => {
  proxy.inject(async ({ operation }, pass) =>
    operation === 'Query' ? errorResponse('AccessDeniedException', { Message: 'of arn:secret' }) : pass(),
  );
  logged.mockClear();
  const requestId = randomUUID();
  const call = handler(scheduledEvent(), functionContext(requestId, timeout));
  // Lambda logs the message of this error, so it must contain no secrets.
  await expect(call).rejects.toThrow(/^The jobs that are due could not be read\.$/);
  proxy.inject(undefined);
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  expect(lines).toMatchObject([
    { level: 'ERROR', operation: 'onSchedule', requestId, error: { name: 'AccessDeniedException' } },
  ]);
});
