/** Makes changes of every kind of entity, and tells which events they have. */
import { createClient } from '#client/index.ts';

interface ExpectedEvent {
  readonly id: string;
  readonly type: string;
}

const long = 'é"\n'.repeat(300);

/** Creates, updates, deletes and restores an entity of each kind. @returns the events. */
export async function makeEveryChange(url: string): Promise<ExpectedEvent[]> {
  const expected: ExpectedEvent[] = [];
  const client = createClient({ url });
  const { organizations, projects, users, tags, tasks } = client;
  const organization = await organizations.create({ name: 'Acme', description: long });
  const organizationId = organization.id;
  const project = await projects.create({ name: 'Plan', organizationId, startDate: '2026-01-01' });
  const user = await users.create({ name: 'Ada', email: 'ada@example.com', organizationId });
  const tag = await tags.create({ name: 'red', color: '#ff0000' });
  const references = { projectId: project.id, userId: user.id, tagIds: [tag.id] };
  const task = await tasks.create({ name: 'Draft', ...references, priority: 'high', description: long });
  const changes = [
    ['organization', organizations, organizationId, { status: 'on_hold' }],
    ['project', projects, project.id, { dueDate: '2026-02-01', name: '"Pläne" \u{1f600}' }],
    ['user', users, user.id, { email: null }],
    ['tag', tags, tag.id, { color: '#00ff00' }],
    ['task', tasks, task.id, { description: `${long}!`, dueDate: '2026-12-01', userId: null, tagIds: [] }],
  ] as const;
  for (const [, collection, id, fields] of changes) await collection.update(id, fields as never);
  // A deletion has no cascade: others would change as well. What is restored first can be referred to.
  for (const [, collection, id] of changes.toReversed()) await collection.delete(id);
  for (const [, collection, id] of changes) await collection.restore(id);
  for (const [kind, , id] of changes)
    for (const [place, operation] of ['created', 'updated', 'deleted', 'restored'].entries())
      expected.push({ id: `${kind}:${id}:${place + 1}`, type: `${kind}.${operation}` });
  const created = await tasks.batch(
    [1, 2].map(() => ({ operation: 'create', body: { name: 'x' } })) as never,
  );
  for (const { id } of created as { id: string }[])
    expected.push({ id: `task:${id}:1`, type: 'task.created' });
  return expected;
}

/** Returns the ids and types of events, each once, in their order. */
export const distinct = (events: Iterable<ExpectedEvent>): ExpectedEvent[] =>
  [...new Map([...events].map(({ id, type }) => [id, { id, type }])).values()].sort((one, next) =>
    one.id < next.id ? -1 : 1,
  );
