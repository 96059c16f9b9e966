/** Shows lists with `followLists` while another client changes them: `node --import tsx tanstack-query-program.ts <url>`. */
import assert from 'node:assert/strict';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { followLists, updateLists } from '../../client/adapters/tanstack-query.ts';
import { createClient, type IterationQuery, type TaskTypes } from '../../client/index.ts';
import { until } from '../support/until.ts';

const [url = ''] = process.argv.slice(2);
/** The queries of list requests. */
let asked: string[] = [];
const client = createClient({
  url,
  fetch: (address, init) => {
    const { pathname, search } = new URL(String(address));
    if (pathname === '/v1/tasks' && init?.method === 'GET') asked.push(search);
    return fetch(address, init);
  },
});
const other = createClient({ url });
const { id: organizationId } = await other.organizations.create({ name: 'Acme' });
const projectOf = async (name: string) => (await other.projects.create({ name, organizationId })).id;
const [projectId, elsewhere] = [await projectOf('p'), await projectOf('elsewhere')];
const create = (name: string, project = projectId) => other.tasks.create({ name, projectId: project });
const [old, , middle, task] = [await create('a'), await create('b'), await create('c'), await create('d')];
const foreign = await create('foreign', elsewhere);
const queries = new QueryClient();

/** Shows two pages of a list. Its key ends with its query, as in docs/client.md. */
function show(query: IterationQuery<TaskTypes>) {
  const options = { projectId, limit: 2, ...query } as const;
  const list = new InfiniteQueryObserver(queries, {
    queryKey: ['tasks', 'pages', options],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => client.tasks.list({ ...options, after: pageParam }, { signal }),
    getNextPageParam: ({ next }) => next,
  });
  list.subscribe(() => undefined);
  const rows = () => list.getCurrentResult().data?.pages.flatMap(({ data }) => data) ?? [];
  const names = () => rows().map(({ name }) => name);
  return { list, rows, become: (expected: string) => until(() => names().join('') === expected) };
}

const byCreation = show({});
const byName = show({ sortBy: 'name', sortOrder: 'asc', limit: 10 });
/** Not a list. */
const single = new QueryObserver(queries, {
  queryKey: ['tasks', 'one', task.id],
  queryFn: ({ signal }) => client.tasks.get(task.id, { signal }),
});
single.subscribe(() => undefined);
const stop = new AbortController();
const onError = (error: unknown) => assert.fail(String(error));
const following = followLists(client.tasks, queries, ['tasks'], {
  signal: stop.signal,
  interval: 20,
  onError,
});
await Promise.all([byCreation.become('dc'), byName.become('abcd')]);
// The first page of the feed asks for each list again: it can have been read before.
await until(() =>
  [false, true].every((one) => asked.filter((query) => query.includes('sortBy') === one).length > 1),
);
/** Does something, and waits until the lists are as expected. Returns which lists were asked for. */
async function listsAskedFor(change: () => Promise<unknown>, creation: string, names: string) {
  await until(() => queries.isFetching() === 0);
  asked = [];
  await change();
  await Promise.all([byCreation.become(creation), byName.become(names)]);
  await until(() => queries.isFetching() === 0);
  return [
    asked.filter((query) => !query.includes('sortBy')).length,
    asked.filter((query) => query.includes('sortBy')).length,
  ];
}

// A rename costs a list by creation nothing, also of a task on a page that is not loaded, or of one that a filter excludes.
const rename = async () => {
  await other.tasks.update(foreign.id, { name: 'renamed elsewhere' });
  await other.tasks.update(old.id, { name: 'e' });
  await other.tasks.update(task.id, { name: 'f', priority: 'high' });
};
const [ofCreation] = await listsAskedFor(rename, 'fc', 'bcef');
assert.equal(ofCreation, 0);
assert.equal(byCreation.rows()[0]?.priority, 'high');
// A field that decides nothing costs no list a request, and the version is the new one.
const prioritize = async () => {
  await other.tasks.update(middle.id, { priority: 'urgent' });
  await until(() => byName.rows().some(({ priority }) => priority === 'urgent'));
};
assert.deepEqual(await listsAskedFor(prioritize, 'fc', 'bcef'), [0, 0]);
const row = byCreation.rows()[1];
assert.equal(row?.version, (await other.tasks.get(middle.id)).version);
// An own write is shown at once, and the feed has nothing newer.
const write = async () => {
  const written = await client.tasks.update(row as typeof task, { priority: 'low' });
  updateLists(queries, ['tasks'], { data: [written], removed: [] });
  assert.equal(byCreation.rows()[1]?.priority, 'low');
  await other.tasks.update(task.id, { priority: 'low' });
  await until(() => byName.rows().every(({ priority }) => priority !== 'high'));
};
assert.deepEqual(await listsAskedFor(write, 'fc', 'bcef'), [0, 0]);
// What comes and goes is read.
assert.deepEqual(await listsAskedFor(() => create('g'), 'gf', 'bcefg'), [1, 1]);
assert.deepEqual(await listsAskedFor(() => other.tasks.delete(task.id), 'gc', 'bceg'), [1, 1]);
const leave = () => other.tasks.update(middle.id, { projectId: elsewhere });
assert.deepEqual(await listsAskedFor(leave, 'gb', 'beg'), [1, 1]);
stop.abort();
await following;
console.log('The query is the list.');
process.exit(0);
