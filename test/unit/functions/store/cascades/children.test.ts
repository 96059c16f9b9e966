import { randomUUID } from 'node:crypto';
import { createSnapshotId, readChildren } from '#functions/store/cascades/children.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { StoreUnavailable } from '#functions/store/model/errors.ts';
import { isId } from '#functions/store/model/ids.ts';
import { relationOf } from '#functions/store/model/relations.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const relation = relationOf('task', 'project');
const parentId = '01890000-0000-7000-8000-000000000001';
const otherParentId = '01890000-0000-7000-8000-000000000002';

let store: TestStore;
let session: Session;
/** The ids of the parent's five children, in the order of their creation. */
let ids: string[];

beforeAll(async () => {
  store = await startTestStore();
  session = store.session(randomUUID());
  ids = await makeTasks(5, parentId);
  await makeTasks(1, otherParentId);
});

afterAll(() => store.stop());

async function makeTasks(number: number, projectId: string): Promise<string[]> {
  const changes = Array.from({ length: number }, () =>
    buildCreate('task', { name: 'x', status: 'open', projectId, userId: null, tagIds: [] }, Date.now()),
  );
  await applyChangeSet(session, { changes });
  return changes.map(({ after }) => after.entity.id);
}

/** Returns the positions of the children on a page and of the child after which the next page begins, and the total. */
async function page(range: Parameters<typeof readChildren>[3]) {
  const { children, next, total } = await readChildren(session, relation, [parentId], range);
  return {
    children: children.map(({ entity }) => ids.indexOf(entity.id)),
    next: next === undefined ? undefined : ids.indexOf(next),
    total,
  };
}

describe('readChildren', () => {
  test('returns the children of one parent in the order of their creation', async () => {
    expect(await page({})).toEqual({ children: [0, 1, 2, 3, 4], next: undefined, total: 5 });
  });

  test('returns whole entities', async () => {
    const { children } = await readChildren(session, relation, [otherParentId]);
    expect(children).toEqual([
      {
        kind: 'task',
        version: 1,
        stamp: expect.any(Number),
        entity: expect.objectContaining({ name: 'x', status: 'open', projectId: otherParentId, tagIds: [] }),
      },
    ]);
  });

  test('returns the children page by page', async () => {
    expect(await page({ limit: 2 })).toEqual({ children: [0, 1], next: 1, total: 5 });
    expect(await page({ limit: 2, after: ids[1] ?? '' })).toEqual({ children: [2, 3], next: 3, total: 3 });
    expect(await page({ limit: 2, after: ids[3] ?? '' })).toEqual({
      children: [4],
      next: undefined,
      total: 1,
    });
  });

  test('begins with the first child after an empty text, with which jobs begin', async () => {
    expect(await page({ limit: 2, after: '' })).toEqual({ children: [0, 1], next: 1, total: 5 });
  });

  test('ends before the snapshot id', async () => {
    const snapshotId = ids[3] ?? '';
    const whole = { children: [0, 1, 2], next: undefined, total: 3 };
    expect(await page({ snapshotId })).toEqual(whole);
    expect(await page({ snapshotId, limit: 3 })).toEqual(whole);
    expect(await page({ snapshotId, limit: 4 })).toEqual(whole);
    expect(await page({ snapshotId, limit: 2 })).toEqual({ children: [0, 1], next: 1, total: 3 });
    expect(await page({ snapshotId, after: ids[2] ?? '' })).toEqual({
      children: [],
      next: undefined,
      total: 0,
    });
  });

  test('returns no children of a parent that has none, and none of another tenant', async () => {
    const none = { children: [], next: undefined, total: 0 };
    expect(await readChildren(session, relation, ['01890000-0000-7000-8000-000000000003'])).toEqual(none);
    expect(await readChildren(store.session(randomUUID()), relation, [parentId])).toEqual(none);
  });

  test('throws StoreUnavailable when all children of a page are deleted while it is read', async () => {
    const deleted = '01890000-0000-7000-8000-000000000005';
    await makeTasks(3, deleted);
    const getMany = jest.spyOn(session.database, 'getMany').mockResolvedValue([]);
    const reading = readChildren(session, relation, [deleted], { limit: 2 });
    await expect(reading).rejects.toThrow(StoreUnavailable);
    getMany.mockRestore();
  });
});

test('a child that moves each time that it is read is not a child any more, and the next page begins after it', async () => {
  const parent = '01890000-0000-7000-8000-000000000006';
  const [first = '', second = '', third] = await makeTasks(3, parent);
  const { getMany } = session.database;
  let moves = 0;
  jest.spyOn(session.database, 'getMany').mockImplementation(async (...request) => {
    const items = await getMany.apply(session.database, request);
    moves += 1;
    return items.map((item) =>
      item['id'] === second ? { ...item, version: 1 + moves, projectId: otherParentId } : item,
    );
  });
  const { children, next } = await readChildren(session, relation, [parent], { limit: 2 });
  jest.restoreAllMocks();
  expect([children.map(({ entity }) => entity.id), next]).toEqual([[first], second]);
  const rest = await readChildren(session, relation, [parent], { after: second });
  expect(rest.children.map(({ entity }) => entity.id)).toEqual([third]);
});

describe('createSnapshotId', () => {
  test('returns an id greater than those of all children, on one page or on several', async () => {
    for (const limit of [2, 10]) {
      const first = await readChildren(session, relation, [parentId], { limit });
      const snapshotId = await createSnapshotId(session, relation, parentId, first);
      expect(isId(snapshotId) && snapshotId > (ids[4] ?? '')).toBe(true);
    }
  });

  test('returns an id greater than those of children from a process whose clock is ahead', async () => {
    const ahead = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    const [id = ''] = await makeTasks(1, '01890000-0000-7000-8000-000000000004');
    ahead.mockRestore();
    const parent = '01890000-0000-7000-8000-000000000004';
    const first = await readChildren(session, relation, [parent]);
    expect((await createSnapshotId(session, relation, parent, first)) > id).toBe(true);
  });

  test('returns a new id when there are no children', async () => {
    const snapshotId = await createSnapshotId(session, relation, parentId, {
      children: [],
      next: undefined,
      total: 0,
    });
    expect(isId(snapshotId) && snapshotId > (ids[4] ?? '')).toBe(true);
  });
});
