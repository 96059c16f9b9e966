import { createMany, resultsOf, sendBatch, times } from '../batches.ts';
import { type Entity, type Kind, pathTo, read, readList, sharedId } from '../resources.ts';
import { eventually, inParallel, type JsonObject, request, unique } from '../service.ts';

/** Deletions in a batch: dependents of the deleted entities are deleted, or lose their references, as after `DELETE`. */

const deletionOf = ({ id }: Entity): JsonObject => ({ operation: 'delete', id });

async function expectDeleted(kind: Kind, { id }: Entity): Promise<void> {
  expect([kind, (await request('GET', pathTo(kind, id))).status]).toEqual([kind, 404]);
}

describe('deletions in a batch', () => {
  test('remove several deleted tags from the tasks that have them', async () => {
    const tags = (await createMany('tag', times(3))) as [Entity, Entity, Entity];
    const [first, second, kept] = tags.map(({ id }) => id) as [string, string, string];
    const before = [[first, kept, second], [first, second, kept], [second]];
    const tasks = await createMany(
      'task',
      before.map((tagIds) => ({ tagIds })),
    );
    const response = await sendBatch('tag', [
      deletionOf(tags[0]),
      { operation: 'update', id: kept, body: { name: 'kept' } },
      deletionOf(tags[1]),
    ]);
    expect(resultsOf(response)).toMatchObject([{ status: 204 }, { status: 200 }, { status: 204 }]);
    const after = await inParallel(tasks, async ({ id }) => (await read('task', id))['tagIds']);
    expect(after).toEqual([[kept], [kept], []]);
  });

  test('delete the projects and tasks of several organizations, and keep their users', async () => {
    const [first, second, kept] = (await createMany('organization', times(3))) as [Entity, Entity, Entity];
    const owned = [{ organizationId: first.id }, { organizationId: second.id }];
    const projects = await createMany('project', owned);
    const tasks = await createMany(
      'task',
      projects.map(({ id }) => ({ projectId: id })),
    );
    const users = await createMany('user', owned);
    const response = await sendBatch('organization', [
      deletionOf(first),
      deletionOf(second),
      { operation: 'update', id: kept.id, body: { status: 'kept' } },
    ]);
    expect(resultsOf(response)).toMatchObject([{ status: 204 }, { status: 204 }, { status: 200 }]);
    for (const organization of [first, second]) await expectDeleted('organization', organization);
    for (const project of projects) await expectDeleted('project', project);
    for (const task of tasks) await expectDeleted('task', task);
    for (const { id } of users) expect((await read('user', id))['organizationId']).toBeNull();
    expect(await read('organization', kept.id)).toMatchObject({ status: 'kept' });
  });

  test('leave more dependents than fit in one transaction to jobs', async () => {
    const projects = await createMany('project', times(4));
    // A transaction has at most 100 writes: it has room for the tasks of one project, but not for those of all.
    await createMany(
      'task',
      projects.flatMap(({ id }) => times(25, { projectId: id })),
    );
    const body = { name: unique('beside'), organizationId: await sharedId('organization') };
    const response = await sendBatch('project', [...projects.map(deletionOf), { operation: 'create', body }]);
    const statuses = resultsOf(response).map(({ status }) => status);
    expect(statuses).toEqual([...Array(4).fill(204), 201]);
    for (const project of projects) await expectDeleted('project', project);
    await eventually(async () => {
      for (const { id } of projects) {
        expect(await readList(`${pathTo('project', id)}/tasks`)).toMatchObject({ total: 0 });
      }
    });
  });
});
