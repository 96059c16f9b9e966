import { type Client, isProblem, type Task } from '../../client/index.ts';

/** Never called: that it compiles says what the client's types let through, and what they refuse. */
export async function typed(client: Client, listed: Task, error: unknown): Promise<void> {
  await client.tasks.list({ priority: 'high', sortBy: 'dueDate' });
  // @ts-expect-error: there is no such order.
  await client.tasks.list({ sortBy: 'tagIds' });
  // @ts-expect-error: there is no such filter.
  await client.tasks.list({ stauts: 'active' });
  // @ts-expect-error: a project needs its organization.
  await client.projects.create({ name: 'x' });
  // @ts-expect-error: there is no such priority.
  await client.tasks.update(listed.id, { priority: 'highest' });
  // @ts-expect-error: what was listed has no version.
  await client.tasks.update(listed, { status: 'completed' });
  if (isProblem(error) && error.problem.code === 'invalid-request')
    console.log(error.problem.errors.map(({ detail }) => detail));
  // @ts-expect-error: only some problems have places.
  if (isProblem(error, 'not-found')) console.log(error.problem.errors);
}
