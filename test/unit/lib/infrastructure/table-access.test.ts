import { routes } from '#functions/routes.ts';
import { dependentsOf, type Kind } from '#functions/store/model/relations.ts';
import { accessOf, compactionAccess, jobsAccess, scheduleAccess } from '#lib/infrastructure/table-access.ts';
import { resourceDocs } from '#lib/openapi/resources.ts';

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

const kinds = Object.keys(resourceDocs) as Kind[];
const verbOf = (verb: string, kind: Kind): string => verb + kind.charAt(0).toUpperCase() + kind.slice(1);

describe('deleting an entity', () => {
  test.each(kinds.filter((kind) => dependentsOf(kind).length > 0))(
    'finds the dependents of a kind that has some by the list engine, and counts jobs: %s',
    (kind) => {
      expect(access(verbOf('delete', kind))).toEqual({
        actions: ['GetItem', 'PutItem', 'DeleteItem', 'BatchGetItem', 'Query'],
        indexes: ['by-status'],
        usesListEngine,
      });
    },
  );

  test.each(kinds.filter((kind) => dependentsOf(kind).length === 0))(
    'does not use the list engine for a kind without dependents: %s',
    (kind) => {
      expect(access(verbOf('delete', kind))).toEqual({
        actions: ['GetItem', 'PutItem', 'DeleteItem'],
        usesListEngine: false,
      });
    },
  );
});

test.each(kinds)(
  'a batch needs what creating and deleting an entity needs, and reading batches: %s',
  (kind) => {
    const plural =
      routes.find(({ contract }) => contract.resource?.kind === kind)?.contract.resource?.plural ?? '';
    const { actions, ...others } = access(verbOf('delete', kind));
    const batch = access(`batch${plural.charAt(0).toUpperCase()}${plural.slice(1)}`);
    expect(batch).toEqual({ ...others, actions: expect.anything() });
    expect(new Set(batch.actions)).toEqual(
      new Set([...access(verbOf('create', kind)).actions, ...actions, 'BatchGetItem']),
    );
  },
);

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

const jobActions = ['GetItem', 'PutItem', 'BatchGetItem', 'Query', 'DeleteItem'];

test('jobs need every action on items, and no index', () => {
  expect(jobsAccess).toEqual({ actions: jobActions, usesListEngine });
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
