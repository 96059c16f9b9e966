import { createMany, resultsOf, sendBatch, times } from '../batches.ts';
import { expectProblem } from '../problem.ts';
import { type Entity, entityOf, pathTo, readList, someResources } from '../resources.ts';
import { inParallel, isLocal, request, type TestResponse, unique, withQuery } from '../service.ts';

/** The largest batches, one more than each limit, and concurrent batches. */

const statusesOf = (response: TestResponse): number[] => resultsOf(response).map(({ status }) => status);

describe.each(someResources)('POST $path/batch', ({ kind, path, minimal }) => {
  test('applies 25 operations, and returns 400 for 26', async () => {
    const status = unique('scope');
    const operations = times(26, { operation: 'create', body: { ...(await minimal()), status } });
    const problem = expectProblem(await sendBatch(kind, operations), 400);
    const detail = expect.stringMatching(/must have 1 to 25 operations/);
    expect(problem).toMatchObject({ detail, errors: [{ pointer: '/operations', detail }] });
    expect(statusesOf(await sendBatch(kind, operations.slice(1)))).toEqual(Array(25).fill(201));
    expect(await readList(withQuery(path, { status }))).toMatchObject({ total: 25 });
  });

  test('applies all concurrent batches without ifMatch on the same entities', async () => {
    // Eight batches run at a time. With more of them, new ones compete with those that the service retries.
    const batches = kind === 'task' ? 24 : 6;
    const entities = await createMany(kind, times(3));
    const responses = await inParallel(times(batches), (_, number) => {
      const body = { status: `status-${number}` };
      return sendBatch(
        kind,
        entities.map(({ id }) => ({ operation: 'update', id, body })),
      );
    });
    expect(responses.map(statusesOf)).toEqual(Array(batches).fill([200, 200, 200]));
    const stored = await inParallel(entities, ({ id }) => request('GET', pathTo(kind, id)));
    // Every batch has changed every entity once, and the last one has changed all of them.
    const etags = entities.map(({ id }) => `"${id.slice(-12)}-${batches + 1}"`);
    expect(stored.map(({ headers }) => headers.get('etag'))).toEqual(etags);
    expect(new Set(stored.map((response) => entityOf(response, 200).status)).size).toBe(1);
  });
});

test('25 entities with the longest descriptions are updated, and replayed from several items', async () => {
  const description = 'é'.repeat(10_000);
  const created: Entity[] = [];
  // A body has at most 256 KB: about 12 of these descriptions.
  for (const count of [9, 8, 8]) created.push(...(await createMany('tag', times(count, { description }))));
  const key = { 'idempotency-key': unique('key') };
  const operations = created.map(({ id }) => ({ operation: 'update', id, body: { color: '#123456' } }));
  const first = await sendBatch('tag', operations, key);
  const results = resultsOf(first);
  expect(results.map(({ body }) => body?.['description'] === description)).toEqual(Array(25).fill(true));
  expect(Buffer.byteLength(first.text)).toBeGreaterThan(500_000);
  const second = await sendBatch('tag', operations, key);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(second.text === first.text).toBe(true);
});

test('a batch that writes too much is a 400 that asks for fewer operations, and nothing is applied', async () => {
  const description = '😀'.repeat(10_000);
  const created: Entity[] = [];
  for (let batch = 0; batch < 5; batch += 1)
    created.push(...(await createMany('tag', times(5, { description }))));
  const deletions = created.map(({ id }) => ({ operation: 'delete', id }));
  const shorter = created.map(({ id }) => ({ operation: 'update', id, body: { description: '' } }));
  for (const operations of [deletions, shorter]) {
    const detail = expect.stringMatching(/more than 1,000 write units.* Send fewer operations/);
    expect(expectProblem(await sendBatch('tag', operations), 400)).toMatchObject({
      errors: [{ pointer: '/operations', detail }],
    });
  }
  expect(statusesOf(await sendBatch('tag', deletions.slice(0, 11)))).toEqual(Array(11).fill(204));
});

test('a batch that adds references to more than 400 entities is a 400 that reads none of them', async () => {
  const tagIds = (operation: number) =>
    times(50).map((_, tag) => `01890000-0000-7000-8000-${String(operation * 50 + tag).padStart(12, '0')}`);
  const batch = (count: number) =>
    sendBatch(
      'task',
      times(count).map((_, number) => ({ operation: 'create', body: { name: 'x', tagIds: tagIds(number) } })),
    );
  const refused = await batch(9);
  const detail = expect.stringMatching(
    /references to 450 different entities; at most 400 .* Send fewer operations/,
  );
  expect(expectProblem(refused, 400)).toMatchObject({ errors: [{ pointer: '/operations', detail }] });
  if (isLocal) expect(refused.headers.get('server-timing')).toContain('read=0');
  // Its references are read, and do not exist.
  const read = expectProblem(await batch(8), 400);
  expect(read.errors?.[0]).toMatchObject({ pointer: '/operations/0/body/tagIds/0' });
});

test('a batch that changes nothing stores only the ids of its entities, and its replay reads them again', async () => {
  const description = '😀'.repeat(10_000);
  const created: Entity[] = [];
  for (const count of [5, 5]) created.push(...(await createMany('tag', times(count, { description }))));
  const key = { 'idempotency-key': unique('key') };
  const operations = created.map(({ id }) => ({ operation: 'update', id, body: { color: '#808080' } }));
  const first = await sendBatch('tag', operations, key);
  expect(resultsOf(first).map(({ body }) => body)).toEqual(created);
  const [, writeUnits] = /write=([\d.]+)/.exec(first.headers.get('server-timing') ?? '') ?? [];
  expect(Number(writeUnits)).toBeLessThan(10);
  expect((await sendBatch('tag', operations, key)).text).toBe(first.text);
  const [gone, changed] = created.map(({ id }) => id);
  await request('DELETE', pathTo('tag', gone ?? ''));
  await request('PATCH', pathTo('tag', changed ?? ''), { body: { name: 'changed' } });
  const again = await sendBatch('tag', operations, key);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const before = resultsOf(first);
  expect(resultsOf(again).slice(0, 3)).toEqual([
    { status: 204 },
    { ...before[1], body: { ...before[1]?.body, name: 'changed', updatedAt: expect.any(String) } },
    before[2],
  ]);
});
