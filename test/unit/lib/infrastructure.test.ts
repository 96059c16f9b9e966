import { routes } from '#functions/routes.ts';
import { accessOf, compactionAccess } from '#lib/infrastructure/table-access.ts';
import { tableStatements } from '#lib/infrastructure/table-statements.ts';

describe('table access', () => {
  /** Each operation runs with its role in the stack suite: no call lacks a permission, and no permission a call. */
  const writing = ['UpdateItem', 'PutItem'];

  test.each([
    ['checkHealth', { actions: ['GetItem'] }],
    ['readOrganization', { actions: ['Query'] }],
    [
      'updateTask',
      {
        actions: [...writing, 'BatchGetItem', 'Query', 'DeleteItem', 'GetItem'],
        // Finds what is below a task that moves.
        usesListEngine: true,
      },
    ],
    [
      'listProjectTasks',
      { actions: ['GetItem', 'BatchGetItem', 'Query'], indexes: [], usesListEngine: true },
    ],
    ['restoreUser', { actions: ['GetItem', ...writing, 'Query', 'BatchGetItem'], indexes: [] }],
  ])('%s', (operation, access) => {
    const contract = routes.find((route) => route.contract.operation === operation)?.contract;
    expect(contract && accessOf(contract)).toEqual(access);
  });

  test('compaction needs no index and no update', () => {
    expect(compactionAccess).toEqual({
      actions: ['GetItem', 'Query', 'PutItem', 'BatchGetItem', 'DeleteItem'],
      usesListEngine: true,
    });
  });
});

describe('table statements', () => {
  const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/entities';

  const statements = (...access: Parameters<typeof tableStatements>[1][]) =>
    access.flatMap((one) => tableStatements([table], one)).map((statement) => statement.toStatementJson());

  test('allows the actions on the table, and queries of the indexes', () => {
    expect(
      statements({ actions: ['GetItem', 'Query', 'PutItem'], indexes: ['by-creation', 'by-status'] }),
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
          'arn:aws:dynamodb:eu-central-1:123456789012:table/entities/index/by-creation',
          'arn:aws:dynamodb:eu-central-1:123456789012:table/entities/index/by-status',
        ],
      },
    ]);
  });

  test('returns no statement for no action: IAM refuses an empty one', () => {
    expect(statements({ actions: [] })).toEqual([]);
  });
});
