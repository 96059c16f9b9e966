import { createMany } from '../batches.ts';
import { expectParameter } from '../problem.ts';
import { create, type Entity, type List, readList, resourceOf, someLists } from '../resources.ts';
import { type Parameters, request, unique, withQuery } from '../service.ts';

/** `countBy` in lists: how many of all matching entities have each value. */

type Counts = Readonly<Record<string, readonly { value: string | null; count: number }[]>>;

async function readCounts(path: string): Promise<Counts> {
  return ((await readList(path)) as List & { counts: Counts }).counts;
}

const pairs = (counts: Counts, field: string) => counts[field]?.map(({ value, count }) => [value, count]);

const uncounted = ['id', 'name', 'description', 'createdAt', 'updatedAt', 'estimate'];

describe.each(someLists)('countBy in GET $title', ({ item, open }) => {
  const { scalarFields, references } = resourceOf(item);
  const all = [...scalarFields, ...references.flatMap(({ field, many }) => (many ? [field] : []))];
  const countable = all.filter((field) => !uncounted.includes(field));
  let entities: Entity[];
  let at: (parameters: Parameters) => string;

  beforeAll(async () => {
    const scope = await open();
    at = (parameters) => withQuery(scope.path, { ...scope.query, ...parameters });
    const { full, minimal } = resourceOf(item);
    entities = [];
    for (const body of [await full(), await minimal(), await minimal(), await full()])
      entities.push(await create(item, { ...body, ...scope.fields, name: 'x' }));
  });

  test('counts the values of every field over everything that matches, not only the page', async () => {
    const counts = await readCounts(at({ countBy: countable.join(','), limit: 1 }));
    expect(Object.keys(counts).sort()).toEqual(countable.toSorted());
    for (const field of countable) {
      const values = entities.flatMap((entity) => entity[field] ?? [null]);
      const expected = new Map(values.map((value) => [value, values.filter((one) => one === value).length]));
      expect([field, new Map(pairs(counts, field) as [string, number][])]).toEqual([field, expected]);
    }
  });

  test('is absent from the response unless the request asks for it', async () => {
    expect(await readList(at({}))).not.toHaveProperty('counts');
  });

  test.each(['description', 'unknown', '', 'status,', 'status,name', 'Status'])(
    'returns 400 for countBy=%s',
    async (countBy) => {
      expectParameter(await request('GET', at({ countBy })), 'countBy');
    },
  );
});

async function countsOf(field: string, values: readonly (string | string[] | null)[]) {
  const name = unique('scope');
  await createMany(
    'task',
    values.map((value) => ({ [field]: value, name })),
  );
  return pairs(await readCounts(withQuery('/v1/tasks', { name, countBy: field })), field);
}

test('counts shows the first 100 values of a field', async () => {
  const numbers = Array.from({ length: 102 }, (_, number) => `s${String(number).padStart(3, '0')}`);
  const counts = await countsOf('status', [...numbers, 's101']);
  expect(counts).toEqual([['s101', 2], ...numbers.slice(0, 99).map((status) => [status, 1])]);
});
