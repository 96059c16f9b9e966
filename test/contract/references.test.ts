import { unknownId } from './batches.ts';
import { expectPointer, expectProblem } from './problem.ts';
import {
  create,
  type Entity,
  entityOf,
  etagOf,
  identifiers,
  type Kind,
  pathTo,
  read,
  readList,
  resourceOf,
  resources,
  stateOf,
} from './resources.ts';
import { request, withQuery } from './service.ts';

async function remove(kind: Kind, id: string): Promise<void> {
  const { status, text } = await request('DELETE', pathTo(kind, id));
  expect([status, text]).toEqual([204, '']);
}

async function expectDeleted(kind: Kind, id: string): Promise<void> {
  expectProblem(await request('GET', pathTo(kind, id)), 404);
}

const references = resources.flatMap(({ kind, references: own }) =>
  own.map((reference) => ({ kind, ...reference })),
);

describe.each(references)('$field of a $kind', ({ kind, field, to, many }) => {
  const referring = (id: string) => ({ [field]: many ? [id] : id });
  const segment = resourceOf(to).nested.find((list) => list.item === kind && list.field === field)?.segment;

  /** Returns the ids of a parent's children. The filter and the nested list, if there is one, must agree. */
  async function listedUnder(parent: string): Promise<string[]> {
    const filtered = await readList(withQuery(resourceOf(kind).path, { [field]: parent }));
    expect(filtered.total).toBe(filtered.data.length);
    if (segment) expect(await readList(`${pathTo(to, parent)}/${segment}`)).toEqual(filtered);
    return identifiers(filtered);
  }

  const otherKind: Kind = to === 'user' ? 'tag' : 'user';

  test.each([
    ['when no entity has the id', async () => unknownId],
    ['when the id is malformed', async () => 'no-such-id'],
    ['for the id of another kind', async () => (await create(otherKind)).id],
    [
      `when the ${to} is deleted`,
      async () => {
        const { id } = await create(to);
        await remove(to, id);
        return id;
      },
    ],
  ])('returns 400 with a pointer %s', async (_, makeId) => {
    const id = await makeId();
    const { path, minimal } = resourceOf(kind);
    const entity = await create(kind);
    const body = { ...(await minimal()), ...referring(id) };
    expectPointer(await request('POST', path, { body }), field);
    expectPointer(await request('PUT', pathTo(kind, entity.id), { body }), field);
    expectPointer(await request('PATCH', pathTo(kind, entity.id), { body: referring(id) }), field);
    expect(await read(kind, entity.id)).toEqual(entity);
    expect(await listedUnder(id)).toEqual([]);
  });

  test('adds the entity to the list of its parent at once, and PATCH moves it to another list', async () => {
    const [one, other] = [await create(to), await create(to)];
    const { id } = await create(kind, referring(one.id));
    expect(await listedUnder(one.id)).toEqual([id]);
    expect(await listedUnder(other.id)).toEqual([]);
    const moved = entityOf(await request('PATCH', pathTo(kind, id), { body: referring(other.id) }), 200);
    expect(moved).toMatchObject(referring(other.id));
    expect(await listedUnder(one.id)).toEqual([]);
    expect(await listedUnder(other.id)).toEqual([id]);
  });
});

test('deleting an organization removes its projects and their tasks at once, keeps its users and tags, and changes nothing else', async () => {
  const [{ id: organizationId }, neighbour] = [await create('organization'), await create('organization')];
  const projects = [await create('project', { organizationId }), await create('project', { organizationId })];
  const user = await create('user', { organizationId });
  const tag = await create('tag', { organizationId });
  const ofBoth = { userId: user.id, tagIds: [tag.id] };
  const tasks = [
    await create('task', { projectId: projects[0]?.id ?? '', ...ofBoth }),
    await create('task', { projectId: projects[1]?.id ?? '', ...ofBoth }),
  ];
  const freeTask = await create('task', ofBoth);
  const untouched: [Kind, Entity][] = [
    ['organization', neighbour],
    ['project', await create('project', { organizationId: neighbour.id })],
    ['user', await create('user', { organizationId: neighbour.id })],
    ['task', freeTask],
  ];
  const userTag = await etagOf('user', user.id);
  await remove('organization', organizationId);

  await expectDeleted('organization', organizationId);
  for (const { id } of projects) await expectDeleted('project', id);
  for (const { id } of tasks) await expectDeleted('task', id);
  expect(stateOf(await read('user', user.id))).toEqual({ ...stateOf(user), organizationId: null });
  expect(stateOf(await read('tag', tag.id))).toEqual({ ...stateOf(tag), organizationId: null });
  expect(await etagOf('user', user.id)).not.toBe(userTag);
  for (const path of [
    `${pathTo('organization', organizationId)}/projects`,
    `${pathTo('organization', organizationId)}/users`,
    ...['projects', 'users', 'tags'].map((plural) => withQuery(`/v1/${plural}`, { organizationId })),
    `${pathTo('project', projects[1]?.id ?? '')}/tasks`,
  ])
    expect(await readList(path)).toMatchObject({ data: [], total: 0, totalPages: 0 });
  for (const path of [`${pathTo('user', user.id)}/tasks`, `${pathTo('tag', tag.id)}/tasks`])
    expect(await readList(path)).toMatchObject({ data: [freeTask], total: 1 });
  for (const [kind, entity] of untouched) expect(await read(kind, entity.id)).toEqual(entity);
});

test('deleting a user keeps its tasks and sets their userId to null', async () => {
  const [user, colleague] = [await create('user'), await create('user')];
  const tasks = [await create('task', { userId: user.id }), await create('task', { userId: user.id })];
  const other = await create('task', { userId: colleague.id });
  const before = await etagOf('task', tasks[0]?.id ?? '');
  await remove('user', user.id);
  for (const task of tasks) {
    expect(stateOf(await read('task', task.id))).toEqual({ ...stateOf(task), userId: null });
  }
  expect(await etagOf('task', tasks[0]?.id ?? '')).not.toBe(before);
  expect(await readList(`${pathTo('user', user.id)}/tasks`)).toMatchObject({ data: [], total: 0 });
  expect(await readList(withQuery('/v1/tasks', { userId: user.id }))).toMatchObject({ data: [], total: 0 });
  expect(await read('task', other.id)).toEqual(other);
});

test('deleting a tag keeps its tasks with their other tags', async () => {
  const [tag, otherTag] = [await create('tag'), await create('tag')];
  const both = await create('task', { tagIds: [tag.id, otherTag.id] });
  const alone = await create('task', { tagIds: [tag.id] });
  const untouched = await create('task', { tagIds: [otherTag.id] });
  await remove('tag', tag.id);
  expect(stateOf(await read('task', both.id))).toEqual({ ...stateOf(both), tagIds: [otherTag.id] });
  expect(stateOf(await read('task', alone.id))).toEqual({ ...stateOf(alone), tagIds: [] });
  expect(await read('task', untouched.id)).toEqual(untouched);
  expect(await readList(`${pathTo('tag', tag.id)}/tasks`)).toMatchObject({ data: [], total: 0 });
  expect(await readList(`${pathTo('tag', otherTag.id)}/tasks`)).toMatchObject({ total: 2 });
});
