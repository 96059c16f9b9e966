import { buildDeletion, buildRestore, buildTextWrite, buildWrite } from '#functions/store/model/changes.ts';
import {
  deletedQuery,
  expiryOf,
  isDeletedItem,
  isExpired,
  isRoot,
  isSameDeletion,
  newDeletion,
  placeOf,
  queryOfDeletion,
} from '#functions/store/model/deletion.ts';
import type { DeletedEntity, Deletion, StoredEntity } from '#functions/store/model/entity.ts';
import { decodeAnyEntity, decodeEntity, encodeEntity } from '#functions/store/model/item-codec.ts';
import { stampText } from '#functions/store/model/stamp-text.ts';
import type { Item } from '#functions/store/model/writes.ts';

const id = '01890000-0000-7000-8000-000000000001';
const projectId = '01890000-0000-7000-8000-000000000002';
const deletedAt = Date.parse('2026-02-03T04:05:06.789Z');
const dayMs = 86_400_000;

const task = (more: object = {}): StoredEntity => ({
  kind: 'task',
  version: 3,
  stamp: 1_770_000_000_000,
  entity: {
    id,
    name: 'Build',
    status: 'open',
    projectId,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
    ...more,
  },
});

const ofProject: Deletion = { deletedAt, deletedBy: 'ann', root: { kind: 'project', id: projectId } };
const deleted = buildDeletion(task(), ofProject).after;

/** Returns the item that a change puts. */
function itemOf(after: DeletedEntity): Item {
  const write = buildWrite('acme', { before: task(), after }, 1_770_000_000_001);
  if (!('put' in write)) throw new TypeError('The write puts no item.');
  return write.put;
}

test('the item of a deleted entity is in the partition of deleted ones alone', () => {
  expect(itemOf(deleted)).toEqual({
    pk: `acme#task#${id}`,
    sk: 'entity',
    ofKind: 'acme#task#deleted',
    byStatus: `${stampText(deletedAt)}#${projectId}#${id}`,
    deletedAt,
    deletedBy: 'ann',
    rootKind: 'project',
    expiresAt: Math.ceil((deletedAt + 31 * dayMs) / 1_000),
    kind: 'task',
    version: 4,
    stamp: 1_770_000_000_001,
    name: 'Build',
    status: 'open',
    projectId,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
  });
});

test.each([
  ['a part of another deletion', deleted],
  [
    'deleted by itself, without a token',
    buildDeletion(task(), { deletedAt, root: { kind: 'task', id } }).after,
  ],
] as const)('the item of an entity that is %s is decoded to it', (_, one) => {
  const item = encodeEntity('acme', one, 7);
  expect(isDeletedItem(item)).toBe(true);
  expect(decodeAnyEntity(item)).toEqual({ ...one, stamp: 7 });
  expect(() => decodeEntity(item)).toThrow(TypeError);
});

test('a restored entity has the version after that of the deletion, and a later time', () => {
  const { after } = buildRestore({ ...deleted, stamp: 8 }, { projectId: null }, deletedAt - 5_000);
  expect(after).toEqual({
    ...task({ projectId: null }),
    stamp: 8,
    version: 5,
    entity: { ...task({ projectId: null }).entity, updatedAt: new Date(deletedAt + 1).toISOString() },
  });
  // By a clock that is behind, the next deletion is another one all the same.
  const next = newDeletion(after, 'ann', deletedAt - 5_000);
  expect(next.deletedAt).toBeGreaterThan(deletedAt);
});

test('a long text expires with its entity, and not after a restore', () => {
  const before = task({ description: 'x'.repeat(500) });
  const change = buildDeletion(before, ofProject);
  const write = { setExpiry: { pk: `acme#task#${id}`, sk: 'description' }, replacedBytes: 500 };
  expect(buildTextWrite('acme', change)).toEqual([{ ...write, expiresAt: expiryOf(ofProject) }]);
  expect(buildTextWrite('acme', buildRestore(change.after, {}, deletedAt))).toEqual([
    { ...write, expiresAt: undefined },
  ]);
  expect(buildTextWrite('acme', buildDeletion(task({ description: 'short' }), ofProject))).toEqual([]);
});

test('a deletion expires after 30 days, and DynamoDB deletes the item a day later at the earliest', () => {
  expect(isExpired(ofProject, deletedAt + 30 * dayMs - 1)).toBe(false);
  expect(isExpired(ofProject, deletedAt + 30 * dayMs)).toBe(true);
  expect(expiryOf(ofProject) * 1_000).toBeGreaterThanOrEqual(deletedAt + 31 * dayMs);
});

test('a root is what a caller has deleted, by its kind and its id', () => {
  expect(isRoot(deleted)).toBe(false);
  expect(isRoot({ ...deleted, deletion: { deletedAt, root: { kind: 'task', id } } })).toBe(true);
  expect(isRoot({ ...deleted, deletion: { deletedAt, root: { kind: 'project', id } } })).toBe(false);
});

test('two deletions are the same one if their time, kind and id are', () => {
  expect(isSameDeletion(ofProject, { deletedAt, root: { kind: 'project', id: projectId } })).toBe(true);
  expect(isSameDeletion(ofProject, { ...ofProject, deletedAt: deletedAt + 1 })).toBe(false);
  expect(isSameDeletion(ofProject, { deletedAt, root: { kind: 'task', id: projectId } })).toBe(false);
  expect(isSameDeletion(ofProject, { deletedAt, root: { kind: 'project', id } })).toBe(false);
});

describe('the queries', () => {
  const isIn = (query: { ExpressionAttributeValues: Record<string, string> }, key: string): boolean => {
    const [, first = '', last = ''] = Object.values(query.ExpressionAttributeValues);
    return first <= key && key <= last;
  };
  const key = (at: number, rootId = projectId, own = id) => `${stampText(at)}#${rootId}#${own}`;

  test('find what one deletion has removed, after an id', () => {
    const all = queryOfDeletion('acme', 'task', ofProject, '');
    expect(isIn(all, key(deletedAt))).toBe(true);
    expect(isIn(all, key(deletedAt + 1))).toBe(false);
    expect(isIn(all, key(deletedAt, id))).toBe(false);
    const after = queryOfDeletion('acme', 'task', ofProject, id);
    expect(isIn(after, key(deletedAt))).toBe(false);
    expect(isIn(after, key(deletedAt, projectId, projectId))).toBe(true);
  });

  test('find what can be restored, before a place', () => {
    const nowMs = deletedAt + 30 * dayMs;
    const all = deletedQuery('acme', 'task', nowMs);
    expect(isIn(all, key(deletedAt))).toBe(false);
    expect(isIn(all, key(deletedAt + 1))).toBe(true);
    const before = deletedQuery('acme', 'task', nowMs - 1, placeOf(deleted));
    expect(isIn(before, key(deletedAt))).toBe(true);
    expect(isIn(before, key(deletedAt + 1))).toBe(false);
  });
});
