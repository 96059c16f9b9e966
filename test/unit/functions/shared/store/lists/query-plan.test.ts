import { planQuery, reachableIndexes } from '../../../../../../functions/shared/store/lists/query-plan.ts';

const id = '01890000-0000-7000-8000-000000000001';
const otherId = '01890000-0000-7000-8000-000000000002';

describe('planQuery', () => {
  test('reads all entities of the kind when there is no filter', () => {
    expect(planQuery('acme', 'task', [])).toEqual({
      listing: { family: 'all', partition: 'acme#task' },
      residualFilters: [],
    });
  });

  test('reads one key for an id, whatever other filters there are', () => {
    const others = [
      ['name', 'Build'],
      ['status', 'open'],
      ['projectId', otherId],
    ] as const;
    expect(planQuery('acme', 'task', [['id', id]])).toEqual({
      listing: { family: 'all', partition: 'acme#task' },
      key: { is: id },
      residualFilters: [],
    });
    expect(planQuery('acme', 'task', [...others, ['id', id]])).toEqual({
      listing: { family: 'all', partition: 'acme#task' },
      key: { is: id },
      residualFilters: others,
    });
  });

  test('reads keys by name for a name, and keeps every filter because a key may hold a truncated name', () => {
    const filters = [
      ['status', 'open'],
      ['name', 'Build'],
      ['organizationId', otherId],
    ] as const;
    expect(planQuery('acme', 'project', filters)).toEqual({
      listing: { family: 'all', partition: 'acme#project' },
      key: { startsWith: 'Build\u0000' },
      residualFilters: filters,
    });
  });

  test('reads one status of the kind', () => {
    expect(planQuery('acme', 'organization', [['status', 'archived']])).toEqual({
      listing: { family: 'all', partition: 'acme#organization', status: 'archived' },
      residualFilters: [],
    });
  });

  test.each([
    ['project', 'organizationId', 'parent'],
    ['user', 'organizationId', 'parent'],
    ['tag', 'organizationId', 'parent'],
    ['task', 'projectId', 'parent'],
    ['task', 'userId', 'other-parent'],
  ] as const)('reads the children of one parent for %s.%s', (kind, field, family) => {
    expect(planQuery('acme', kind, [[field, id]])).toEqual({
      listing: { family, partition: `acme#${kind}#${field}#${id}` },
      residualFilters: [],
    });
  });

  test('reads one status of the children of one parent', () => {
    const filters = [
      ['status', 'open'],
      ['userId', id],
    ] as const;
    expect(planQuery('acme', 'task', filters)).toEqual({
      listing: { family: 'other-parent', partition: `acme#task#userId#${id}`, status: 'open' },
      residualFilters: [],
    });
  });

  test('reads the tasks of the project when tasks are filtered by project and user', () => {
    const filters = [
      ['userId', otherId],
      ['projectId', id],
    ] as const;
    expect(planQuery('acme', 'task', filters)).toEqual({
      listing: { family: 'parent', partition: `acme#task#projectId#${id}` },
      residualFilters: [['userId', otherId]],
    });
  });

  test('keeps filters by fields without an index', () => {
    const filters = [
      ['tagIds', 'not an id'],
      ['priority', 'high'],
    ] as const;
    expect(planQuery('acme', 'task', filters)).toEqual({
      listing: { family: 'all', partition: 'acme#task' },
      residualFilters: filters,
    });
    expect(planQuery('acme', 'task', [...filters, ['status', 'open']])).toEqual({
      listing: { family: 'all', partition: 'acme#task', status: 'open' },
      residualFilters: filters,
    });
  });

  test.each(['id', 'projectId', 'status'])('drops a repeated filter by %s', (field) => {
    const plan = planQuery('acme', 'task', [
      [field, id],
      [field, id],
    ]);
    expect(plan?.residualFilters).toEqual([]);
  });

  test.each(['id', 'projectId', 'status'])(
    'keeps the first of two filters by %s that contradict',
    (field) => {
      const plan = planQuery('acme', 'task', [
        [field, otherId],
        [field, id],
      ]);
      expect(plan?.residualFilters).toEqual([[field, otherId]]);
    },
  );

  test.each([
    ['an empty id', 'id', ''],
    ['an id of 2,000 characters', 'id', 'x'.repeat(2_000)],
    ['an id in upper case', 'id', '018A0000-0000-7000-8000-000000000001'],
    ['an empty project id', 'projectId', ''],
    ['a project id with a separator', 'projectId', `${id}#`],
    ['a user id that is no id', 'userId', 'not an id'],
    ['an empty status', 'status', ''],
    ['a status with a separator', 'status', 'a#b'],
    ['a status of 65 characters', 'status', 'x'.repeat(65)],
  ])('plans no query for %s, because no entity can have it', (_, field, value) => {
    expect(planQuery('acme', 'task', [[field, value]])).toBeUndefined();
  });

  test('plans no query when one of status and parent is impossible', () => {
    const status = (value: string) => ['status', value] as const;
    const parent = (value: string) => ['projectId', value] as const;
    expect(planQuery('acme', 'task', [status('a#b'), parent(id)])).toBeUndefined();
    expect(planQuery('acme', 'task', [status('open'), parent('not an id')])).toBeUndefined();
  });

  test('plans a query by name when the status is impossible: the status is not part of the key condition', () => {
    const filters = [
      ['name', 'Build'],
      ['status', 'a#b'],
    ] as const;
    expect(planQuery('acme', 'task', filters)).toEqual({
      listing: { family: 'all', partition: 'acme#task' },
      key: { startsWith: 'Build\u0000' },
      residualFilters: filters,
    });
  });
});

describe('reachableIndexes', () => {
  const parentIndexes = ['all', 'all-by-name', 'all-by-status', 'parent', 'parent-by-status'];

  test.each([
    ['organization', ['all', 'all-by-name', 'all-by-status']],
    ['project', parentIndexes],
    ['user', parentIndexes],
    ['tag', parentIndexes],
    [
      'task',
      [
        'all',
        'all-by-name',
        'all-by-status',
        'other-parent',
        'other-parent-by-status',
        'parent',
        'parent-by-status',
      ],
    ],
  ] as const)('returns the indexes that lists of the kind %s read', (kind, indexes) => {
    expect(reachableIndexes(kind)).toEqual(indexes);
  });

  test.each([
    ['project', 'organizationId', ['all', 'all-by-name', 'parent', 'parent-by-status']],
    ['user', 'organizationId', ['all', 'all-by-name', 'parent', 'parent-by-status']],
    ['task', 'projectId', ['all', 'all-by-name', 'parent', 'parent-by-status']],
    [
      'task',
      'userId',
      ['all', 'all-by-name', 'other-parent', 'other-parent-by-status', 'parent', 'parent-by-status'],
    ],
    [
      'task',
      'tagIds',
      [
        'all',
        'all-by-name',
        'all-by-status',
        'other-parent',
        'other-parent-by-status',
        'parent',
        'parent-by-status',
      ],
    ],
  ] as const)(
    'returns the indexes that the list of the kind %s nested by %s reads',
    (kind, field, indexes) => {
      expect(reachableIndexes(kind, field)).toEqual(indexes);
    },
  );
});
