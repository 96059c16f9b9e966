import { createMany, resultsOf, sendBatch, times } from '../batches.ts';
import { expectProblem, pointers } from '../problem.ts';
import {
  create,
  type Entity,
  entityOf,
  etagOf,
  pathTo,
  read,
  readList,
  resources,
  stateOf,
} from '../resources.ts';
import { inParallel, type JsonObject, request, unique, withQuery } from '../service.ts';

/** What a batch does: its results, its effects in lists, the versions of entities, and repeated requests. */

describe.each(resources)('POST $path/batch', ({ kind, path, minimal, full, defaults }) => {
  test('creates, updates and deletes, and returns the results in the order of the operations', async () => {
    const [updated, deleted] = (await createMany(kind, times(2))) as [Entity, Entity];
    const [body, status] = [await full(), unique('s')];
    const response = await sendBatch(kind, [
      { operation: 'create', body: await minimal() },
      { operation: 'delete', id: deleted.id },
      { operation: 'update', id: updated.id, body: { status } },
      { operation: 'create', body },
    ]);
    const results = resultsOf(response);
    expect(results).toEqual([
      { status: 201, etag: expect.any(String), body: expect.objectContaining(defaults) },
      { status: 204 },
      { status: 200, etag: expect.any(String), body: expect.objectContaining({ id: updated.id }) },
      { status: 201, etag: expect.any(String), body: expect.objectContaining(body) },
    ]);
    expect(stateOf(results[2]?.body as Entity)).toEqual({ ...stateOf(updated), status });
    for (const { etag, body: shown } of results.filter((result) => result.status !== 204)) {
      const stored = await request('GET', pathTo(kind, (shown as Entity).id));
      expect([stored.headers.get('etag'), entityOf(stored, 200)]).toEqual([etag, shown]);
    }
    expect((await request('GET', pathTo(kind, deleted.id))).status).toBe(404);
  });

  test('writes nothing for updates that change nothing', async () => {
    const entities = (await createMany(kind, times(2))) as [Entity, Entity];
    const readTags = () => inParallel(entities, ({ id }) => etagOf(kind, id));
    const etags = await readTags();
    const [renamed, untouched] = entities;
    const updates: JsonObject[] = [
      { operation: 'update', id: renamed.id, body: { name: renamed.name } },
      { operation: 'update', id: untouched.id, body: {} },
    ];
    const unchanged = entities.map((body, number) => ({ status: 200, etag: etags[number], body }));
    expect(resultsOf(await sendBatch(kind, updates))).toEqual(unchanged);
    const response = await sendBatch(kind, [...updates, { operation: 'create', body: await minimal() }]);
    expect(resultsOf(response).slice(0, 2)).toEqual(unchanged);
    expect(await readTags()).toEqual(etags);
  });

  test('returns 412 and applies nothing if an entity has another version than ifMatch', async () => {
    const [first, second] = (await createMany(kind, times(2))) as [Entity, Entity];
    const [stale, current] = [await etagOf(kind, first.id), await etagOf(kind, second.id)];
    const changed = await request('PATCH', pathTo(kind, first.id), { body: { status: 'changed' } });
    const problem = expectProblem(
      await sendBatch(kind, [
        { operation: 'update', id: second.id, ifMatch: current, body: { status: 'other' } },
        { operation: 'delete', id: first.id, ifMatch: stale },
      ]),
      412,
    );
    expect(pointers(problem)).toEqual(['/operations/1/ifMatch']);
    expect(await read(kind, second.id)).toEqual(second);
    const accepted = await sendBatch(kind, [
      { operation: 'update', id: second.id, ifMatch: `"x", ${current}`, body: { status: 'other' } },
      { operation: 'delete', id: first.id, ifMatch: changed.headers.get('etag') },
    ]);
    const applied = { status: 200, body: { id: second.id, status: 'other' } };
    expect(resultsOf(accepted)).toMatchObject([applied, { status: 204 }]);
  });

  test('is applied once under an Idempotency-Key, and refuses the key for another batch', async () => {
    const key = { 'idempotency-key': unique('key') };
    const [entity, status] = [await create(kind), unique('scope')];
    const creation = { operation: 'create', body: { ...(await minimal()), status } };
    const deletion: JsonObject = { operation: 'delete', id: entity.id };
    const first = await sendBatch(kind, [creation, deletion], key);
    expect(resultsOf(first)).toMatchObject([{ status: 201 }, { status: 204 }]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const second = await sendBatch(kind, [creation, deletion], key);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expectProblem(await sendBatch(kind, [creation], key), 422);
    expectProblem(await sendBatch(kind, [creation, { ...deletion, ifMatch: '*' }], key), 422);
    expect(await readList(withQuery(path, { status }))).toMatchObject({ total: 1 });
  });
});

const deletionOf = ({ id }: Entity): JsonObject => ({ operation: 'delete', id });

describe('deletions in a batch', () => {
  test('remove several deleted tags from the tasks that have them', async () => {
    const tags = (await createMany('tag', times(3))) as [Entity, Entity, Entity];
    const [first, second, kept] = tags.map(({ id }) => id) as [string, string, string];
    const before = [[first, kept, second], [first, second, kept], [second]];
    const tasks = await createMany(
      'task',
      before.map((tagIds) => ({ tagIds })),
    );
    const response = await sendBatch('tag', [
      deletionOf(tags[0]),
      { operation: 'update', id: kept, body: { name: 'kept' } },
      deletionOf(tags[1]),
    ]);
    expect(resultsOf(response)).toMatchObject([{ status: 204 }, { status: 200 }, { status: 204 }]);
    const after = await inParallel(tasks, async ({ id }) => (await read('task', id))['tagIds']);
    expect(after).toEqual([[kept], [kept], []]);
  });
});
