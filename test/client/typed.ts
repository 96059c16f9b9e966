import {
  type BatchOperation,
  type Client,
  type Deletion,
  type ExpandedProject,
  type ExpandedTag,
  isProblem,
  type ListQuery,
  type NewTask,
  type Status,
  type Task,
  type TaskChanges,
  type TaskTypes,
  type Versioned,
} from 'project-management-client';

/** Never called. The compiler checks which calls the types of the client accept and reject. */
export async function typed(client: Client, listed: Task, error: unknown): Promise<void> {
  await client.tasks.list({ priority: 'high', sortBy: 'dueDate' });
  // @ts-expect-error: lists cannot be sorted by tagIds.
  await client.tasks.list({ sortBy: 'tagIds' });
  // @ts-expect-error: a project requires organizationId.
  await client.projects.create({ name: 'x' });
  // @ts-expect-error: the priority does not exist.
  await client.tasks.update(listed.id, { priority: 'highest' });
  // @ts-expect-error: the task has no version. A list returns Versioned<Task>.
  await client.tasks.update(listed, { status: 'completed' });
  if (isProblem(error) && error.problem.code === 'invalid-request')
    console.log(error.problem.errors.map(({ detail }) => detail));
  // @ts-expect-error: only `invalid-request` always has errors. Other problems of a batch have them too.
  if (isProblem(error, 'not-found')) console.log(error.problem.errors.length);
  const [created, deleted] = await client.tasks.batch([
    { operation: 'create', body: { name: 'x', priority: 'high' } },
    { operation: 'delete', id: listed.id },
  ]);
  await client.tasks.update(created, { status: 'completed' });
  // @ts-expect-error: a deletion returns no entity.
  console.log(deleted.id);
  // @ts-expect-error: a project requires organizationId.
  await client.projects.batch([{ operation: 'create', body: { name: 'x' } }]);
  const operations: BatchOperation<NewTask, TaskChanges>[] = [];
  for (const entity of await client.tasks.batch(operations)) {
    // @ts-expect-error: the operation can be a deletion.
    console.log(entity.id);
  }
}

/** Never called. Accepts a value of exactly this type: the function is assignable in both directions. */
const exactly =
  <Expected>() =>
  <Actual>(_: Actual, ...__: Same<Actual, Expected> extends true ? [] : [never]): void => {};
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

/** Never called. Lists: what their queries accept, and how their results follow from them. */
export async function lists(client: Client, today: string, me: string): Promise<void> {
  const overdue = await client.tasks.list({
    dueDate: { lt: today },
    status: { notIn: ['done'] },
    userId: me,
    sortBy: ['priority', 'dueDate'],
    sortOrder: ['desc', 'asc'],
    expand: ['project'],
    countBy: ['status', 'priority', 'dueDate'],
  });
  exactly<ExpandedProject | null>()(overdue.data[0]?.project ?? null);
  exactly<string | undefined>()(overdue.counts.status[0]?.value);
  exactly<Task['priority'] | undefined>()(overdue.counts.priority[0]?.value);
  exactly<string | null | undefined>()(overdue.counts.dueDate[0]?.value);
  // @ts-expect-error: the user is not expanded.
  console.log(overdue.data[0]?.user);

  const plain = await client.tasks.list();
  exactly<readonly Versioned<Task>[]>()(plain.data);
  // @ts-expect-error: nothing is counted.
  console.log(plain.counts);
  // @ts-expect-error: nothing is expanded.
  console.log(plain.data[0]?.project);

  const names = await client.projects.tasks(me).list({ fields: ['name', 'tagIds'], expand: ['tags'] });
  type Named = Pick<Task, 'id' | 'name' | 'tagIds'> & { readonly tags: readonly ExpandedTag[] };
  exactly<readonly Versioned<Task, Named>[]>()(names.data);
  // @ts-expect-error: the field is not one of `fields`.
  console.log(names.data[0]?.status);

  const deleted = await client.tasks.deleted({
    deletedWith: me,
    sortBy: ['deletedAt', 'name'],
    fields: ['name'],
    countBy: ['status'],
    sumBy: ['estimate'],
  });
  exactly<readonly Pick<Task, 'id' | 'name'>[]>()(deleted.data);
  const times = await client.tasks.deleted({ fields: ['deletedAt', 'restores', 'name'] });
  exactly<readonly (Pick<Task, 'id' | 'name'> & Pick<Deletion, 'deletedAt' | 'restores'>)[]>()(times.data);
  exactly<readonly (Task & Deletion)[]>()((await client.tasks.deleted()).data);
  // @ts-expect-error: entities that are not deleted have no such field.
  await client.tasks.list({ fields: ['deletedAt'] });
  exactly<string | undefined>()(deleted.counts.status[0]?.value);
  exactly<number>()(deleted.sums.estimate);
  // @ts-expect-error: a list of what was deleted continues in no feed.
  await client.tasks.deleted({ changesCursor: true });

  for await (const { project } of client.tasks.iterate({ id: { gt: me }, expand: ['project'] })) {
    exactly<ExpandedProject | null>()(project);
  }
  const query: ListQuery<TaskTypes> = { priority: { gte: 'high' }, tagIds: { all: [me] }, sortBy: 'dueDate' };
  exactly<readonly Versioned<Task>[]>()((await client.tasks.list(query)).data);

  const read = await client.tasks.get(me, { expand: ['user', 'tags'] });
  exactly<readonly ExpandedTag[]>()(read.tags);
  // @ts-expect-error: an entity with expanded references has no version.
  await client.tasks.update(read, { status: 'completed' });
  await client.tasks.update(await client.tasks.get(me), { status: 'completed' });
}

/** Never called. Writes that require a version. */
export async function guarded(client: Client, me: string): Promise<void> {
  let tasks: readonly Versioned<Task>[] = (await client.tasks.list()).data;
  for (const task of tasks) await client.tasks.update(task, { status: 'completed' });
  tasks = tasks.map((task) => ({ ...task, status: 'completed' }));
  for await (const task of client.tasks.iterate({ fields: ['name'], expand: ['project'] })) {
    await client.tasks.delete(task);
    // @ts-expect-error: a task is no tag.
    await client.tags.delete(task);
    // @ts-expect-error: a project that a task expands has no version.
    if (task.project) await client.projects.delete(task.project);
  }
  const organization = await client.organizations.get(me);
  await client.projects.list({ organizationId: organization.id });
  // @ts-expect-error: an organization is no tag, although it has the fields of one.
  await client.tags.update(organization, { color: '#000000' });
  // @ts-expect-error: a task has all fields of an organization.
  await client.organizations.archive(await client.tasks.get(me));
}

/** Never called. Known statuses are suggested, and any other is accepted. */
export async function statuses(client: Client, status: string): Promise<void> {
  const known: Status = 'archived';
  await client.tasks.create({ name: 'x', status: known });
  await client.tasks.update('x', { status });
  await client.tasks.list({ status: { in: ['active', 'blocked', status] } });
}

/** Never called. Each line has one mistake. */
export async function mistakes(client: Client): Promise<void> {
  // @ts-expect-error: the operator does not exist.
  await client.tasks.list({ status: 'active', dueDate: { before: '2026-03-20' } });
  // @ts-expect-error: several values are an array.
  await client.tasks.list({ status: { in: 'active' } });
  // @ts-expect-error: the field cannot be null.
  await client.tasks.list({ name: { isNull: true } });
  // @ts-expect-error: text that is compared by its beginning is no date.
  await client.tasks.list({ dueDate: { startsWith: '2026' } });
  // @ts-expect-error: nothing with this name can be expanded.
  await client.tasks.list({ expand: ['projects'] });
  // @ts-expect-error: names are not counted.
  await client.tasks.list({ countBy: ['name'] });
  // @ts-expect-error: the field does not exist.
  await client.tasks.list({ fields: ['id', 'title'] });
  // @ts-expect-error: an iteration has no page.
  client.tasks.iterate({ page: 2 });
  // @ts-expect-error: an iteration counts nothing.
  client.tasks.iterate({ countBy: ['status'] });
}
