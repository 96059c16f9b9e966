import { createMany, resultsOf, sendBatch } from './batches.ts';
import { expectParameter } from './problem.ts';
import { create, type Entity, entityOf, pathTo, read, readList } from './resources.ts';
import { eventually, ownId, request, unique, withQuery } from './service.ts';

/** `number` of a task: given at its creation, growing, and never given twice. */

const numberOf = (task: Entity): number => task['number'] as number;

const numbersOf = (entities: readonly Entity[]): number[] => entities.map(numberOf);

const ascending = (numbers: readonly number[]): number[] => numbers.toSorted((one, other) => one - other);

/** Expects numbers that are whole, and of which each is greater than the one before. */
function expectGrowing(numbers: readonly number[]): void {
  expect(numbers.filter((number) => !Number.isInteger(number) || number < 1)).toEqual([]);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers).toEqual(ascending(numbers));
}

const scope = (parameters: Readonly<Record<string, string>>): string => withQuery('/v1/tasks', parameters);

test('grows with each creation, in a batch and with an own id too', async () => {
  const first = await create('task');
  const batch = await createMany('task', [{}, {}, {}]);
  const own = ownId();
  const put = { body: { name: 'x' }, headers: { 'if-none-match': '*' } };
  const second = entityOf(await request('PUT', pathTo('task', own), put), 201);
  const named = resultsOf(
    await sendBatch('task', [{ operation: 'create', id: ownId(), body: { name: 'x', parentId: own } }]),
  ).map(({ body }) => body as Entity);
  expectGrowing(numbersOf([first, ...batch, second, ...named, await create('task')]));
});

test('is unique among tasks that are created at the same time', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => create('task')));
  expectGrowing(ascending(numbersOf(made)));
});

test('stays the same when the task changes, is deleted and restored, whatever a body says', async () => {
  const task = await create('task', { number: 1_000_000 });
  const path = pathTo('task', task.id);
  const kept = { number: task.number };
  for (const method of ['PATCH', 'PUT'] as const) {
    const response = await request(method, path, { body: { name: method, number: null } });
    expect(entityOf(response, 200)).toMatchObject(kept);
  }
  expect((await request('DELETE', path)).status).toBe(204);
  const { data } = await readList(withQuery('/v1/tasks/deleted', { number: String(task.number) }));
  expect(data).toMatchObject([{ id: task.id, ...kept }]);
  const later = await create('task');
  expect(entityOf(await request('POST', `${path}/restore`), 200)).toMatchObject(kept);
  expectGrowing([numberOf(task), numberOf(later)]);
});

test('finds the task, and filters and orders lists', async () => {
  const name = unique('Numbered');
  const tasks = await createMany('task', [{ name }, { name }, { name }]);
  const [first, second, third] = numbersOf(tasks) as [number, number, number];
  expect(await readList(scope({ number: String(second) }))).toMatchObject({ total: 1, data: [tasks[1]] });
  const listed = async (parameters: Readonly<Record<string, string>>) =>
    numbersOf((await readList(scope({ name, ...parameters }))).data);
  expect(await listed({ sortBy: 'number', sortOrder: 'asc' })).toEqual([first, second, third]);
  expect(await listed({ 'number[gt]': String(first), sortBy: 'number' })).toEqual([third, second]);
  expect(await listed({ 'number[in]': `${first},${third}`, sortBy: 'number' })).toEqual([third, first]);
  expect(await listed({ 'number[isNull]': 'true' })).toEqual([]);
  for (const parameter of ['sumBy', 'countBy'])
    expectParameter(await request('GET', scope({ [parameter]: 'number' })), parameter);
});

test('is in feeds, histories and what expand adds', async () => {
  const parent = await create('task');
  const tag = await create('tag');
  const task = await create('task', { parentId: parent.id, tagIds: [tag.id] });
  const feed = await readList(withQuery('/v1/tasks/changes', { tagIds: tag.id }));
  expect(feed.data).toMatchObject([{ id: task.id, number: task.number }]);
  const { data } = await readList(`${pathTo('task', task.id)}/changes`);
  expect(data).toMatchObject([{ operation: 'create', changes: { number: { to: task.number } } }]);
  const expanded = await readList(scope({ id: task.id, expand: 'parent' }));
  expect(expanded.data[0]?.['parent']).toMatchObject({ id: parent.id, number: parent.number });
});

test('is another one in a clone', async () => {
  const projectId = (await create('project')).id;
  const tasks = await createMany('task', [{ projectId }, { projectId }]);
  const { id } = entityOf(await request('POST', `${pathTo('project', projectId)}/clone`), 201);
  const path = withQuery(`${pathTo('project', id)}/tasks`, { sortBy: 'createdAt', sortOrder: 'asc' });
  await eventually(async () => expect((await readList(path)).total).toBe(2));
  expectGrowing(numbersOf([...tasks, ...(await readList(path)).data]));
});

test('is the same in the response to a request that is sent again', async () => {
  const options = { body: { name: 'x' }, headers: { 'idempotency-key': ownId() } };
  const [first, again] = [
    entityOf(await request('POST', '/v1/tasks', options), 201),
    entityOf(await request('POST', '/v1/tasks', options), 201),
  ];
  expect(again).toEqual(first);
  expect(numberOf(await read('task', first.id))).toBe(numberOf(first));
});
