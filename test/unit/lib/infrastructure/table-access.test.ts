import { routes } from '#functions/routes.ts';
import { accessOf, compactionAccess, jobsAccess, scheduleAccess } from '#lib/infrastructure/table-access.ts';

/** Returns the permissions of an operation. */
function access(operation: string) {
  const route = routes.find(({ contract }) => contract.operation === operation);
  if (!route) throw new Error(`There is no operation ${operation}.`);
  return accessOf(route.contract);
}

const usesListEngine = true;

test('reading an entity needs the query that reads it and its long text, and reading its references', () => {
  expect(access('readTask')).toEqual({ actions: ['Query', 'BatchGetItem'] });
  expect(access('readOrganization')).toEqual({ actions: ['Query'] });
});

test('creating an entity needs reading its references, if it has any', () => {
  expect(access('createOrganization')).toEqual({ actions: ['GetItem', 'PutItem'] });
  for (const kind of ['Project', 'User', 'Task', 'Tag'])
    expect(access(`create${kind}`)).toEqual({ actions: ['GetItem', 'PutItem', 'BatchGetItem'] });
});

test.each(['replace', 'update'])(
  'to %s an entity needs deleting its long text or its subject, if it can have one',
  (verb) => {
    const actions = ['GetItem', 'PutItem', 'BatchGetItem', 'Query'];
    expect(access(`${verb}Task`)).toEqual({ actions: [...actions, 'DeleteItem'] });
    expect(access(`${verb}User`)).toEqual({ actions: [...actions, 'DeleteItem'] });
  },
);

test.each(['archiveOrganization', 'cloneProject'])(
  '%s finds children by the list engine, and counts jobs',
  (operation) => {
    expect(access(operation)).toEqual({
      actions: ['GetItem', 'PutItem', 'Query', 'BatchGetItem'],
      indexes: ['by-status'],
      usesListEngine,
    });
  },
);

test('restoring an entity needs the index if its deletion has removed others, and updates of long texts', () => {
  const actions = ['GetItem', 'PutItem', 'Query', 'BatchGetItem'];
  const withTexts = [...actions, 'UpdateItem'];
  for (const kind of ['Organization', 'Project'])
    expect(access(`restore${kind}`)).toEqual({ actions: withTexts, indexes: ['by-status'] });
  for (const kind of ['Task', 'Tag'])
    expect(access(`restore${kind}`)).toEqual({ actions: withTexts, indexes: [] });
  expect(access('restoreUser')).toEqual({ actions, indexes: [] });
});

test('a list of deleted entities needs their index, and reading long texts', () => {
  expect(access('listDeletedTasks')).toEqual({ actions: ['BatchGetItem'], indexes: ['by-status'] });
  expect(access('listDeletedUsers')).toEqual({ actions: [], indexes: ['by-status'] });
});

describe('deleting an entity', () => {
  test.each([
    ['Organization', 'UpdateItem'],
    ['Project', 'UpdateItem'],
    ['User', 'DeleteItem'],
    ['Tag', 'UpdateItem'],
  ])(
    'finds the dependents of a %s by the list engine, counts jobs, and needs %s for its long text or its subject',
    (kind, action) => {
      expect(access(`delete${kind}`)).toEqual({
        actions: ['GetItem', 'PutItem', action, 'BatchGetItem', 'Query'],
        indexes: ['by-status'],
        usesListEngine,
      });
    },
  );

  test('does not use the list engine for a task, which has no dependents', () => {
    expect(access('deleteTask')).toEqual({
      actions: ['GetItem', 'PutItem', 'UpdateItem'],
      usesListEngine: false,
    });
  });
});

test('a batch needs what creating and deleting an entity needs, and reading batches', () => {
  expect(access('batchTasks')).toEqual({
    actions: ['GetItem', 'PutItem', 'BatchGetItem', 'DeleteItem', 'UpdateItem'],
    usesListEngine: false,
  });
  expect(access('batchOrganizations')).toEqual({
    actions: ['GetItem', 'PutItem', 'BatchGetItem', 'DeleteItem', 'UpdateItem', 'Query'],
    indexes: ['by-status'],
    usesListEngine,
  });
});

test.each([
  ['listOrganizations', ['by-creation', 'by-status']],
  ['listProjects', ['by-creation', 'by-status', 'by-parent']],
  ['listTasks', ['by-creation', 'by-status', 'by-parent']],
  ['listOrganizationProjects', ['by-parent']],
  ['listProjectTasks', ['by-parent']],
  ['listUserTasks', ['by-parent']],
  ['listTagTasks', ['by-parent']],
])('%s needs the indexes that can have its entities, and no write', (operation, indexes) => {
  expect(access(operation)).toEqual({ actions: ['BatchGetItem', 'Query'], indexes, usesListEngine });
});

test('the other operations read one item, or nothing', () => {
  expect(access('checkHealth')).toEqual({ actions: ['GetItem'] });
  expect(access('showStart')).toEqual({ actions: [] });
});

const jobActions = ['GetItem', 'PutItem', 'BatchGetItem', 'Query', 'UpdateItem', 'DeleteItem'];

test('jobs need every action on items, and the index of deleted entities', () => {
  expect(jobsAccess).toEqual({ actions: jobActions, indexes: ['by-status'], usesListEngine });
});

test('the schedule needs the index of jobs and reminders besides, and the one with which logs are compared', () => {
  expect(scheduleAccess).toEqual({
    actions: jobActions,
    indexes: ['by-creation', 'by-status'],
    usesListEngine,
  });
});

test('compaction needs no index and no update', () => {
  expect(compactionAccess).toEqual({
    actions: ['GetItem', 'Query', 'PutItem', 'BatchGetItem', 'DeleteItem'],
    usesListEngine,
  });
});
