import { randomUUID } from 'node:crypto';
import { readListQuery } from '#functions/http/parse-list-query.ts';
import { project } from '#functions/projects/resource.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import type { ItemFields } from '#functions/store/model/entity.ts';
import { applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** The way through changed entities that `docs/guides/lists-and-filters.md` describes. */

const limit = 100;
const projects = 250;
const time = '2026-02-03T04:05:06.789Z';
const tenant = randomUUID();

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

async function read(query: Readonly<Record<string, string>>): Promise<readonly ItemFields[]> {
  const text = new URLSearchParams({ ...query, sortOrder: 'asc', limit: String(limit) }).toString();
  const { entities } = await listEntities(
    store.session(tenant),
    'project',
    readListQuery(project, text).query,
  );
  return entities;
}

/** Reads the rest of the entities of one time, after one of them. */
async function readRest(after: ItemFields): Promise<ItemFields[]> {
  const page = await read({ updatedAt: after.updatedAt, 'id[gt]': after.id, sortBy: 'id' });
  const last = page.at(-1);
  return last && page.length === limit ? [...page, ...(await readRest(last))] : [...page];
}

async function readChangedSince(since: string): Promise<ItemFields[]> {
  const found: ItemFields[] = [];
  let page = await read({ 'updatedAt[gte]': since, sortBy: 'updatedAt,id' });
  for (;;) {
    found.push(...page);
    const last = page.at(-1);
    if (!last || page.length < limit) return found;
    found.push(...(await readRest(last)));
    page = await read({ 'updatedAt[gt]': last.updatedAt, sortBy: 'updatedAt,id' });
  }
}

test('"changed since" finds each of 250 entities of one time once, and those before and after', async () => {
  const create = (count: number, now: string) => {
    jest.useFakeTimers({ now: Date.parse(now) });
    const changes = Array.from({ length: count }, () =>
      buildCreate('project', { name: 'x', status: 'active' }, Date.now()),
    );
    jest.useRealTimers();
    return changes;
  };
  const changes = [
    ...create(30, '2026-02-03T04:05:06.788Z'),
    ...create(projects, time),
    ...create(150, '2026-02-03T04:05:06.790Z'),
  ];
  const changeSets = changes.map((change) => ({ changes: [change] }));
  await applyInBatches(store.session(tenant), changeSets, 25);
  const found = await readChangedSince('2026-02-03T04:05:00Z');
  const expected = changes.map(({ after }) => after.entity.id);
  expect(found.map(({ id }) => id).sort()).toEqual(expected.sort());
  expect(found.filter(({ updatedAt }) => updatedAt === time)).toHaveLength(projects);
});
