import type { Resource } from '#functions/contract/resource.ts';
import { routes } from '#functions/routes.ts';
import { dependentsOf, type Kind } from '#functions/store/model/relations.ts';
import { accessOf, compactionAccess, jobsAccess, scheduleAccess } from '#lib/infrastructure/table-access.ts';
import { tableStatements } from '#lib/infrastructure/table-statements.ts';
import { resourceDocs } from '#lib/openapi/resources.ts';

describe('table access', () => {
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

  const kinds = Object.keys(resourceDocs) as Kind[];
  const verbOf = (verb: string, kind: Kind): string => verb + kind.charAt(0).toUpperCase() + kind.slice(1);

  const resourceOf = (kind: Kind) =>
    routes.find(({ contract }) => contract.resource?.kind === kind)?.contract.resource as Resource;

  /** Returns what a deletion does to the items beside an entity: its long text expires, and its subject is free. */
  const besideActions = (kind: Kind): string[] => {
    const { fields } = resourceOf(kind);
    return [
      ...('description' in fields ? ['UpdateItem'] : []),
      ...('subject' in fields ? ['DeleteItem'] : []),
    ];
  };

  describe('deleting an entity', () => {
    test.each(kinds.filter((kind) => dependentsOf(kind).length > 0))(
      'finds the dependents of a kind that has some by the list engine, and counts jobs: %s',
      (kind) => {
        expect(access(verbOf('delete', kind))).toEqual({
          actions: ['GetItem', 'PutItem', ...besideActions(kind), 'BatchGetItem', 'Query'],
          indexes: ['by-status'],
          usesListEngine,
        });
      },
    );

    test.each(kinds.filter((kind) => dependentsOf(kind).length === 0))(
      'does not use the list engine for a kind without dependents: %s',
      (kind) => {
        expect(access(verbOf('delete', kind))).toEqual({
          actions: ['GetItem', 'PutItem', ...besideActions(kind)],
          usesListEngine: false,
        });
      },
    );
  });

  test.each(kinds)(
    'a batch needs what creating, updating and deleting an entity needs, and reading batches: %s',
    (kind) => {
      const { plural } = resourceOf(kind);
      const { actions, ...others } = access(verbOf('delete', kind));
      const batch = access(`batch${plural.charAt(0).toUpperCase()}${plural.slice(1)}`);
      const beside = access(verbOf('update', kind)).actions.filter((action) => action === 'DeleteItem');
      expect(batch).toEqual({ ...others, actions: expect.anything() });
      expect(new Set(batch.actions)).toEqual(
        new Set([...access(verbOf('create', kind)).actions, ...actions, ...beside, 'BatchGetItem']),
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
});

describe('table statements', () => {
  const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/entities';

  const statements = (...access: Parameters<typeof tableStatements>[1][]) =>
    access.flatMap((one) => tableStatements([table], one)).map((statement) => statement.toStatementJson());

  test('allows the actions on the table, and queries of the indexes', () => {
    expect(
      statements({ actions: ['GetItem', 'Query', 'PutItem'], indexes: ['by-parent', 'by-status'] }),
    ).toEqual([
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:PutItem'],
        Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/entities',
      },
      {
        Effect: 'Allow',
        Action: 'dynamodb:Query',
        Resource: [
          'arn:aws:dynamodb:eu-central-1:123456789012:table/entities/index/by-parent',
          'arn:aws:dynamodb:eu-central-1:123456789012:table/entities/index/by-status',
        ],
      },
    ]);
  });

  test.each([{ actions: ['GetItem'] as const }, { actions: ['GetItem'] as const, indexes: [] }])(
    'allows no query of an index with %j',
    (access) => {
      expect(statements(access)).toEqual([
        {
          Effect: 'Allow',
          Action: 'dynamodb:GetItem',
          Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/entities',
        },
      ]);
    },
  );

  test('returns no statement for no action: IAM refuses an empty one', () => {
    expect(statements({ actions: [] })).toEqual([]);
  });

  test('allows only queries of indexes without an action on the table', () => {
    expect(statements({ actions: [], indexes: ['by-creation'] })).toEqual([
      {
        Effect: 'Allow',
        Action: 'dynamodb:Query',
        Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/entities/index/by-creation',
      },
    ]);
  });
});
