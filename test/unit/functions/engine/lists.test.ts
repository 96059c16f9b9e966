import { randomUUID } from 'node:crypto';
import { toIdRanges } from '#functions/engine/lists/filters.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { decodePlace, encodePlace } from '#functions/engine/lists/place-cursor.ts';
import { pageIndexOf } from '#functions/engine/lists/read-page-from-index.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import { InvalidCursor } from '#functions/engine/model/errors.ts';
import { entityKey, textKey } from '#functions/engine/model/keys.ts';
import type { Filter, FilterOperator } from '#functions/engine/model/list-query.ts';
import { applyInBatches } from '#functions/engine/write/commit.ts';
import { compactAll } from '#test/support/compaction.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';

const id = '01890000-0000-7000-8000-000000000001';

const filter = (field: string, operator: FilterOperator, ...values: string[]): Filter => ({
  field,
  operator,
  values,
});

test.each([
  ['a time without milliseconds', '2026-02-03T04:05:06Z'],
  ['a time before 1970', '1969-12-31T23:59:59.999Z'],
  ['a day that does not exist', '2026-02-30T00:00:00.000Z'],
])('no entity was created at %s, which no response shows', (_, text) => {
  expect(toIdRanges(filter('createdAt', 'eq', text))).toEqual([]);
});

describe('pageIndexOf', () => {
  const indexOf = (...filters: readonly Filter[]) =>
    pageIndexOf('acme', 'task', listQuery({ filters, sort: sortedBy('createdAt') }));

  test('an index has the entities of a page next to each other', () => {
    const partition = 'acme#task';
    expect(indexOf()).toEqual({ index: 'by-creation', partition, prefix: '' });
    const byStatus = { index: 'by-status', partition, prefix: 'done#' };
    expect(indexOf(isValue('status', 'done'))).toEqual(byStatus);
  });

  test.each([filter('status', 'ne', 'done'), filter('projectId', 'eq', id), filter('id', 'ne', id)])(
    'an index has other entities between those of a page with %j',
    (one) => {
      expect(indexOf(one)).toBeUndefined();
    },
  );
});

test('a cursor of a list has 4,000 characters at most', () => {
  const query = listQuery({ sort: sortedBy('name') });
  /** With the format, a hash, an id, and the presence and length of the name. */
  const place = (bytes: number) => ({ values: ['x'.repeat(bytes - (1 + 8 + 16 + 1 + 2))], id });
  const [longest, longer] = [3_000, 3_001].map((bytes) => encodePlace('tag', query, place(bytes)));
  expect([longest?.length, longer?.length]).toEqual([4_000, 4_002]);
  expect(decodePlace('tag', query, String(longest))).toEqual(place(3_000));
  expect(() => decodePlace('tag', query, String(longer))).toThrow(InvalidCursor);
});

test('a page does not count entities that are gone each time it is read', async () => {
  const { tenant, database } = startTestStore().session(randomUUID());
  const fields = { name: 'x', status: 'active', description: 'x'.repeat(500) };
  const created = Array.from({ length: 3 }, () => buildCreate('tag', fields, Date.now()));
  await applyInBatches(
    { tenant, database },
    created.map((change) => ({ changes: [change] })),
    3,
  );
  // Between the two reads of each attempt.
  const { id } = (created[1] as (typeof created)[number]).after.entity;
  for (const key of [entityKey(tenant, 'tag', id), textKey(tenant, 'tag', id)])
    await database.deleteItem(key);
  const { total, entities } = await listEntities({ tenant, database }, 'tag', listQuery());
  expect([total, entities.length]).toEqual([2, 2]);
});

test('a list of a parent with many children, in another order than that of creation, reads no index', async () => {
  const { tenant, database } = startTestStore().session(randomUUID());
  const fields = { status: 'active', priority: 'none', userId: null, tagIds: [], projectId: id };
  const pieces = Array.from({ length: 120 }, (_, number) => ({
    changes: [buildCreate('task', { ...fields, name: String(number) }, Date.now())],
  }));
  await applyInBatches({ tenant, database }, pieces, 60);
  await compactAll(database, tenant, 'task');
  const query = jest.spyOn(database, 'query');
  const page = listQuery({ filters: [isValue('projectId', id)], sort: sortedBy('name'), limit: 20 });
  expect((await listEntities({ tenant, database }, 'task', page)).entities).toHaveLength(20);
  expect(query.mock.calls.flatMap(([{ IndexName }]) => IndexName ?? [])).toEqual([]);
});
