import { createOrganization } from '#functions/organizations/contract.ts';
import { cloneProject, createProject, listProjects } from '#functions/projects/contract.ts';
import { maxClonedTasks } from '#functions/store/cascades/clone.ts';
import { readJobs } from '#functions/store/cascades/read-jobs.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import { invoke, useEmptyTable } from '#test/support/invoke.ts';

const { store } = useEmptyTable();

/** Creates tasks of a project, without a request for each. */
async function makeTasks(projectId: string, count: number): Promise<void> {
  const fields = { name: 'x', status: 'active', description: '', priority: 'none', dueDate: null };
  const pieces = Array.from({ length: count }, () => ({
    changes: [buildCreate('task', { ...fields, projectId, userId: null, tagIds: [] }, Date.now())],
  }));
  await applyInBatches(store().session('@test'), pieces, 90);
}

test('clones a project with the maximum of tasks, and refuses one with one more', async () => {
  const { body: organization } = await invoke(createOrganization, { body: { name: 'A' } });
  const { body: project } = await invoke(createProject, {
    body: { name: 'Large', organizationId: organization.id },
  });
  await makeTasks(project.id, maxClonedTasks);
  expect((await invoke(cloneProject, { id: project.id })).statusCode).toBe(201);
  const jobs = (await readJobs(store().database())).filter(({ work }) => work.type === 'clone');
  expect(jobs).toHaveLength(1);

  await makeTasks(project.id, 1);
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
});
