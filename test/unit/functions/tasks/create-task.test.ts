import { createTask, listTasks, readTask } from '../../../../functions/tasks/contract.ts';
import { invoke, useEmptyTable } from '../../../support/invoke.ts';

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
  const { statusCode, body } = await invoke(createTask, { body: { name: '' } });
  expect(statusCode).toBe(400);
  expect(body).toMatchObject({ errors: [{ pointer: '/name' }] });
});

test('lists the tasks of one tenant only', async () => {
  await invoke(createTask, { tenant: 'acme', body: { name: 'Urgent', priority: 'urgent' } });
  const { body: acme } = await invoke(listTasks, { tenant: 'acme', query: { priority: 'urgent' } });
  const { body: other } = await invoke(listTasks, { tenant: 'other', query: { priority: 'urgent' } });
  expect([acme.total, other.total]).toEqual([1, 0]);
});
