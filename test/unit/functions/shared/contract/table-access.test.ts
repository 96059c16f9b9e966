import {
  batchAccess,
  childrenAccess,
  compactionAccess,
  createAccess,
  jobsAccess,
  listAccess,
  readAccess,
  removeAccess,
  scheduleAccess,
  updateAccess,
} from '../../../../../functions/shared/contract/table-access.ts';

test('readAccess allows the query that reads an entity and its long text, and reading its references', () => {
  expect(readAccess('task')).toEqual({ actions: ['Query', 'BatchGetItem'] });
  expect(readAccess('organization')).toEqual({ actions: ['Query'] });
});

describe('createAccess', () => {
  test('does not allow reading references of an organization, which has none', () => {
    expect(createAccess('organization')).toEqual({ actions: ['GetItem', 'PutItem'] });
  });

  test.each(['project', 'user', 'task', 'tag'] as const)('allows reading the references of a %s', (kind) => {
    expect(createAccess(kind)).toEqual({
      actions: ['GetItem', 'PutItem', 'BatchGetItem'],
    });
  });
});

test('updateAccess allows deleting a long text of a kind that has long texts', () => {
  const actions = ['GetItem', 'PutItem', 'BatchGetItem'];
  expect(updateAccess({ kind: 'task', fields: { description: {} } })).toEqual({
    actions: [...actions, 'Query', 'DeleteItem'],
  });
  expect(updateAccess({ kind: 'user', fields: { email: {} } })).toEqual({
    actions: [...actions, 'Query'],
  });
});

test('childrenAccess allows listing the children of an entity by the list engine, and no index', () => {
  expect(childrenAccess).toEqual({
    actions: ['GetItem', 'PutItem', 'Query', 'BatchGetItem'],
    usesListEngine: true,
  });
});

describe('removeAccess', () => {
  test('allows querying the index of the children that a deletion deletes, and the list engine for the others', () => {
    expect(removeAccess('organization')).toEqual({
      actions: ['GetItem', 'PutItem', 'DeleteItem', 'BatchGetItem', 'Query'],
      indexes: ['parent'],
      usesListEngine: true,
    });
  });

  test('does not use the list engine for a project, whose deletion deletes all its dependents', () => {
    expect(removeAccess('project')).toEqual({
      actions: ['GetItem', 'PutItem', 'DeleteItem'],
      indexes: ['parent'],
      usesListEngine: false,
    });
  });

  test.each(['user', 'tag'] as const)(
    'allows no index for a %s, whose dependents only lose a reference',
    (kind) => {
      expect(removeAccess(kind)).toEqual({
        actions: ['GetItem', 'PutItem', 'DeleteItem', 'BatchGetItem', 'Query'],
        indexes: [],
        usesListEngine: true,
      });
    },
  );

  test('allows no index and no list engine for a task, which has no dependents', () => {
    expect(removeAccess('task')).toEqual({
      actions: ['GetItem', 'PutItem', 'DeleteItem'],
      indexes: [],
      usesListEngine: false,
    });
  });
});

describe('batchAccess', () => {
  test('allows what creating and deleting an entity needs, and reading batches', () => {
    expect(batchAccess({ kind: 'task' })).toEqual({
      actions: ['GetItem', 'PutItem', 'BatchGetItem', 'DeleteItem'],
      indexes: [],
      usesListEngine: false,
    });
    expect(batchAccess({ kind: 'organization' })).toEqual({
      actions: ['GetItem', 'PutItem', 'BatchGetItem', 'DeleteItem', 'Query'],
      indexes: ['parent'],
      usesListEngine: true,
    });
  });
});

describe('listAccess', () => {
  test('allows reading batches of items and querying the indexes of the kind, and no write', () => {
    expect(listAccess('organization')).toEqual({
      actions: ['BatchGetItem', 'Query'],
      indexes: ['all', 'all-by-status'],
      usesListEngine: true,
    });
  });

  test('allows a nested list only the indexes of its parent', () => {
    expect(listAccess('project', 'organizationId')).toEqual({
      actions: ['BatchGetItem', 'Query'],
      indexes: ['parent', 'parent-by-status'],
      usesListEngine: true,
    });
  });

  test('allows the list of the tasks of a tag only the indexes of parents that a filter can name', () => {
    expect(listAccess('task', 'tagIds')).toEqual({
      actions: ['BatchGetItem', 'Query'],
      indexes: ['other-parent', 'parent'],
      usesListEngine: true,
    });
  });
});

const jobActions = ['GetItem', 'PutItem', 'BatchGetItem', 'Query', 'DeleteItem'];

test('jobsAccess allows every action on items, and the indexes of the children that jobs change', () => {
  expect(jobsAccess).toEqual({ actions: jobActions, indexes: ['parent'], usesListEngine: true });
});

test('scheduleAccess also allows the index of all jobs', () => {
  expect(scheduleAccess).toEqual({ actions: jobActions, indexes: ['all', 'parent'], usesListEngine: true });
});

test('compactionAccess allows no index and no update', () => {
  expect(compactionAccess).toEqual({
    actions: ['GetItem', 'Query', 'PutItem', 'BatchGetItem', 'DeleteItem'],
    usesListEngine: true,
  });
});
