import {
  entityKey,
  indexKeys,
  kindPartition,
  parentPartition,
  statusPrefix,
} from '#functions/store/model/keys.ts';

describe('keys of an entity', () => {
  const id = '01890000-0000-7000-8000-000000000001';
  const parentId = '01890000-0000-7000-8000-000000000002';
  const otherParentId = '01890000-0000-7000-8000-000000000003';
  const entity = {
    id,
    name: 'Build',
    status: 'open',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
  };
  const ownKeys = { byStatus: `open#${id}` };

  test('begin with the tenant', () => {
    expect(entityKey('acme', 'task', id)).toEqual({ pk: `acme#task#${id}`, sk: 'entity' });
    expect(kindPartition('acme', 'task')).toBe('acme#task');
    expect(parentPartition('acme', { child: 'task', field: 'userId' }, parentId)).toBe(
      `acme#task#userId#${parentId}`,
    );
  });

  test('by status begin with the status and a separator, so that no status is the beginning of another', () => {
    expect(statusPrefix('open')).toBe('open#');
  });

  test('of an organization have no parent', () => {
    expect(indexKeys('acme', 'organization', entity)).toEqual({ ofKind: 'acme#organization', ...ownKeys });
  });

  test.each(['project', 'user', 'tag'] as const)('of a %s have the organization as parent', (kind) => {
    expect(indexKeys('acme', kind, { ...entity, organizationId: parentId })).toEqual({
      ofKind: `acme#${kind}`,
      ofParent: `acme#${kind}#organizationId#${parentId}`,
      ...ownKeys,
    });
  });

  test('of a task have the project as parent, and none for its user and its tags', () => {
    const references = { projectId: parentId, userId: otherParentId, tagIds: [parentId] };
    expect(indexKeys('acme', 'task', { ...entity, ...references })).toEqual({
      ofKind: 'acme#task',
      ofParent: `acme#task#projectId#${parentId}`,
      ...ownKeys,
    });
  });

  test.each([[{ projectId: null, userId: null }], [{}]])(
    'of a task with the references %j are absent from the indexes of parents',
    (references) => {
      const keys = indexKeys('acme', 'task', { ...entity, ...references });
      expect(Object.keys(keys).toSorted()).toEqual(['byStatus', 'ofKind']);
    },
  );
});
