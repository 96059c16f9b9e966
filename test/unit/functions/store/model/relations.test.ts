import {
  cascadeKinds,
  dependentsOf,
  isArray,
  referencesOf,
  relationOf,
  relations,
} from '#functions/store/model/relations.ts';

describe('relationOf', () => {
  test.each([
    ['project', 'organization', 'organizationId', 'cascade'],
    ['user', 'organization', 'organizationId', 'setNull'],
    ['tag', 'organization', 'organizationId', 'setNull'],
    ['task', 'project', 'projectId', 'cascade'],
  ] as const)(
    'returns the relation of a %s to its %s, which is indexed',
    (child, parent, field, onDelete) => {
      expect(relationOf(child, parent)).toMatchObject({ child, field, parent, onDelete, isIndexed: true });
    },
  );

  test('returns the relations of a task to its user and to its tags, which have no index', () => {
    const relation = { child: 'task', onDelete: 'setNull' };
    expect(relationOf('task', 'user')).toEqual({ ...relation, field: 'userId', parent: 'user' });
    expect(relationOf('task', 'tag')).toEqual({ ...relation, field: 'tagIds', parent: 'tag', isArray: true });
  });

  test.each([
    ['project', 'task'],
    ['task', 'organization'],
    ['user', 'user'],
  ] as const)('throws a TypeError when a %s does not refer to a %s', (child, parent) => {
    expect(() => relationOf(child, parent)).toThrow(TypeError);
  });
});

test.each([
  ['organization', []],
  ['project', ['organizationId']],
  ['user', ['organizationId']],
  ['tag', ['organizationId']],
  ['task', ['projectId', 'userId', 'tagIds']],
] as const)('referencesOf returns the references of the kind %s', (kind, fields) => {
  expect(referencesOf(kind).map(({ field }) => field)).toEqual(fields);
});

test.each([
  ['organization', ['project', 'user', 'tag']],
  ['project', ['task']],
  ['user', ['task']],
  ['tag', ['task']],
] as const)('dependentsOf returns the kinds that refer to the kind %s', (kind, children) => {
  expect(dependentsOf(kind).map(({ child }) => child)).toEqual(expect.arrayContaining([...children]));
});

test('isArray tells the references that are arrays', () => {
  expect(isArray('task', 'tagIds')).toBe(true);
  expect(isArray('task', 'projectId')).toBe(false);
  expect(isArray('task', 'name')).toBe(false);
});

test('only the organization of a project is required', () => {
  const required = relations.filter(({ isRequired }) => isRequired);
  expect(required.map(({ child, field }) => [child, field])).toEqual([['project', 'organizationId']]);
});

test.each([
  ['organization', ['project', 'task']],
  ['project', ['task']],
  ['user', []],
  ['tag', []],
  ['task', []],
] as const)('cascadeKinds returns what the deletion of the kind %s removes besides', (kind, kinds) => {
  expect(cascadeKinds(kind)).toEqual(kinds);
});
