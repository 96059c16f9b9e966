import fc from 'fast-check';
import { cut } from '../../../../../../../functions/shared/store/lists/counted-index/counters.ts';
import { listEntities } from '../../../../../../../functions/shared/store/lists/list-entities.ts';
import {
  buildCreate,
  buildUpdate,
  type Change,
} from '../../../../../../../functions/shared/store/model/changes.ts';
import type { StoredEntity } from '../../../../../../../functions/shared/store/model/entity.ts';
import { applyChangeSet } from '../../../../../../../functions/shared/store/unit-of-work/commit.ts';
import { auditTable } from '../../../../../../../lib/audit/audit-table.ts';
import { startTestStore, type TestStore } from '../../../../../../support/local-store.ts';
import { makeFarApart } from '../../../../../../support/long-listing.ts';

/** Transactions that change entities in different sections of a long list. */

let store: TestStore;
const tenant = 'public';
const statuses = ['active', 'planned', 'done'];
const regularCut = { ...cut };

beforeAll(async () => {
  Object.assign(cut, { fullBlock: 3, fullGroup: 4 });
  store = await startTestStore();
});

afterAll(async () => {
  Object.assign(cut, regularCut);
  await store.stop();
});

const newTag = (): { readonly after: StoredEntity } => buildCreate('tag', { name: 'x', status: 'active' });

const totalOf = async (status: string): Promise<number> => {
  const query = {
    filters: [['status', status]],
    sortBy: 'createdAt',
    sortOrder: 'asc',
    limit: 1,
    page: 1,
  } as const;
  return (await listEntities(store.session(tenant), 'tag', query)).total;
};

/** The model: the existing tags. */
class Model {
  readonly tags = new Map<string, StoredEntity>();

  apply(changes: readonly Change[]): void {
    for (const { before, after } of changes) {
      if (after) this.tags.set(after.entity.id, after);
      else if (before) this.tags.delete(before.entity.id);
    }
  }

  count(status: string): number {
    return [...this.tags.values()].filter(({ entity }) => entity.status === status).length;
  }

  /** Returns changes of the tags at some positions: updates of their status, or deletions without a status. */
  changes(places: readonly number[], status: string | undefined): Change[] {
    const tags = [...this.tags.values()];
    const chosen = new Set(places.flatMap((place) => tags[place % tags.length] ?? []));
    return [...chosen].map((before) => (status === undefined ? { before } : buildUpdate(before, { status })));
  }
}

test('every change adjusts the counter of its own section', async () => {
  const model = new Model();
  await makeFarApart(60, async () => {
    const changes = [newTag()];
    await applyChangeSet(store.session(tenant), { changes });
    model.apply(changes);
  });
  const actions = fc.record({
    places: fc.uniqueArray(fc.nat({ max: 59 }), { minLength: 1, maxLength: 30 }),
    status: fc.constantFrom(...statuses, undefined),
    added: fc.nat({ max: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(actions, async ({ places, status, added }) => {
      // Deletes only a few, so that enough tags remain.
      const chosen = status === undefined ? places.slice(0, 2) : places;
      const changes = [...Array.from({ length: added }, newTag), ...model.changes(chosen, status)];
      await applyChangeSet(store.session(tenant), { changes });
      model.apply(changes);
      for (const each of statuses) expect([each, await totalOf(each)]).toEqual([each, model.count(each)]);
    }),
    { numRuns: 40 },
  );
  const report = await auditTable(store.client, store.tableName, { pause: 50 });
  expect(report).toMatchObject({ drifts: [], orphans: [], malformed: [], unsettled: [], texts: [] });
});
