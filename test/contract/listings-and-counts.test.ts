import { sortedBy } from '../support/list-queries.ts';
import { plainOrder } from '../support/plain-list.ts';
import { createMany } from './batches.ts';
import { create, type Entity, identifiers, lists, pathTo, readList, resourceOf } from './resources.ts';
import { inParallel, request, withQuery } from './service.ts';

test('totals count concurrent creations and deletions exactly', async () => {
  const projectId = (await create('project')).id;
  const path = `${pathTo('project', projectId)}/tasks`;
  const tasks = await Promise.all(Array.from({ length: 30 }, () => create('task', { projectId })));
  expect((await readList(path)).total).toBe(30);
  const removed = tasks.slice(0, 10);
  const kept = tasks.slice(10);
  const [, added] = await Promise.all([
    Promise.all(removed.map(({ id }) => request('DELETE', pathTo('task', id)))),
    Promise.all(Array.from({ length: 10 }, () => create('task', { projectId }))),
    Promise.all(kept.map(({ id }) => request('PATCH', pathTo('task', id), { body: { status: 'planned' } }))),
  ]);
  const all = await readList(withQuery(path, { limit: 100 }));
  expect(all.total).toBe(30);
  expect(identifiers(all).sort()).toEqual([...kept, ...added].map(({ id }) => id).sort());
  expect(await readList(withQuery(path, { status: 'planned' }))).toMatchObject({ total: 20 });
  expect(await readList(withQuery(path, { status: 'active' }))).toMatchObject({ total: 10 });
});

const one = (value: Entity[string] | undefined): string => String(Array.isArray(value) ? value[0] : value);

/** Each filter alone, and every pair of filters. */
const combinations = (names: readonly string[]): string[][] =>
  names.flatMap((name, position) => [[name], ...names.slice(position + 1).map((other) => [name, other])]);

describe.each(lists)('$title', ({ item, open }) => {
  test('filters by every pair of id, name, status and references', async () => {
    const { full, references } = resourceOf(item);
    const { path, query, fields } = await open();
    const wanted = await create(item, { ...(await full()), ...fields });
    const other = await create(item, fields);
    const filters = ['id', 'name', 'status', ...references.map(({ field }) => field)];
    await inParallel(combinations(filters), async (names) => {
      const values = Object.fromEntries(names.map((name) => [name, one(wanted[name])]));
      const { data, total } = await readList(withQuery(path, { ...query, ...values }));
      expect(data.map(({ id }) => id)).toContain(wanted.id);
      expect(total).toBeGreaterThanOrEqual(data.length);
      for (const found of data) {
        for (const [name, value] of Object.entries(values)) expect([found[name]].flat()).toContain(value);
      }
      const isOther = names.every((name) => [other[name]].flat().includes(one(wanted[name])));
      expect(data.some(({ id }) => id === other.id)).toBe(isOther);
    });
  });
});

test('a parent with more children than an index serves in any order sorts them by name', async () => {
  const { id: organizationId } = await create('organization');
  const bodies = Array.from({ length: 70 }, (_, number) => ({
    name: `User ${(number * 37) % 70}`,
    organizationId,
  }));
  const expected = [...plainOrder(await createMany('user', bodies), sortedBy('name'))];
  const path = `${pathTo('organization', organizationId)}/users?sortBy=name&sortOrder=asc&limit=100`;
  const list = await readList(path);
  expect([list.total, identifiers(list)]).toEqual([70, identifiers({ data: expected })]);
});
