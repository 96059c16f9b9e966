import { type Client, isProblem, type Task } from '../../client/index.ts';

/** Never called. The compiler checks which calls the types of the client accept and reject. */
export async function typed(client: Client, listed: Task, error: unknown): Promise<void> {
  await client.tasks.list({ priority: 'high', sortBy: 'dueDate' });
  // @ts-expect-error: lists cannot be sorted by tagIds.
  await client.tasks.list({ sortBy: 'tagIds' });
  // @ts-expect-error: the filter does not exist.
  await client.tasks.list({ stauts: 'active' });
  // @ts-expect-error: a project requires organizationId.
  await client.projects.create({ name: 'x' });
  // @ts-expect-error: the priority does not exist.
  await client.tasks.update(listed.id, { priority: 'highest' });
  // @ts-expect-error: an entity of a list has no version.
  await client.tasks.update(listed, { status: 'completed' });
  if (isProblem(error) && error.problem.code === 'invalid-request')
    console.log(error.problem.errors.map(({ detail }) => detail));
  // @ts-expect-error: only `invalid-request` has errors.
  if (isProblem(error, 'not-found')) console.log(error.problem.errors);
}
