import { randomUUID } from 'node:crypto';
import { handler } from '../../../../functions/jobs/on-schedule.ts';
import { beginJob, decodeJob, jobsQuery } from '../../../../functions/shared/store/cascades/job.ts';
import { createEntity } from '../../../../functions/shared/store/entities/create-entity.ts';
import { buildCreate } from '../../../../functions/shared/store/model/changes.ts';
import { applyChangeSet } from '../../../../functions/shared/store/unit-of-work/commit.ts';
import type { Session } from '../../../../functions/shared/store/unit-of-work/session.ts';
import { setEngineEnvironment } from '../../../../lib/local/engine-environment.ts';
import { functionContext, scheduledEvent } from '../../../../lib/local/lambda-context.ts';
import { type EngineProxy, type Injector, refusal, startEngineProxy } from '../../../faults/engine-proxy.ts';
import { startTestStore, type TestStore } from '../../../support/local-store.ts';

/** The schedule's function, with jobs that never come to an end. */

/** Milliseconds that a call of the function may take. */
const timeout = 12_000;

let store: TestStore;
let proxy: EngineProxy;
let logged: jest.SpyInstance;

beforeAll(async () => {
  store = await startTestStore();
  proxy = await startEngineProxy(store.endpoint);
  setEngineEnvironment(proxy.endpoint);
  process.env['TABLE_NAME'] = store.tableName;
  // Each failure is logged, as it should be.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(async () => {
  logged.mockRestore();
  proxy.inject(undefined);
  await proxy.stop();
  await store.stop();
});

/** A tenant whose items are always in the way of another transaction. */
const stuck = 'stuck';

const conflicts: Injector = async ({ operation, body }, pass) =>
  operation === 'TransactWriteItems' && JSON.stringify(body).includes(`${stuck}#`)
    ? refusal('TransactionCanceledException', { CancellationReasons: [{ Code: 'TransactionConflict' }] })
    : pass();

/** A project that is gone, with a task that is left of it, and the job that is to clean up behind it. */
async function beginSweepOf(session: Session): Promise<void> {
  const organization = await createEntity(session, 'organization', { name: 'x', status: 'active' });
  const { id } = buildCreate('project', {
    name: 'x',
    status: 'active',
    organizationId: organization.entity.id,
  }).after.entity;
  const task = { name: 'x', status: 'active', projectId: id, userId: null, tagIds: [] };
  const sweep = { type: 'sweep', kind: 'project', id, final: true, relation: 0, after: '' } as const;
  await applyChangeSet(session, {
    changes: [buildCreate('task', task)],
    writes: [beginJob(session.tenant, sweep)],
  });
}

async function tenantsWithJobs(): Promise<string[]> {
  const found: string[] = [];
  for await (const items of store.database().pages(jobsQuery)) {
    found.push(...items.map((item) => decodeJob(item).tenant));
  }
  return found;
}

test('jobs that get nowhere do not keep those behind them from being done', async () => {
  // More than are worked on side by side, and all of them before the one that can be done.
  for (let number = 0; number < 10; number += 1) await beginSweepOf(store.session(stuck));
  const tenant = randomUUID();
  await beginSweepOf(store.session(tenant));
  proxy.inject(conflicts);
  // Each call has the stuck ones before it. The test's own time is over if they always take all of it.
  const call = () => handler(scheduledEvent(), functionContext(randomUUID(), timeout));
  while ((await tenantsWithJobs()).includes(tenant)) await call();
  expect((await tenantsWithJobs()).filter((one) => one === stuck)).toHaveLength(10);
  proxy.inject(undefined);
  while ((await tenantsWithJobs()).length > 0) await call();
});

test('when jobs cannot be read, the log says so in its own form, and Lambda counts it', async () => {
  proxy.inject(async ({ operation }, pass) =>
    operation === 'Query' ? refusal('AccessDeniedException', { Message: 'of arn:secret' }) : pass(),
  );
  logged.mockClear();
  const requestId = randomUUID();
  const call = handler(scheduledEvent(), functionContext(requestId, timeout));
  // What Lambda itself would log, with whatever is in it.
  await expect(call).rejects.toThrow(/^The jobs that are due could not be read\.$/);
  proxy.inject(undefined);
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  expect(lines).toMatchObject([
    { level: 'ERROR', operation: 'onSchedule', requestId, error: { name: 'AccessDeniedException' } },
  ]);
});
