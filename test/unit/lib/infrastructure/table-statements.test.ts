import { tableStatements } from '#lib/infrastructure/table-statements.ts';

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
