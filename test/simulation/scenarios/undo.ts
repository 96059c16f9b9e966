/** Deletions and restores that follow each other: once all restores have responded, everything that was deleted comes back, with its references. */
import { jobSortKey } from '#functions/engine/model/job.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { eraseEntity } from '#lib/erase/erase-entity.ts';
import { isFullRun } from '../../support/runs.ts';
import { lag } from '../../support/table/faults.ts';
import { type Process, tableName, tokenOf } from '../process.ts';
import {
  create,
  createProject,
  createTasks,
  inWorld,
  isTransaction,
  requireClean,
  scenario,
  send,
  succeed,
  totalOf,
} from '../scenario.ts';
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
      await runInPart(world, 75);
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

/** Holds the next transaction about something on its way. @returns whether it is on its way. */
function holdTransaction(world: World, text: string): () => boolean {
  let isHeld = false;
  world.table.intercept = (call) => {
    if (!isTransaction(call) || !JSON.stringify(call.input).includes(text)) return undefined;
    world.table.intercept = undefined;
    isHeld = true;
    return { requestMs: 1_000 };
  };
  return () => isHeld;
}

/** Lets the worker of a job end after some calls. */
async function runInPart(world: World, calls: number): Promise<void> {
  world.table.takeRecords();
  for (const process of world.processes) process.callsLeft = calls;
  await world.processes[0]?.onSchedule();
  for (const process of world.processes) process.callsLeft = undefined;
}

test.each([300, ...(isFullRun ? [1_000] : [])])(
  'a deletion of a project whose %i tasks are below one of them takes steps by their number',
  async (size) => {
    await inWorld(async (world) => {
      const projectId = await createProject(world);
      const parentId = await create(world, 'tasks', { projectId });
      await createTasks(world, size, { projectId, parentId });
      const count = countSteps(world);
      await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
      await world.settle(6);
      expect(count()).toBeLessThanOrEqual(size / 40 + 20);
      expect(await totalOf(world, 'tasks')).toBe(0);
    });
  },
);

scenario(
  'more parts than a transaction has get their project again that comes back with its organization',
  async (world) => {
    const projectId = await createProject(world);
    const { organizationId } = await succeed(world, 'GET', `/v1/projects/${projectId}`);
    const ids = await createTasks(world, 60, { projectId });
    await succeed(world, 'DELETE', `/v1/organizations/${organizationId}`);
    await world.settle();
    for (const id of ids) await succeed(world, 'POST', `/v1/tasks/${id}/restore`);
    // Otherwise the jobs of these restores look for the project, too.
    await world.settle(6);
    await succeed(world, 'POST', `/v1/organizations/${organizationId}/restore`);
    await world.settle();
    expect(await totalOf(world, `projects/${projectId}/tasks`)).toBe(60);
  },
);

/** Creates a task with 61 others below it, of which the last one has one below itself, and deletes their project. */
async function deleteProjectWithTree(world: World) {
  const projectId = await createProject(world);
  const parentId = await create(world, 'tasks', { projectId });
  const ids = await createTasks(world, 61, { projectId, parentId });
  const below = await create(world, 'tasks', { projectId, parentId: ids.at(-1) });
  await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
  await world.settle();
  return { projectId, parentId, below, middle: ids.at(-1) };
}

scenario('what is restored before a large part that it is below is below it again', async (world) => {
  const { parentId, below, middle } = await deleteProjectWithTree(world);
  await succeed(world, 'POST', `/v1/tasks/${below}/restore`);
  await succeed(world, 'POST', `/v1/tasks/${parentId}/restore`);
  await world.settle();
  expect(await succeed(world, 'GET', `/v1/tasks/${below}`)).toMatchObject({ parentId: middle });
});

scenario('a large part that is deleted again during its restore comes back whole', async (world) => {
  const { parentId } = await deleteProjectWithTree(world);
  const path = `/v1/tasks/${parentId}`;
  await succeed(world, 'POST', `${path}/restore`);
  await succeed(world, 'DELETE', path);
  await world.settle();
  await succeed(world, 'POST', `${path}/restore`);
  await world.settle();
  expect(await totalOf(world, `tasks/${parentId}/tasks`)).toBe(61);
});

scenario(
  'a reference comes back that is kept while another request restores what it names',
  async (world) => {
    const above = await create(world, 'tasks');
    const parentId = await create(world, 'tasks', { parentId: above });
    const id = await create(world, 'tasks', { parentId });
    for (const one of [id, above]) {
      await succeed(world, 'DELETE', `/v1/tasks/${one}`);
      await world.settle(2);
    }
    holdTransaction(world, id);
    const restored = succeed(world, 'POST', `/v1/tasks/${id}/restore`);
    await world.wait(300);
    await succeed(world, 'POST', `/v1/tasks/${above}/restore`);
    await restored;
    await world.settle();
    expect(await succeed(world, 'GET', `/v1/tasks/${id}`)).toMatchObject({ parentId });
  },
);

test.each([false, true])(
  'a task comes back with a sub-task whose project was deleted later (erased: %p)',
  async (isErased) => {
    await inWorld(async (world) => {
      const projectId = await createProject(world);
      const parentId = await create(world, 'tasks', { projectId });
      const id = await create(world, 'tasks', { projectId, parentId });
      for (const path of [`tasks/${parentId}`, `projects/${projectId}`]) {
        await succeed(world, 'DELETE', `/v1/${path}`);
        await world.settle(2);
      }
      setTimeAndChance(world.time);
      const project = { tenant: '@public', kind: 'project', id: projectId } as const;
      if (isErased) {
        await eraseEntity(world.table, tableName, project);
        // Nobody knows any more who saw them.
        const { status } = await world.send('POST', `/v1/tasks/${parentId}/restore`);
        return expect(status).toBe(409);
      }
      await succeed(world, 'POST', `/v1/tasks/${parentId}/restore`);
      await world.settle();
      expect(await succeed(world, 'GET', `/v1/tasks/${id}`)).toMatchObject({ parentId, projectId: null });
      await succeed(world, 'POST', `/v1/projects/${projectId}/restore`);
      await world.settle();
      expect(await totalOf(world, `projects/${projectId}/tasks`)).toBe(2);
    });
  },
);

scenario(
  'a feed ends when the job removes a late task of an erased project, which lists leave out at once',
  async (world) => {
    const projectId = await createProject(world);
    const id = await create(world, 'tasks');
    await world.settle(2);
    const ada = { authorization: tokenOf('ada') };
    const read = (path: string) => send(world, 'GET', `/v1/tasks${path}`, undefined, ada);
    const isHeld = holdTransaction(world, 'late');
    const late = succeed(world, 'PATCH', `/v1/tasks/${id}`, { name: 'late', projectId });
    while (!isHeld()) await world.wait(10);
    await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
    await late;
    const first = await read('/changes');
    expect(first.body.data).toMatchObject([{ id, projectId }]);
    setTimeAndChance(world.time);
    await eraseEntity(world.table, tableName, { tenant: '@public', kind: 'project', id: projectId });
    expect((await read('')).body.total).toBe(0);
    await world.settle();
    expect((await read(`/changes?since=${first.body['cursor']}`)).status).toBe(410);
    expect((await read('/changes')).body.data).toEqual([]);
  },
);

scenario('an audit takes nothing for wrong that a restore has not reached yet', async (world) => {
  const projectId = await createProject(world);
  const ids = await createTasks(world, 300, { projectId });
  // Tasks come back in the order of their creation: these come before what they are below.
  for (const [place, id] of ids.slice(0, 20).entries())
    await succeed(world, 'PATCH', `/v1/tasks/${id}`, { parentId: ids.at(-1 - place) });
  await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
  await world.settle();
  await succeed(world, 'POST', `/v1/projects/${projectId}/restore`);
  await runInPart(world, 60);
  const restored = await totalOf(world, `projects/${projectId}/tasks`);
  expect(restored).toBeGreaterThan(0);
  expect(restored).toBeLessThan(300);
  await requireClean(world);
});

scenario(
  'what keeps a reference goes with its project, although the deletion of that is in progress',
  async (world) => {
    const projectId = await createProject(world, 400);
    const parentId = await create(world, 'tasks');
    const id = await create(world, 'tasks', { projectId, parentId });
    await succeed(world, 'DELETE', `/v1/tasks/${parentId}`);
    await world.settle();
    expect(await succeed(world, 'POST', `/v1/tasks/${id}/restore`)).toMatchObject({
      projectId,
      parentId: null,
    });
    world.table.takeRecords();
    // Its last pass is due while the deletion is in progress.
    await world.wait(20_000);
    await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
    const [first, second] = world.processes as [Process, Process];
    first.callsLeft = 40;
    await first.onStream(
      world.table.takeRecords().filter(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === jobSortKey),
    );
    expect(await totalOf(world, 'tasks')).toBeGreaterThan(1);
    await world.wait(20_000);
    await second.onSchedule();
    await world.settle(12);
    expect((await send(world, 'GET', `/v1/tasks/${id}`)).status).toBe(404);
  },
);

scenario(
  'a part comes back with a late child that a step of the deletion removes at the same moment',
  async (world) => {
    const projectId = await createProject(world);
    const partId = await create(world, 'tasks', { projectId });
    const parentId = await create(world, 'tasks', { projectId, parentId: partId });
    await world.settle(2);
    holdTransaction(world, 'late');
    // It has seen its parent, and is written after the deletion.
    const late = create(world, 'tasks', { name: 'late', parentId });
    await world.wait(300);
    await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
    const id = await late;
    await world.wait(66_000);
    const isHeld = holdTransaction(world, id);
    const sweep = world.processes[0]?.onSchedule();
    while (!isHeld()) await world.wait(10);
    await succeed(world, 'POST', `/v1/tasks/${partId}/restore`);
    await sweep;
    await world.settle();
    expect(await succeed(world, 'GET', `/v1/tasks/${id}`)).toMatchObject({ parentId });
  },
);

scenario(
  'a part comes back before the last pass of its deletion, and keeps a late child that this pass finds below the project',
  async (world) => {
    const projectId = await createProject(world);
    const partId = await create(world, 'tasks', { projectId });
    await world.settle(2);
    holdTransaction(world, 'late');
    const late = create(world, 'tasks', { name: 'late', projectId, parentId: partId });
    await world.wait(300);
    await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
    const id = await late;
    await world.wait(5_000);
    await succeed(world, 'POST', `/v1/tasks/${partId}/restore`);
    await world.settle(8);
    expect(await succeed(world, 'GET', `/v1/tasks/${id}`)).toMatchObject({ parentId: partId });
  },
);

scenario('a part that comes back during a slow deletion keeps all that is below it', async (world) => {
  const projectId = await createProject(world, 10);
  const partId = await create(world, 'tasks', { projectId });
  await createTasks(world, 150, { projectId });
  await createTasks(world, 150, { projectId, parentId: partId });
  await world.settle(3);
  await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
  const slowly = async (minutes: number, isOver: () => Promise<boolean>): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      world.table.intercept = () => ({ requestMs: 400 });
      await world.wait(60_000);
      world.table.takeRecords();
      await world.processes[0]?.onSchedule();
      world.table.intercept = undefined;
      if (await isOver()) return;
    }
  };
  await slowly(15, async () => (await send(world, 'GET', `/v1/tasks/${partId}`)).status === 404);
  await succeed(world, 'POST', `/v1/tasks/${partId}/restore`);
  await slowly(10, async () => false);
  await world.settle(12);
  expect(await totalOf(world, `tasks/${partId}/tasks`)).toBe(150);
});

scenario('a deletion whose calls are slow leaves nothing behind', async (world) => {
  const projectId = await createProject(world, 150);
  await world.settle(3);
  await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
  world.table.takeRecords();
  // The schedule has five seconds for a step.
  world.table.intercept = () => ({ requestMs: 500 });
  for (let minute = 0; minute < 15; minute += 1) {
    await world.wait(60_000);
    world.table.takeRecords();
    await world.random.pick(world.processes).onSchedule();
  }
  world.table.intercept = undefined;
  await world.settle(10);
  expect(await totalOf(world, 'tasks')).toBe(0);
});
