import { createMany, times } from './batches.ts';
import { expectParameter, expectProblem } from './problem.ts';
import {
  create,
  type Entity,
  identifiers,
  type Kind,
  lists,
  pathTo,
  readList,
  resourceOf,
  resources,
} from './resources.ts';
import { inParallel, type JsonObject, request, unique, withQuery } from './service.ts';

/** `expand` in lists and single reads: beside a reference, the entity that it names. test/security/authorization.test.ts covers scopes. */

/** Returns what `expand` takes for a reference: `project` for `projectId`, `tags` for `tagIds`. */
const expansionOf = (field: string): string => field.replace(/Ids$/, 's').replace(/Id$/, '');

const expansions = resources.flatMap(({ kind, references, nullable }) =>
  references.map(({ field, to, many }) => ({
    kind,
    field,
    to,
    many,
    expand: expansionOf(field),
    isOptional: many || nullable.includes(field),
  })),
);

type Shown = Readonly<Record<string, unknown>>;

/** Returns an entity as `expand` shows it. */
function asExpanded(entity: Shown): Shown {
  const { description: _, ...shown } = entity;
  return shown;
}

/** Reads an entity with expansions, alone and in the list of its collection. Both must be equal. */
async function readExpanded(kind: Kind, id: string, expand: string): Promise<Shown> {
  const single = await request('GET', withQuery(pathTo(kind, id), { expand }));
  expect([single.status, single.text]).toEqual([200, expect.any(String)]);
  const list = await readList(withQuery(resourceOf(kind).path, { id, expand }));
  expect(list.data).toEqual([single.body]);
  return single.body as Shown;
}

describe.each(expansions)('expand=$expand of a $kind', ({ kind, field, to, many, expand, isOptional }) => {
  const referring = (...parents: readonly Entity[]): JsonObject => ({
    [field]: many ? parents.map(({ id }) => id) : (parents[0]?.id ?? null),
  });

  test('shows the entity beside the reference as GET by id shows it, without its description', async () => {
    const parent = await create(to, await resourceOf(to).full());
    const entity = await create(kind, referring(parent));
    expect(await readExpanded(kind, entity.id, expand)).toEqual({
      ...entity,
      [expand]: many ? [asExpanded(parent)] : asExpanded(parent),
    });
  });

  if (isOptional) {
    test('shows null or an empty array without a reference', async () => {
      const entity = await create(kind, referring());
      expect(await readExpanded(kind, entity.id, expand)).toEqual({ ...entity, [expand]: many ? [] : null });
    });
  }

  test('shows a change of the entity at once', async () => {
    const parent = await create(to);
    const { id } = await create(kind, referring(parent));
    const name = unique('Renamed');
    const changed = await request('PATCH', pathTo(to, parent.id), { body: { name } });
    const shown = await readExpanded(kind, id, expand);
    expect([shown[expand]].flat()).toEqual([asExpanded(changed.body as Shown)]);
  });
});

describe('expansions of several tasks', () => {
  test('keep the order of tagIds', async () => {
    const tags = await inParallel(['b', 'c', 'a'], (name) => create('tag', { name }));
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
      [1, 0],
    ]) {
      const expected = order.map((place) => tags[place] as Entity);
      const { id } = await create('task', { tagIds: expected.map((tag) => tag.id) });
      expect((await readExpanded('task', id, 'tags'))['tags']).toEqual(expected.map(asExpanded));
    }
  });

  test('combine with each other and with a long description', async () => {
    const description = 'Long. '.repeat(100).trim();
    const project = await create('project', { description });
    const user = await create('user');
    const tag = await create('tag', { description });
    const task = await create('task', { projectId: project.id, userId: user.id, tagIds: [tag.id] });
    expect(await readExpanded('task', task.id, 'project,user,tags')).toEqual({
      ...task,
      project: asExpanded(project),
      user,
      tags: [asExpanded(tag)],
    });
    expect(await readExpanded('task', task.id, 'tags,project')).toEqual({
      ...task,
      project: asExpanded(project),
      tags: [asExpanded(tag)],
    });
  });

  test('show the same entity for each task of a page, and expand one level only', async () => {
    const project = await create('project');
    const ids = (await createMany('task', times(25, { projectId: project.id }))).map(({ id }) => id);
    const list = await readList(
      withQuery(`${pathTo('project', project.id)}/tasks`, { expand: 'project,user', limit: 100 }),
    );
    expect(identifiers(list).sort()).toEqual(ids.sort());
    for (const task of list.data) expect(task).toMatchObject({ project: asExpanded(project), user: null });
  });
});

describe.each(lists)('expand in GET $title', ({ item, open }) => {
  const known = resourceOf(item).references.map(({ field }) => expansionOf(field));

  test.each(['unknown', '', 'tagIds', 'Project', 'constructor'])(
    'returns 400 for expand=%s',
    async (expand) => {
      const { path } = await open();
      expectParameter(await request('GET', withQuery(path, { expand })), 'expand');
    },
  );

  test('returns 400 for what only other kinds expand', async () => {
    const { path } = await open();
    const foreign = ['organization', 'project', 'user', 'tags'].filter((expand) => !known.includes(expand));
    for (const expand of foreign) {
      expectParameter(await request('GET', withQuery(path, { expand })), 'expand');
      const [own] = known;
      if (own)
        expectParameter(await request('GET', withQuery(path, { expand: `${own},${expand}` })), 'expand');
    }
  });
});

test('a response with expand has no ETag, and is 200 for the ETag of the entity', async () => {
  const { id } = await create('task');
  for (const path of [pathTo('task', id), withQuery('/v1/tasks', { id })]) {
    const etag = (await request('GET', path)).headers.get('etag') ?? '';
    const expanded = `${path}${path.includes('?') ? '&' : '?'}expand=project`;
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, headers } = await request(method, expanded, { headers: { 'if-none-match': etag } });
      expect([status, headers.get('etag')]).toEqual([200, null]);
    }
  }
});

test('an entity that was read with expand can be sent back with PUT', async () => {
  const { id: organizationId } = await create('organization');
  const { id: projectId } = await create('project', { organizationId });
  const { id: tagId } = await create('tag');
  const { id } = await create('task', { projectId, tagIds: [tagId] });
  for (const [path, expand] of [
    [`/v1/tasks/${id}`, 'project,user,tags'],
    [`/v1/projects/${projectId}`, 'organization'],
  ] as const) {
    const { body } = await request('GET', `${path}?expand=${expand}`);
    const replaced = await request('PUT', path, { body: body as JsonObject });
    expect([path, replaced.status]).toEqual([path, 200]);
    expect(replaced.body).toEqual((await request('GET', path)).body);
  }
});

test('a page expands at most 400 different entities, without their descriptions', async () => {
  const status = unique('costly');
  const description = '😀'.repeat(10_000);
  const tags = [
    ...(await createMany('tag', times(5, { description }))),
    ...(await createMany('tag', times(545))),
  ];
  const tagIds = identifiers({ data: tags });
  for (let start = 0; start < tagIds.length; start += 50)
    await create('task', { status, tagIds: tagIds.slice(start, start + 50) });
  const page = (limit: number) =>
    request('GET', `/v1/tasks?status=${status}&expand=tags&fields=name&limit=${limit}`);
  const refused = await page(100);
  expect(expectProblem(refused, 400).errors).toEqual([
    {
      parameter: 'limit',
      detail: expect.stringMatching(/adds 550 different entities .* at most 400 .* a lower "limit"/),
    },
  ]);
  const response = await page(8);
  expect(response.status).toBe(200);
  expect(response.text).not.toContain('description');
  const [, readUnits] = /read=([\d.]+)/.exec(response.headers.get('server-timing') ?? '') ?? [];
  expect(Number(readUnits)).toBeLessThan(500);
});
