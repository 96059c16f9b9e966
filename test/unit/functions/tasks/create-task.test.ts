import { createTask, listTasks, readTask } from '#functions/tasks/contract.ts';
import { invoke, problemOf, useEmptyTable } from '#test/support/invoke.ts';

/** The example of docs/testing.md. Copy it for your own test. */

useEmptyTable();

test('creates a task with defaults', async () => {
  const { statusCode, body: task } = await invoke(createTask, { body: { name: 'Write a test' } });
  expect(statusCode).toBe(201);
  expect(task).toMatchObject({ name: 'Write a test', status: 'active', priority: 'none' });

  const { body: found } = await invoke(readTask, { id: task.id });
  expect(found).toEqual(task);
});

test('returns 400 that points to the invalid field', async () => {
  const { type, status, errors } = problemOf(await invoke(createTask, { body: { name: '' } }));
  expect([type, status]).toEqual(['/docs/problems#invalid-request', 400]);
  expect(errors?.[0]?.pointer).toBe('/name');
});

test('lists the tasks of a priority and above', async () => {
  const query = { 'priority[gte]': 'high', 'name[startsWith]': 'Ranked' };
  for (const priority of ['low', 'high', 'urgent']) {
    await invoke(createTask, { body: { name: `Ranked ${priority}`, priority } });
  }
  expect((await invoke(listTasks, { query })).body.total).toBe(2);
});

test('problemOf refuses a success', async () => {
  const result = await invoke(createTask, { body: { name: 'A' } });
  expect(() => problemOf(result)).toThrow('It has the status 201');
});

test('lists the tasks of one tenant only', async () => {
  await invoke(createTask, { tenant: 'acme', body: { name: 'Urgent', priority: 'urgent' } });
  const { body: acme } = await invoke(listTasks, { tenant: 'acme', query: { priority: 'urgent' } });
  const { body: other } = await invoke(listTasks, { tenant: 'other', query: { priority: 'urgent' } });
  expect([acme.total, other.total]).toEqual([1, 0]);
});
