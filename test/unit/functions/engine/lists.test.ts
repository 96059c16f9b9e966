import { randomUUID } from 'node:crypto';

import { toIdRanges } from '#functions/engine/lists/filters.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { decodePlace, encodePlace } from '#functions/engine/lists/place-cursor.ts';
import { pageIndexOf } from '#functions/engine/lists/read-page-from-index.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import type { Entity } from '#functions/engine/model/entity.ts';
import type { Filter, FilterOperator, ListQuery } from '#functions/engine/model/list-query.ts';
import { applyInBatches } from '#functions/engine/write/commit.ts';
import { task } from '#functions/tasks/resource.ts';
import { Random } from '#test/simulation/random.ts';
import { compactAll } from '#test/support/compaction.ts';
import { fc } from '#test/support/fast-check.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { plainList } from '#test/support/plain-list.ts';
import { type RandomField, randomQuery } from '#test/support/random-queries.ts';
import { runs } from '#test/support/runs.ts';

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

describe('listEntities', () => {
  const number = runs(600, 6_000);
  const tenant = randomUUID();
  const newProject = () =>
    buildCreate('project', { name: 'p', status: 'active' }, Date.now()).after.entity.id;
  const parents = [newProject(), newProject(), newProject()] as const;
  /** A parent with few children. */
  const smallParent = newProject();
  const entities: Entity[] = [];
  const store = startTestStore();

  const any = <Value>(values: readonly Value[], index: number): Value =>
    values[index % values.length] as Value;

  /** Returns names with equal beginnings, equal names, and names that are too long for a sort key. */
  const nameOf = (index: number): string =>
    index % 100 === 0
      ? `${'😀'.repeat(250)}${index % 7}`
      : any(['b', 'a', 'é', '\u0001', 'a\u0000', '😀', '\uffff'], index) + String(index % 90);

  beforeAll(async () => {
    for (let portion = 0; portion < number; portion += 90) {
      const pieces = Array.from({ length: Math.min(90, number - portion) }, (_, position) => {
        const index = portion + position;
        const fields = {
          name: nameOf(index),
          status: any(['active', 'done', 'planned', 'active'], index),
          priority: any(['none', 'low', 'high'], index * 7),
          projectId: index % 20 === 7 ? smallParent : any([...parents, null], index),
          userId: null,
          dueDate: any([null, '2026-01-01', '2026-05-05'], index * 3),
          tagIds: [],
        };
        const change = buildCreate('task', fields, Date.now());
        entities.push(change.after.entity);
        return { changes: [change] };
      });
      await applyInBatches(store.session(tenant), pieces, 90);
      // The last entities stay in the log.
      if (portion === 270) await compactAll(store.database(), tenant, 'task');
    }
  });

  const anyEntity = (random: Random) => entities[random.below(number)] as Entity;
  const fields: Readonly<Record<string, RandomField>> = {
    status: { type: 'text', value: (random) => random.pick(['active', 'done', 'none']), isCounted: true },
    priority: { type: 'enumeration', value: (random) => random.pick(['none', 'low']), isCounted: true },
    projectId: {
      type: 'nullable',
      value: (random) => random.pick([...parents, smallParent]),
      isCounted: true,
    },
    dueDate: { type: 'nullable', value: () => '2026-01-01', isCounted: true },
    name: { type: 'text', value: (random) => [...nameOf(random.below(200))].slice(0, 3).join('') },
    id: { type: 'ordered', value: (random) => anyEntity(random).id },
    createdAt: { type: 'ordered', value: (random) => anyEntity(random).createdAt },
  };

  test('any list that is read from cursor to cursor has each entity once, in its order', async () => {
    const { ranks, defaults } = task;
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.constantFrom(7, 40, 100), async (seed, limit) => {
        const any = randomQuery(new Random(seed), fields, { ranks, defaults, page: 1 });
        // Few enough entities for a test.
        const ofParent = limit < 100 ? [isValue('projectId', smallParent)] : [];
        const query = { ...any, limit, countBy: [], filters: [...any.filters, ...ofParent] };
        const expected = plainList(entities, { ...query, limit: number }).entities.slice(0, 5 * limit);
        const ids: string[] = [];
        for (let after: ListQuery['after'] = 'start'; after && ids.length < 5 * limit; ) {
          const page = await listEntities(store.session(tenant), 'task', { ...query, after });
          expect(page.skipped).toBe(ids.length);
          ids.push(...page.entities.map((one) => one.id));
          after = page.end && decodePlace('task', query, encodePlace('task', query, page.end));
        }
        expect({ query, ids }).toEqual({ query, ids: expected.map((one) => one.id) });
      }),
      { numRuns: runs(12, 150) },
    );
  });

  test('a list of a parent with many children, in another order than that of creation, reads no index', async () => {
    const { database } = store.session(tenant);
    const query = jest.spyOn(database, 'query');
    const filters = [isValue('projectId', parents[0])];
    const page = listQuery({ filters, sort: sortedBy('name'), limit: 20 });
    expect((await listEntities({ tenant, database }, 'task', page)).entities).toHaveLength(20);
    expect(query.mock.calls.flatMap(([{ IndexName }]) => IndexName ?? [])).toEqual([]);
    query.mockRestore();
  });
});
