import { create, type Entity, lists, pathTo, readList, resourceOf } from './resources.ts';
import { inParallel, withQuery } from './service.ts';

/** Filters are combined with AND, for every way in which the service can run the query. */

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

  test('filters by a status, alone and with each reference', async () => {
    const { full, references } = resourceOf(item);
    const { path, fields } = await open();
    const status = 'archived';
    const wanted = await create(item, { ...(await full()), ...fields, status });
    await inParallel([[], ...references.map(({ field }) => [field])], async (names) => {
      const values = Object.fromEntries(names.map((name) => [name, one(wanted[name])]));
      const { data } = await readList(withQuery(path, { ...values, status, limit: '100' }));
      expect(data.map(({ id }) => id)).toContain(wanted.id);
    });
  });
});

test.each(['user', 'tag'] as const)('the tasks of a %s are filtered by a project', async (kind) => {
  const [project, parent] = [await create('project'), await create(kind)];
  const reference = kind === 'tag' ? { tagIds: [parent.id] } : { userId: parent.id };
  const wanted = await inParallel([1, 2, 3], () => create('task', { ...reference, projectId: project.id }));
  await create('task', reference);
  const { data, total } = await readList(
    withQuery(`${pathTo(kind, parent.id)}/tasks`, { projectId: project.id }),
  );
  expect(total).toBe(3);
  expect(data.map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort());
});
