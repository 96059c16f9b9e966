import {
  dependentsOf,
  referencesOf,
  relationOf,
} from '../../../../../../functions/shared/store/model/relations.ts';

describe('relationOf', () => {
  test.each([
    ['project', 'organization', 'organizationId', 'cascade', 'parent'],
    ['user', 'organization', 'organizationId', 'setNull', 'parent'],
    ['tag', 'organization', 'organizationId', 'setNull', 'parent'],
    ['task', 'project', 'projectId', 'cascade', 'parent'],
    ['task', 'user', 'userId', 'setNull', 'other-parent'],
  ] as const)('returns the relation of a %s to its %s', (child, parent, field, onDelete, index) => {
    expect(relationOf(child, parent)).toEqual({ child, field, parent, onDelete, index });
  });

  test('returns the relation of a task to its tags, which has no index', () => {
    expect(relationOf('task', 'tag')).toEqual({
      child: 'task',
      field: 'tagIds',
      parent: 'tag',
      onDelete: 'setNull',
    });
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
  ['task', []],
] as const)('dependentsOf returns the kinds that refer to the kind %s', (kind, children) => {
  expect(dependentsOf(kind).map(({ child }) => child)).toEqual(children);
});
