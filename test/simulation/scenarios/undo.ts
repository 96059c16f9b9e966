/** Deletions and restores that follow each other: once all restores have responded, everything that was deleted comes back, with its references. */
import { jobSortKey } from '#functions/engine/model/job.ts';
import { isFullRun } from '../../support/runs.ts';
import { lag } from '../../support/table/faults.ts';
import { createProject, inWorld, send, succeed, totalOf } from '../scenario.ts';
import type { World } from '../world.ts';

/** Tasks of a project that one transaction cannot delete or restore. */
const tasks = 60;

test.each([0, 50, 300, 1_000])(
  'deletions of a project and its organization can both be undone at once, with an index that lags %i ms',
  async (lagMs) => {
    await inWorld(async (world) => {
      const projectId = await createProject(world, tasks);
      const { organizationId } = await succeed(world, 'GET', `/v1/projects/${projectId}`);
      await world.wait(10_000);
      world.table.intercept = () => lag(lagMs);
      const [project, organization] = [`/v1/projects/${projectId}`, `/v1/organizations/${organizationId}`];
      for (const path of [project, organization]) {
        await succeed(world, 'DELETE', path);
        await succeed(world, 'POST', `${path}/restore`);
        await world.wait(1_500);
      }
      await world.settle();
      world.table.intercept = undefined;
      expect(await totalOf(world, `projects/${projectId}/tasks`)).toBe(tasks);
    });
  },
);

/** Counts the steps of all jobs. */
function countSteps({ table }: World): () => number {
  let steps = 0;
  table.onCommit((changes) => {
    for (const { before, after } of changes)
      if (before?.sk === jobSortKey && !(after && before['steps'] === after['steps'])) steps += 1;
  });
  return () => steps;
}

test.each([100, ...(isFullRun ? [1_000] : [])])(
  'what is deleted again while its restore is in progress takes steps by its size: %i tasks',
  async (size) => {
    await inWorld(async (world) => {
      const projectId = await createProject(world, size);
      const path = `/v1/projects/${projectId}`;
      await succeed(world, 'DELETE', path);
      await world.settle(6);
      await succeed(world, 'POST', `${path}/restore`);
      // The worker of the restore ends after some calls.
      world.table.takeRecords();
      for (const process of world.processes) process.callsLeft = 75;
      await world.processes[0]?.onSchedule();
      for (const process of world.processes) process.callsLeft = undefined;
      await world.wait(31_000);
      const countAgain = countSteps(world);
      await send(world, 'DELETE', path);
      await world.settle(12);
      expect(countAgain()).toBeLessThanOrEqual(size / 40 + 20);
      await succeed(world, 'POST', `${path}/restore`);
      await world.settle(6);
      expect(await totalOf(world, `projects/${projectId}/tasks`)).toBe(size);
    });
  },
);
