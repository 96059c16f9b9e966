import { randomUUID } from 'node:crypto';
import { readDependents } from '../../../../../../functions/shared/store/cascades/dependents.ts';
import { buildCreate, buildUpdate } from '../../../../../../functions/shared/store/model/changes.ts';
import type { StoredEntity } from '../../../../../../functions/shared/store/model/entity.ts';
import { decodeEntity } from '../../../../../../functions/shared/store/model/item-codec.ts';
import { entityKey } from '../../../../../../functions/shared/store/model/keys.ts';
import { type Kind, relationOf } from '../../../../../../functions/shared/store/model/relations.ts';
import { applyChangeSet } from '../../../../../../functions/shared/store/unit-of-work/commit.ts';
import type { Session } from '../../../../../../functions/shared/store/unit-of-work/session.ts';
import { compactAll } from '../../../../../support/compaction.ts';
import { startTestStore, type TestStore } from '../../../../../support/local-store.ts';

const parentId = '01890000-0000-7000-8000-000000000001';
const otherId = '01890000-0000-7000-8000-000000000002';

let store: TestStore;
let session: Session;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  session = store.session(randomUUID());
});

/** Creates entities with some fields each, in one transaction. Returns their ids. */
async function make(kind: Kind, ...all: object[]): Promise<string[]> {
  const none = { projectId: null, userId: null, organizationId: null, tagIds: [] };
  const changes = all.map((fields) => buildCreate(kind, { name: 'x', status: 'open', ...none, ...fields }));
  await applyChangeSet(session, { changes });
  return changes.map(({ after }) => after.entity.id);
}

async function change(kind: Kind, id: string, fields: Record<string, unknown>): Promise<void> {
  const item = await store.database().get(entityKey(session.tenant, kind, id));
  const before = decodeEntity(item as NonNullable<typeof item>);
  await applyChangeSet(session, { changes: [buildUpdate(before, fields)] });
}

const idsOf = (children: readonly StoredEntity[]): string[] => children.map(({ entity }) => entity.id);

/** Reads all pages, and returns the ids on each. */
async function pages(child: Kind, parent: Kind, limit: number): Promise<string[][]> {
  const found: string[][] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await readDependents(session, relationOf(child, parent), parentId, { after, limit });
    found.push(idsOf(page.children));
    after = page.next;
  }
  return found;
}

/** Returns the indexes that a call queries. */
async function indexesOf(child: Kind, parent: Kind): Promise<unknown[]> {
  const query = jest.spyOn(session.database, 'query');
  await readDependents(session, relationOf(child, parent), parentId, {});
  const queried = query.mock.calls.map(([{ IndexName }]) => IndexName);
  jest.restoreAllMocks();
  return [...new Set(queried)];
}

test.each([
  ['project', 'organization', 'parent'],
  ['task', 'project', 'parent'],
] as const)(
  'finds each %s of a deleted %s, which is deleted as well, in an index',
  async (child, parent, index) => {
    expect(await indexesOf(child, parent)).toEqual([index]);
  },
);

test.each([
  ['user', 'organization'],
  ['tag', 'organization'],
  ['task', 'user'],
  ['task', 'tag'],
] as const)(
  'finds each %s of a deleted %s, which only loses a reference, in no index',
  async (child, parent) => {
    expect(await indexesOf(child, parent)).toEqual([undefined]);
  },
);

describe.each([
  ['user', 'organization', { organizationId: parentId }, { organizationId: otherId }],
  ['task', 'user', { userId: parentId }, { userId: otherId, projectId: parentId }],
  ['task', 'tag', { tagIds: [otherId, parentId] }, { tagIds: [otherId] }],
  ['task', 'project', { projectId: parentId }, { projectId: otherId, userId: parentId }],
] as const)('each %s of a %s', (child, parent, own, others) => {
  test('is on one page, if all fit, in the order of creation', async () => {
    const [first, , third] = await make(child, own, others, own);
    expect(await pages(child, parent, 3)).toEqual([[first, third]]);
  });

  test('is on exactly one of several pages, also when nothing is changed between them', async () => {
    const ids = await make(child, own, own, others, own, own, own, others);
    const [first, second, , fourth, fifth, sixth] = ids;
    expect(await pages(child, parent, 2)).toEqual([[first, second], [fourth, fifth], [sixth]]);
  });

  test('is on exactly one page also when each page loses its references', async () => {
    const ids = await make(child, own, own, own, own, own);
    const found: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await readDependents(session, relationOf(child, parent), parentId, { after, limit: 2 });
      for (const id of idsOf(page.children)) await change(child, id, others);
      found.push(...idsOf(page.children));
      after = page.next;
    }
    expect(found).toEqual(ids);
  });

  test('is found in columns and in the log', async () => {
    const [first = '', second = ''] = await make(child, own, own);
    await compactAll(store.database(), session.tenant, child);
    const [third] = await make(child, own);
    await change(child, first, others);
    expect(await pages(child, parent, 10)).toEqual([[second, third]]);
  });
});

test('returns up to 100 dependents without a limit', async () => {
  const ids = await make('task', ...Array.from({ length: 60 }, () => ({ userId: parentId })));
  ids.push(...(await make('task', ...Array.from({ length: 60 }, () => ({ userId: parentId })))));
  const { children, next } = await readDependents(session, relationOf('task', 'user'), parentId, {});
  expect(idsOf(children)).toEqual(ids.slice(0, 100));
  expect(next).toBe(ids[99]);
});
