import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { createOrganization } from '../../functions/organizations/contract.ts';
import { cloneProject, createProject, listProjects } from '../../functions/projects/contract.ts';
import { forEach } from '../../functions/shared/for-each.ts';
import { maxClonedTasks } from '../../functions/shared/store/cascades/clone.ts';
import { readJobs } from '../../functions/shared/store/cascades/read-jobs.ts';
import { buildCreate } from '../../functions/shared/store/model/changes.ts';
import { encodeEntity } from '../../functions/shared/store/model/item-codec.ts';
import { invoke, useEmptyTable } from '../support/invoke.ts';

const { store } = useEmptyTable();

/** Items in one `BatchWriteItem`. */
const batchSize = 25;

/** Puts tasks of a project, without records of the change log: a clone reads the index. */
async function putTasks(projectId: string, count: number): Promise<void> {
  const { client, tableName } = store();
  const batches = Array.from({ length: Math.ceil(count / batchSize) }, (_, batch) =>
    Math.min(batchSize, count - batch * batchSize),
  );
  await forEach(batches, 8, async (size) => {
    const requests = Array.from({ length: size }, () => {
      const fields = { name: 'x', status: 'active', description: '', priority: 'none', dueDate: null };
      const { after } = buildCreate('task', { ...fields, projectId, userId: null, tagIds: [] });
      return { PutRequest: { Item: encodeEntity('@test', after, 1) } };
    });
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
  });
}

test('clones a project with the maximum of tasks, and refuses one with one more', async () => {
  const { body: organization } = await invoke(createOrganization, { body: { name: 'A' } });
  const { body: project } = await invoke(createProject, {
    body: { name: 'Large', organizationId: organization.id },
  });
  await putTasks(project.id, maxClonedTasks);
  expect((await invoke(cloneProject, { id: project.id })).statusCode).toBe(201);
  const jobs = (await readJobs(store().database())).filter(({ work }) => work.type === 'clone');
  expect(jobs).toHaveLength(1);

  await putTasks(project.id, 1);
  const refused = await invoke(cloneProject, { id: project.id });
  expect(refused.statusCode).toBe(422);
  expect(refused.body).toMatchObject({
    type: '/docs/problems#clone-too-large',
    detail: expect.stringContaining(`more than ${maxClonedTasks} tasks`),
  });
  // Nothing was created, and a clone without tasks is possible.
  const { body: list } = await invoke(listProjects);
  expect(list.total).toBe(2);
  const { statusCode } = await invoke(cloneProject, { id: project.id, body: { include: [] } });
  expect(statusCode).toBe(201);
}, 120_000);
