import {
  childrenAccess,
  jobsAccess,
  listAccess,
  removeAccess,
  writeAccess,
} from '../../../../../functions/shared/contract/permissions.ts';

describe('writeAccess', () => {
  test('does not allow reading references of an organization, which has none', () => {
    expect(writeAccess('organization')).toEqual({ actions: ['GetItem', 'Query', 'UpdateItem', 'PutItem'] });
  });

  test.each(['project', 'user', 'task', 'tag'] as const)('allows reading the references of a %s', (kind) => {
    expect(writeAccess(kind)).toEqual({
      actions: ['GetItem', 'Query', 'UpdateItem', 'PutItem', 'BatchGetItem'],
    });
  });
});

test.each(['all', 'parent', 'other-parent'] as const)(
  'childrenAccess allows querying children in the index %s',
  (family) => {
    expect(childrenAccess(family)).toEqual({
      actions: ['GetItem', 'Query', 'UpdateItem', 'PutItem'],
      indexes: [family],
    });
  },
);

describe('removeAccess', () => {
  test.each([
    ['organization', 'parent'],
    ['project', 'parent'],
    ['user', 'other-parent'],
    ['tag', 'all'],
  ] as const)('allows changing the dependents of the kind %s, found in the index %s', (kind, index) => {
    expect(removeAccess(kind)).toEqual({
      actions: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem', 'PutItem'],
      indexes: [index],
    });
  });

  test('allows no PutItem and no index for a task, which has no dependents', () => {
    expect(removeAccess('task')).toEqual({
      actions: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'],
      indexes: [],
    });
  });
});

describe('listAccess', () => {
  test('allows reading items and querying the indexes of the kind', () => {
    expect(listAccess('organization')).toEqual({
      actions: ['BatchGetItem', 'Query'],
      indexes: ['all', 'all-by-name', 'all-by-status'],
    });
  });

  test('does not allow querying the index by status of the kind for a nested list, which never reads it', () => {
    expect(listAccess('project', 'organizationId')).toEqual({
      actions: ['BatchGetItem', 'Query'],
      indexes: ['all', 'all-by-name', 'parent', 'parent-by-status'],
    });
  });
});

test('jobsAccess allows every action on items, and querying every index that lists children', () => {
  expect(jobsAccess).toEqual({
    actions: ['GetItem', 'Query', 'UpdateItem', 'BatchGetItem', 'PutItem', 'DeleteItem'],
    indexes: ['parent', 'other-parent', 'all'],
  });
});
