import { expectPointer } from './problem.ts';
import {
  create,
  type Entity,
  entityOf,
  identifiers,
  pathTo,
  read,
  readList,
  resourceOf,
  stateOf,
} from './resources.ts';
import { type JsonObject, pathOf, request, type TestResponse, withQuery } from './service.ts';

describe('POST /v1/organizations/{id}/archive', () => {
  const archive = (id: string, body?: JsonObject) =>
    request('POST', `${pathTo('organization', id)}/archive`, body ? { body } : {});

  test('returns 200 with the archived organization and changes only its status', async () => {
    const organization = await create('organization', { description: 'Kept.' });
    const archived = entityOf(await archive(organization.id), 200);
    expect(stateOf(archived)).toEqual({ ...stateOf(organization), status: 'archived' });
    expect(await read('organization', organization.id)).toEqual(archived);
  });

  test('archives its projects with any status and updates their lists', async () => {
    const organizationId = (await create('organization')).id;
    const projects = [
      await create('project', { organizationId }),
      await create('project', { organizationId, status: 'planned' }),
      await create('project', { organizationId, status: 'archived' }),
    ];
    entityOf(await archive(organizationId), 200);
    for (const project of projects) {
      expect(stateOf(await read('project', project.id))).toEqual({ ...stateOf(project), status: 'archived' });
    }
    const nested = `${pathTo('organization', organizationId)}/projects`;
    expect(await readList(withQuery(nested, { status: 'archived' }))).toMatchObject({ total: 3 });
    expect(await readList(withQuery(nested, { status: 'active' }))).toMatchObject({ data: [], total: 0 });
    expect(await readList(withQuery(nested, { status: 'planned' }))).toMatchObject({ data: [], total: 0 });
  });
});

function clone(id: string, body?: JsonObject): Promise<TestResponse> {
  return request('POST', `${pathTo('project', id)}/clone`, body ? { body } : {});
}

const copied = ({ id: _id, createdAt: _createdAt, ...rest }: Entity) => {
  const { updatedAt: _updatedAt, number: _number, ...fields } = rest;
  return fields;
};

const tasksOf = async (projectId: string) =>
  (await readList(withQuery(`${pathTo('project', projectId)}/tasks`, { limit: 100, sortBy: 'name' }))).data;

describe('POST /v1/projects/{id}/clone', () => {
  test('returns 201 with a new project that has all writable fields of the original', async () => {
    const project = await create('project', await resourceOf('project').full());
    const response = await clone(project.id);
    const twin = entityOf(response, 201);
    expect(twin.id).not.toBe(project.id);
    expect(copied(twin)).toEqual(copied(project));
    expect(Object.keys(twin).sort()).toEqual(Object.keys(project).sort());
    expect(twin.createdAt >= project.createdAt).toBe(true);
    expect(pathOf(response.headers.get('location') ?? '', response)).toBe(pathTo('project', twin.id));
    expect(await read('project', twin.id)).toEqual(twin);
  });
});

describe('the tasks of a cloned project', () => {
  test.each([undefined, { include: ['tasks'] }])(
    'are copied with all fields for the body %j',
    async (body) => {
      const projectId = (await create('project')).id;
      const tasks = [
        await create('task', { ...(await resourceOf('task').full()), projectId }),
        await create('task', { projectId }),
      ];
      const twin = entityOf(await clone(projectId, body), 201);
      const twins = await tasksOf(twin.id);
      const expected = tasks.map((task) => ({ ...copied(task), projectId: twin.id }));
      const byName = (one: { name?: unknown }, other: { name?: unknown }) =>
        String(one.name) < String(other.name) ? -1 : 1;
      expect(twins.map(copied).sort(byName)).toEqual(expected.sort(byName));
      for (const { id } of twins) expect(identifiers({ data: tasks })).not.toContain(id);
    },
  );

  test('are not copied when include is empty', async () => {
    const projectId = (await create('project')).id;
    await create('task', { projectId });
    expect(await tasksOf(entityOf(await clone(projectId, { include: [] }), 201).id)).toEqual([]);
  });
});

describe('an invalid request to clone', () => {
  test.each([
    ['name', ''],
    ['include', ['users']],
    ['organizationId', 'x'],
  ])('returns 400 with a pointer for %s %j and creates nothing', async (field, value) => {
    const organizationId = (await create('organization')).id;
    const { id } = await create('project', { organizationId });
    expectPointer(await clone(id, { [field]: value }), field);
    expect(await readList(`${pathTo('organization', organizationId)}/projects`)).toMatchObject({ total: 1 });
  });
});
