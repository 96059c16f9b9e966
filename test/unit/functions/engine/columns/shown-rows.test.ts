import { randomUUID } from 'node:crypto';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { processMemory } from '#functions/engine/columns/process-memory.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { readReferenced } from '#functions/engine/lists/read-referenced.ts';
import { entitySortKey } from '#functions/engine/model/keys.ts';
import type { ListQuery } from '#functions/engine/model/list-query.ts';
import type { Key } from '#functions/engine/model/writes.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { compactAll } from '#test/support/compaction.ts';
import { listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';

/** What a process reads of ten tags, which has columns in one segment, or in no segment yet. */

const names = Array.from({ length: 10 }, (_, number) => `tag ${number}`);
const store = startTestStore();
let tenant: string;
let ids: string[];

beforeEach(async () => {
  tenant = randomUUID();
  ids = [];
  for (const name of names)
    ids.push((await createEntity(store.session(tenant), 'tag', { name, status: 'active' })).entity.id);
});

afterEach(() => jest.restoreAllMocks());

/** Lets a process that knows nothing begin, after compaction. */
async function compactTags(minSegmentRows: number): Promise<void> {
  await compactAll(store.database(), tenant, 'tag', { ...defaultSizes, minSegmentRows });
  processMemory.clear();
}

/** Returns the keys that an action reads. */
async function keysOf(act: (session: Session) => Promise<unknown>): Promise<readonly Key[]> {
  const session = store.session(tenant);
  const getMany = jest.spyOn(session.database, 'getMany');
  await act(session);
  return getMany.mock.calls.flatMap(([keys]) => [...keys]);
}

const entitiesOf = (keys: readonly Key[]): number => keys.filter(({ sk }) => sk === entitySortKey).length;

const list =
  (more: Partial<ListQuery> = {}) =>
  (session: Session) =>
    listEntities(session, 'tag', listQuery({ withTexts: false, ...more }));

test('a page loads the columns of a large segment when the entities that it read by key have cost as much', async () => {
  await compactTags(1);
  jest.replaceProperty(processMemory, 'cheapRows', 0);
  const read: number[] = [];
  for (let page = 0; page < 3; page += 1)
    read.push(entitiesOf(await keysOf(list({ sort: sortedBy('name') }))));
  expect(read).toEqual([10, 0, 0]);
});

test('the first page of a small segment loads only the columns of the fields that it shows', async () => {
  await compactTags(1);
  const keys = await keysOf(list({ fields: new Set(['name']) }));
  const columns = keys.flatMap(({ sk }) => /\/([$\w]+)$/.exec(sk)?.[1] ?? []);
  expect([entitiesOf(keys), columns.sort()]).toEqual([0, ['$version', 'name']]);
});

test('a page shows rows that are in no segment yet', async () => {
  await compactTags(defaultSizes.minSegmentRows);
  const { entities } = await list()(store.session(tenant));
  expect(entities.map(({ name }) => name)).toEqual(names);
});

test('references are read by key, until the process knows the log of their kind', async () => {
  await compactTags(1);
  const expand = (session: Session) =>
    readReferenced(session, [{ kind: 'tag', ids, fields: new Set(['name']) }]);
  expect(entitiesOf(await keysOf(expand))).toBe(10);
  await list()(store.session(tenant));
  expect(entitiesOf(await keysOf(expand))).toBe(0);
});
