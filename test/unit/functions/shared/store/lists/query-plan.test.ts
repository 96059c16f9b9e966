import { planQuery, reachableIndexes } from '../../../../../../functions/shared/store/lists/query-plan.ts';
import type { ListQuery } from '../../../../../../functions/shared/store/model/list-query.ts';
import { type Kind, referencesOf } from '../../../../../../functions/shared/store/model/relations.ts';

const id = '01890000-0000-7000-8000-000000000001';
const otherId = '01890000-0000-7000-8000-000000000002';

const plan = (kind: Kind, filters: ListQuery['filters'], sortBy = 'createdAt') =>
  planQuery('acme', kind, { filters, sortBy });

describe('planQuery', () => {
  describe('lists by the counted index', () => {
    test('all entities of a kind, without a filter', () => {
      expect(plan('task', [])).toEqual({
        by: 'counted-index',
        listing: { family: 'all', partition: 'acme#task', status: undefined },
      });
    });

    test('all entities of a kind by id: that is the order of creation as well', () => {
      expect(plan('task', [], 'id')).toEqual({
        by: 'counted-index',
        listing: { family: 'all', partition: 'acme#task', status: undefined },
      });
    });

    test('one counted status of a kind', () => {
      expect(plan('organization', [['status', 'archived']])).toEqual({
        by: 'counted-index',
        listing: { family: 'all', partition: 'acme#organization', status: 'archived' },
      });
    });

    test.each([
      ['project', 'organizationId', 'parent'],
      ['user', 'organizationId', 'parent'],
      ['tag', 'organizationId', 'parent'],
      ['task', 'projectId', 'parent'],
      ['task', 'userId', 'other-parent'],
    ] as const)('the children of one parent, for %s.%s', (kind, field, family) => {
      expect(plan(kind, [[field, id]])).toEqual({
        by: 'counted-index',
        listing: { family, partition: `acme#${kind}#${field}#${id}`, status: undefined },
      });
    });

    test('one counted status of the children of one parent, in any order of the filters', () => {
      const planned = {
        by: 'counted-index',
        listing: { family: 'other-parent', partition: `acme#task#userId#${id}`, status: 'open' },
      };
      const status = ['status', 'open'] as const;
      const user = ['userId', id] as const;
      expect(plan('task', [status, user])).toEqual(planned);
      expect(plan('task', [user, status])).toEqual(planned);
    });

    test('a filter that is repeated with the same value', () => {
      const project = ['projectId', id] as const;
      expect(plan('task', [project, project])).toEqual({
        by: 'counted-index',
        listing: { family: 'parent', partition: `acme#task#projectId#${id}`, status: undefined },
      });
    });
  });

  describe('lists by the list engine', () => {
    const byEngine = { by: 'engine', parent: undefined };
    const ofProject = {
      by: 'engine',
      parent: { family: 'parent', partition: `acme#task#projectId#${id}` },
    };

    test.each(['name', 'status', 'priority', 'dueDate', 'updatedAt', 'projectId'])(
      'a list that is sorted by %s',
      (sortBy) => {
        expect(plan('task', [], sortBy)).toEqual(byEngine);
        expect(plan('task', [['projectId', id]], sortBy)).toEqual(ofProject);
      },
    );

    test.each([
      ['name', 'Build'],
      ['priority', 'high'],
      ['tagIds', id],
      ['createdAt', '2026-01-01T00:00:00.000Z'],
    ] as const)('a filter by %s, alone and with a parent', (field, value) => {
      expect(plan('task', [[field, value]])).toEqual(byEngine);
      expect(
        plan('task', [
          [field, value],
          ['projectId', id],
        ]),
      ).toEqual(ofProject);
    });

    test('a status that the counted index does not count', () => {
      expect(plan('task', [['status', 'waiting-for-parts']])).toEqual(byEngine);
    });

    test('two parents', () => {
      expect(
        plan('task', [
          ['projectId', id],
          ['userId', otherId],
        ]),
      ).toEqual(ofProject);
    });

    test('two values of one field, which both must hold', () => {
      expect(
        plan('task', [
          ['projectId', otherId],
          ['projectId', id],
        ]),
      ).toEqual(ofProject);
      expect(
        plan('task', [
          ['status', 'open'],
          ['status', 'done'],
        ]),
      ).toEqual(byEngine);
    });
  });

  test('reads one entity for an id, whatever other filters and whatever order there are', () => {
    expect(plan('task', [['id', id]])).toEqual({ by: 'id', id });
    expect(
      plan(
        'task',
        [
          ['name', 'Build'],
          ['status', 'open'],
          ['projectId', otherId],
          ['id', id],
        ],
        'name',
      ),
    ).toEqual({ by: 'id', id });
  });

  describe('reads nothing', () => {
    test.each([
      ['an empty id', 'id', ''],
      ['an id of 2,000 characters', 'id', 'x'.repeat(2_000)],
      ['an id in upper case', 'id', '018A0000-0000-7000-8000-000000000001'],
      ['an empty project id', 'projectId', ''],
      ['a project id with a separator', 'projectId', `${id}#`],
      ['a user id that is no id', 'userId', 'not an id'],
      ['a tag id that is no id', 'tagIds', 'not an id'],
      ['two tag ids', 'tagIds', `${id},${otherId}`],
      ['an empty status', 'status', ''],
      ['a status with a separator', 'status', 'a#b'],
      ['a status of 65 characters', 'status', 'x'.repeat(65)],
    ])('for %s, which no entity can have', (_, field, value) => {
      expect(plan('task', [[field, value]])).toEqual({ by: 'nothing' });
    });

    test('when one of several filters cannot match, in any order of the list', () => {
      const status = ['status', 'a#b'] as const;
      expect(plan('task', [['projectId', id], status])).toEqual({ by: 'nothing' });
      expect(plan('task', [['id', id], status])).toEqual({ by: 'nothing' });
      expect(plan('task', [['name', 'Build'], status], 'name')).toEqual({ by: 'nothing' });
    });
  });
});

describe('reachableIndexes', () => {
  const parentIndexes = ['all', 'all-by-status', 'parent', 'parent-by-status'];

  test.each([
    ['organization', ['all', 'all-by-status']],
    ['project', parentIndexes],
    ['user', parentIndexes],
    ['tag', parentIndexes],
    [
      'task',
      ['all', 'all-by-status', 'other-parent', 'other-parent-by-status', 'parent', 'parent-by-status'],
    ],
  ] as const)('returns the indexes that lists of the kind %s read', (kind, indexes) => {
    expect(reachableIndexes(kind)).toEqual(indexes);
  });

  test.each([
    ['project', 'organizationId', ['parent', 'parent-by-status']],
    ['user', 'organizationId', ['parent', 'parent-by-status']],
    ['task', 'projectId', ['parent', 'parent-by-status']],
    ['task', 'userId', ['other-parent', 'other-parent-by-status', 'parent']],
    ['task', 'tagIds', ['other-parent', 'parent']],
  ] as const)(
    'returns the indexes that the list of the kind %s nested by %s reads',
    (kind, field, indexes) => {
      expect(reachableIndexes(kind, field)).toEqual(indexes);
    },
  );
});

/** The fields of filters that decide the plan, and one that never does. */
const filterSets = (kind: Kind): ListQuery['filters'][] => {
  const fields = ['id', 'status', 'name', ...referencesOf(kind).map(({ field }) => field)];
  const textOf = (field: string): string => ({ status: 'open', name: 'Build' })[field] ?? id;
  return Array.from({ length: 2 ** fields.length }, (_, bits) =>
    fields.filter((_field, place) => bits & (1 << place)).map((field) => [field, textOf(field)] as const),
  );
};

test.each(['organization', 'project', 'user', 'task', 'tag'] as const)(
  'every plan of a list of the kind %s reads an index that its function may query',
  (kind) => {
    for (const filters of filterSets(kind)) {
      const nestings = [undefined, ...referencesOf(kind).map(({ field }) => field)].filter(
        (nestedBy) => nestedBy === undefined || filters.some(([field]) => field === nestedBy),
      );
      for (const sortBy of ['createdAt', 'id', 'name']) {
        const planned = plan(kind, filters, sortBy);
        if (planned.by !== 'counted-index') continue;
        const { family, status } = planned.listing;
        const index = status === undefined ? family : `${family}-by-status`;
        for (const nestedBy of nestings) expect(reachableIndexes(kind, nestedBy)).toContain(index);
      }
    }
  },
);
