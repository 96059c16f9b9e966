import { randomUUID } from 'node:crypto';
import { createOrganization } from '#functions/organizations/contract.ts';
import { createProject, deleteProject } from '#functions/projects/contract.ts';
import { continueJob } from '#functions/store/cascades/continue-job.ts';
import { readJobs } from '#functions/store/cascades/read-jobs.ts';
import { decodeRecord, logPartition, recordPrefix } from '#functions/store/model/change-log.ts';
import { alwaysDue, buildJobWrite } from '#functions/store/model/job.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import {
  batchTasks,
  createTask,
  deleteTask,
  listTaskHistory,
  updateTask,
} from '#functions/tasks/contract.ts';
import { invoke, useEmptyTable } from '#test/support/invoke.ts';

/** The record of each change names the subject of the token whose request made it. */

interface History {
  readonly data: readonly { readonly version: number; readonly actor?: string }[];
}

const table = useEmptyTable();

/** Returns the actors of the records of a log, the oldest record first. */
async function actorsIn(tenant: string, kind: Kind): Promise<(string | undefined)[]> {
  const { items } = await table
    .store()
    .database()
    .query({
      KeyConditionExpression: 'pk = :log AND begins_with(sk, :records)',
      ExpressionAttributeValues: { ':log': logPartition(`@${tenant}`, kind), ':records': recordPrefix },
      ConsistentRead: true,
    });
  return items.map((item) => decodeRecord(item).actor);
}

test('a write records the subject of the token', async () => {
  const tenant = randomUUID();
  const as = (sub: string) => ({ tenant, claims: { sub, scope: 'tasks:read tasks:write' } });
  const ada = randomUUID();
  const { body } = await invoke(createTask, { ...as(ada), body: { name: 'x' } });
  const { id } = body as { id: string };
  await invoke(updateTask, { ...as('auth0|bob'), id, body: { name: 'y' } });
  const operations = [{ operation: 'update', id, body: { name: 'z' } }];
  await invoke(batchTasks, { ...as(ada.toUpperCase()), body: { operations } });
  const history = (await invoke(listTaskHistory, { ...as('eve'), id })).body as History;
  expect(history.data.map(({ version, actor }) => [version, actor])).toEqual([
    [3, ada.toUpperCase()],
    [2, 'auth0|bob'],
    [1, ada],
  ]);
  await invoke(deleteTask, { ...as('eve'), id });
  expect(await actorsIn(tenant, 'task')).toEqual([ada, 'auth0|bob', ada.toUpperCase(), 'eve']);
});

test.each([
  ['no subject', {}, undefined],
  ['a client instead of a user', { client_id: 'nightly' }, 'nightly'],
  ['the longest subject', { sub: 's'.repeat(255) }, 's'.repeat(255)],
  ['a longer subject than OpenID Connect allows', { sub: 's'.repeat(256) }, undefined],
])('the actor of a token with %s', async (_, claims, actor) => {
  const tenant = randomUUID();
  await invoke(createTask, { tenant, claims: { sub: undefined, ...claims }, body: { name: 'x' } });
  expect(await actorsIn(tenant, 'task')).toEqual([actor]);
});

test('jobs record the subject of the request that began them', async () => {
  const tenant = randomUUID();
  const as = (sub: string) => ({ tenant, claims: { sub } });
  const organization = await invoke(createOrganization, { ...as('ada'), body: { name: 'x' } });
  const organizationId = (organization.body as { id: string }).id;
  const project = await invoke(createProject, { ...as('ada'), body: { name: 'x', organizationId } });
  const projectId = (project.body as { id: string }).id;
  const operations = Array.from({ length: 25 }, () => ({
    operation: 'create',
    body: { name: 'x', projectId },
  }));
  // More than one transaction deletes.
  for (let batch = 0; batch < 5; batch += 1) await invoke(batchTasks, { ...as('ada'), body: { operations } });
  await invoke(deleteProject, { ...as('eve'), id: projectId });
  const database = () => table.store().database();
  for (;;) {
    const own = (await readJobs(database())).filter(
      (job) => job.tenant === `@${tenant}` && job.work.type === 'sweep',
    );
    const [job] = own;
    if (!job) break;
    expect(job.actor).toBe('eve');
    await database().transact([buildJobWrite(job, { ...job, version: job.version + 1, dueAt: alwaysDue })]);
    await continueJob(database(), job, { owner: randomUUID() });
  }
  expect(await actorsIn(tenant, 'project')).toEqual(['ada', 'eve']);
  const ofTasks = await actorsIn(tenant, 'task');
  expect(ofTasks.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'ada'));
  expect(ofTasks.length).toBeGreaterThan(5);
  expect(new Set(ofTasks.slice(5))).toEqual(new Set(['eve']));
});
