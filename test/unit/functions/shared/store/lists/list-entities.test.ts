import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { listEntities } from '../../../../../../functions/shared/store/lists/list-entities.ts';
import { buildCreate } from '../../../../../../functions/shared/store/model/changes.ts';
import type { Entity } from '../../../../../../functions/shared/store/model/entity.ts';
import { applyInBatches } from '../../../../../../functions/shared/store/unit-of-work/commit.ts';
import { task } from '../../../../../../functions/tasks/contract.ts';
import { ascendingBy } from '../../../../../contract/total-order.ts';
import { startTestStore, type TestStore } from '../../../../../support/local-store.ts';

/** Compares lists of a collection that needs several reads with an in-memory model. */

const number = 6_000;
const tenant = randomUUID();
const parents = Array.from(
  { length: 3 },
  () => buildCreate('project', { name: 'p', status: 'active' }).after.entity.id,
);
const emoji = '😀';

let store: TestStore;
const entities: Entity[] = [];

const any = <Value>(values: readonly Value[], place: number): Value => values[place % values.length] as Value;

/** Returns names with equal beginnings, equal names, and names that are too long for a sort key. */
const nameOf = (place: number): string =>
  place % 100 === 0
    ? `${emoji.repeat(250)}${place % 7}`
    : any(['b', 'a', 'é', '\u0001', 'a\u0000', emoji, '\uffff'], place) + String(place % 90);

beforeAll(async () => {
  store = await startTestStore({ stream: false });
  for (let portion = 0; portion < number; portion += 90) {
    const pieces = Array.from({ length: Math.min(90, number - portion) }, (_, position) => {
      const place = portion + position;
      const change = buildCreate('task', {
        name: nameOf(place),
        status: any(['active', 'done', 'planned', 'active'], place),
        priority: any(['none', 'low', 'high'], place * 7),
        projectId: any([...parents, null], place),
        userId: null,
        dueDate: any([null, '2026-01-01', '2026-05-05'], place * 3),
        tagIds: [],
      });
      entities.push(change.after.entity);
      return { changes: [change] };
    });
    await applyInBatches(store.session(tenant), pieces, 90);
  }
  // DynamoDB Local takes one to two minutes.
}, 300_000);

afterAll(() => store.stop());

const queries = fc.record({
  filters: fc.record(
    {
      status: fc.constantFrom('active', 'done', 'planned', 'none'),
      priority: fc.constantFrom('none', 'low', 'high'),
      projectId: fc.constantFrom(...parents),
      name: fc.constantFrom(nameOf(0), nameOf(100), nameOf(1), nameOf(4), 'a'),
    },
    { requiredKeys: [] },
  ),
  sortBy: fc.constantFrom('createdAt', 'name', 'priority', 'dueDate', 'id', 'status'),
  sortOrder: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.constantFrom(1, 20, 100),
  // The beginning, and any other position up to the end.
  place: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1.01, noNaN: true })),
});

test('any page of any list matches the model', async () => {
  await fc.assert(
    fc.asyncProperty(queries, async ({ filters, sortBy, sortOrder, limit, place }) => {
      const matching = entities.filter((entity) =>
        Object.entries(filters).every(([field, value]) => entity[field] === value),
      );
      matching.sort(ascendingBy(sortBy));
      if (sortOrder === 'desc') matching.reverse();
      const page = 1 + Math.floor((place * matching.length) / limit);
      const sortValue = task.sortValues[sortBy];
      const query = {
        filters: Object.entries(filters),
        sortBy,
        ...(sortValue && { sortValue }),
        sortOrder,
        limit,
        page,
      };
      const { entities: found, total } = await listEntities(store.session(tenant), 'task', query);
      expect(total).toBe(matching.length);
      expect(found.map(({ id }) => id)).toEqual(
        matching.slice((page - 1) * limit, page * limit).map(({ id }) => id),
      );
    }),
    { numRuns: 150 },
  );
});

test('every page by name continues after the previous page', async () => {
  const byName = entities.toSorted(ascendingBy('name'));
  for (let page = 1; page <= number / 100; page += 7) {
    const query = { filters: [], sortBy: 'name', sortOrder: 'asc', limit: 100, page } as const;
    const found = await listEntities(store.session(tenant), 'task', query);
    expect(found.entities.map(({ id }) => id)).toEqual(
      byName.slice((page - 1) * 100, page * 100).map(({ id }) => id),
    );
  }
});

test('the first page by name does not read the collection', async () => {
  const work = store.session(tenant);
  const query = { filters: [], sortBy: 'name', sortOrder: 'asc', limit: 20, page: 1 } as const;
  await listEntities(work, 'task', query);
  expect(work.database.consumption.calls).toBe(2);
  expect(work.database.consumption.readUnits).toBeLessThan(6);
});
