import { randomInt } from 'node:crypto';
import {
  create,
  type Entity,
  entityOf,
  etagOf,
  type Kind,
  listOf,
  pathTo,
  read,
  readList,
  resourceOf,
  resources,
  someLists,
} from './resources.ts';
import { eventually, request, unique, withQuery } from './service.ts';

/** Long descriptions are stored beside their entities. Every response shows them whole. */

const texts = {
  '400 bytes, four for each character': '\u{1F600}'.repeat(100),
  '401 bytes, the last character of two': `${'x'.repeat(399)}é`,
  '10,000 characters of four bytes': '\u{1F600}'.repeat(10_000),
};

/** Returns a description of 1,000 words that are in no dictionary. */
const manyWords = (): string =>
  Array.from({ length: 10_000 }, (_, position) =>
    position % 10 === 9 ? ' ' : String.fromCharCode(0x4e00 + randomInt(20_000)),
  ).join('');

/** Returns a long description that no other entity has, with the same beginning as all others. */
const longText = (): string => `${'Long. '.repeat(70)}${unique('end')}`;

const described = resources.filter(({ defaults }) => 'description' in defaults).map(({ kind }) => kind);

const send = async (method: 'PUT' | 'PATCH', kind: Kind, id: string, body: object): Promise<Entity> =>
  entityOf(await request(method, pathTo(kind, id), { body: { ...body } }), 200);

/** Returns the fields that a `PUT` needs. */
const required = (kind: Kind, entity: Entity) =>
  Object.fromEntries(resourceOf(kind).required.map((field) => [field, entity[field] ?? null]));

describe.each(Object.entries(texts))('a description of %s', (_, description) => {
  test.each(described)('is returned whole by every operation on the %s', async (kind) => {
    const created = await create(kind, { description });
    const { id } = created;
    expect(created['description']).toBe(description);
    expect(await read(kind, id)).toEqual(created);
    const patched = await send('PATCH', kind, id, { status: unique('s') });
    expect(patched['description']).toBe(description);
    expect(await read(kind, id)).toEqual(patched);
    const replaced = await send('PUT', kind, id, { ...required(kind, created), description });
    expect(replaced['description']).toBe(description);
    expect(await read(kind, id)).toEqual(replaced);
  });
});

describe.each(described)('the long description of the %s', (kind) => {
  test('is replaced, removed and set again', async () => {
    const { id, ...created } = await create(kind, { description: longText() });
    const set = async (method: 'PUT' | 'PATCH', body: object, description: string) => {
      expect((await send(method, kind, id, body))['description']).toBe(description);
      expect((await read(kind, id))['description']).toBe(description);
    };
    const [first, second] = [longText(), longText()];
    await set('PATCH', { description: first }, first);
    await set('PATCH', { description: 'short' }, 'short');
    await set('PATCH', { description: second }, second);
    await set('PUT', required(kind, { id, ...created } as Entity), '');
    await set('PUT', { ...required(kind, { id, ...created } as Entity), description: first }, first);
  });

  test('stays and keeps the version when a request sets it to the same text', async () => {
    const description = longText();
    const { id } = await create(kind, { description });
    const etag = await etagOf(kind, id);
    await send('PATCH', kind, id, { description });
    expect(await etagOf(kind, id)).toBe(etag);
    await send('PATCH', kind, id, { description: longText() });
    expect(await etagOf(kind, id)).not.toBe(etag);
  });
});

describe.each(someLists.filter(({ item }) => described.includes(item)))('GET $title', ({ item, open }) => {
  test('shows long descriptions whole, and sorts and filters by them', async () => {
    const { path, query, fields } = await open();
    const made: Entity[] = [];
    for (const description of [longText(), 'short', longText(), '\u{1F600}'.repeat(10_000), '']) {
      made.push(await create(item, { ...fields, description }));
    }
    const at = (more: Record<string, string | number>) => withQuery(path, { ...query, ...more });
    const inOrder = async (more: Record<string, string | number>, expected: readonly Entity[]) =>
      expect([more, (await readList(at(more))).data]).toEqual([more, expected]);
    await inOrder({ sortOrder: 'asc' }, made);
    await inOrder({}, made.toReversed());
    await inOrder({ sortOrder: 'asc', limit: 2, page: 2 }, made.slice(2, 4));
    await inOrder({ sortBy: 'updatedAt', sortOrder: 'asc' }, made);
    // Texts with the same beginning are in the order of creation.
    const [first, short, second, emoji, empty] = made as [Entity, Entity, Entity, Entity, Entity];
    await inOrder({ sortBy: 'description', sortOrder: 'asc' }, [empty, first, second, short, emoji]);
    // The longest text does not fit into a URL.
    for (const one of [first, short, second, empty]) {
      await inOrder({ description: String(one['description']) }, [one]);
      await inOrder({ id: one.id }, [one]);
    }
    await inOrder({ description: String(first['description']).slice(0, 100) }, []);
  });
});

const descriptionsAt = async (path: string): Promise<unknown[]> =>
  listOf(await request('GET', withQuery(path, { sortOrder: 'asc', limit: 100 }))).data.map(
    (entity) => entity['description'],
  );

test.each([
  ['one transaction', 3, longText],
  ['a job', 60, longText],
  ['a job with more words than an item takes', 24, manyWords],
])('a clone by %s copies long descriptions of the project and its tasks', async (_, number, newText) => {
  const project = await create('project', { description: longText() });
  const bodies = Array.from({ length: number }, () => ({ projectId: project.id, description: newText() }));
  const tasks = await Promise.all(bodies.map((body) => create('task', body)));
  const originals = tasks.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const response = await request('POST', `${pathTo('project', project.id)}/clone`);
  const clone = entityOf(response, 201);
  expect(clone['description']).toBe(project['description']);
  const expected = originals.map((task) => task['description']);
  await eventually(async () =>
    expect(await descriptionsAt(`/v1/projects/${clone.id}/tasks`)).toEqual(expected),
  );
  // The copies are independent of the originals.
  expect((await request('DELETE', pathTo('project', project.id))).status).toBe(204);
  const left = withQuery('/v1/tasks', { projectId: project.id });
  await eventually(async () => expect((await readList(left)).total).toBe(0));
  expect(await read('project', clone.id)).toEqual(clone);
  expect(await descriptionsAt(`/v1/projects/${clone.id}/tasks`)).toEqual(expected);
});
