import { planQuery, reachableIndexes } from '../../../../../../functions/shared/store/lists/query-plan.ts';
import type { Filter, ListQuery } from '../../../../../../functions/shared/store/model/list-query.ts';
import { type Kind, referencesOf } from '../../../../../../functions/shared/store/model/relations.ts';
import { isValue, listQuery, sortedBy } from '../../../../../support/list-queries.ts';

const id = '01890000-0000-7000-8000-000000000001';
const otherId = '01890000-0000-7000-8000-000000000002';

type Pairs = readonly (readonly [field: string, value: string])[];

const plan = (kind: Kind, pairs: Pairs, sortBy = 'createdAt', more: Partial<ListQuery> = {}) =>
  planQuery(
    'acme',
    kind,
    listQuery({
      filters: pairs.map(([field, value]) => isValue(field, value)),
      sort: sortedBy(sortBy),
      ...more,
    }),
  );

describe('planQuery', () => {
  const listed = (listing: object, parent?: object) => ({ by: 'engine', listing, parent });
  const ofProject = {
    family: 'parent',
    partition: `acme#task#projectId#${id}`,
    field: 'projectId',
    parentId: id,
  };

  describe('in the order of creation, an index has the entities of a page next to each other', () => {
    test.each(['createdAt', 'id'])('of all entities of a kind, by %s', (sortBy) => {
      expect(plan('task', [], sortBy)).toEqual(
        listed({ family: 'all', partition: 'acme#task', status: undefined }),
      );
    });

    test('of one status of a kind', () => {
      expect(plan('organization', [['status', 'archived']])).toEqual(
        listed({ family: 'all', partition: 'acme#organization', status: 'archived' }),
      );
    });

    test.each([
      ['project', 'organizationId', 'parent'],
      ['user', 'organizationId', 'parent'],
      ['tag', 'organizationId', 'parent'],
      ['task', 'projectId', 'parent'],
      ['task', 'userId', 'other-parent'],
    ] as const)('of the children of one parent, for %s.%s', (kind, field, family) => {
      const index = { family, partition: `acme#${kind}#${field}#${id}` };
      expect(plan(kind, [[field, id]])).toEqual(
        listed({ ...index, status: undefined }, { ...index, field, parentId: id }),
      );
    });

    test('of one status of the children of one parent, in any order of the filters', () => {
      const index = { family: 'other-parent', partition: `acme#task#userId#${id}` };
      const planned = listed({ ...index, status: 'open' }, { ...index, field: 'userId', parentId: id });
      const status = ['status', 'open'] as const;
      const user = ['userId', id] as const;
      expect(plan('task', [status, user])).toEqual(planned);
      expect(plan('task', [user, status])).toEqual(planned);
    });

    test('of a filter that is repeated with the same value', () => {
      const project = ['projectId', id] as const;
      const { field: _, parentId: __, ...index } = ofProject;
      expect(plan('task', [project, project])).toEqual(listed({ ...index, status: undefined }, ofProject));
    });
  });

  describe('no index has them next to each other', () => {
    const byEngine = { by: 'engine', listing: undefined, parent: undefined };
    const withParent = { by: 'engine', listing: undefined, parent: ofProject };

    test.each(['name', 'status', 'priority', 'dueDate', 'updatedAt', 'projectId'])(
      'in a list that is sorted by %s',
      (sortBy) => {
        expect(plan('task', [], sortBy)).toEqual(byEngine);
        expect(plan('task', [['projectId', id]], sortBy)).toEqual(withParent);
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
      ).toEqual(withParent);
    });

    test('two parents', () => {
      expect(
        plan('task', [
          ['projectId', id],
          ['userId', otherId],
        ]),
      ).toEqual(withParent);
    });

    test.each<Filter>([
      { field: 'status', operator: 'ne', values: ['done'] },
      { field: 'projectId', operator: 'in', values: [id] },
      { field: 'projectId', operator: 'ne', values: [otherId] },
      { field: 'id', operator: 'lt', values: [id] },
    ])('the operator of %j, alone and with a parent', (filter) => {
      expect(plan('task', [], 'createdAt', { filters: [filter] })).toEqual(byEngine);
      const filters = [filter, isValue('projectId', id)];
      expect(plan('task', [], 'createdAt', { filters })).toEqual(withParent);
    });

    test('counts of values', () => {
      expect(plan('task', [], 'createdAt', { countBy: ['status'] })).toEqual(byEngine);
      expect(plan('task', [['projectId', id]], 'createdAt', { countBy: ['status'] })).toEqual(withParent);
    });

    test('two values of an array, which both must hold', () => {
      expect(
        plan('task', [
          ['tagIds', otherId],
          ['tagIds', id],
        ]),
      ).toEqual(byEngine);
    });
  });

  test('of several sort fields, an index serves those that begin with the id', () => {
    const listingOf = (...fields: string[]) =>
      (plan('task', [], '', { sort: fields.flatMap((field) => sortedBy(field)) }) as { listing?: object })
        .listing;
    expect(listingOf('id', 'name')).toMatchObject({ family: 'all' });
    expect(listingOf('createdAt', 'createdAt')).toMatchObject({ family: 'all' });
    // Entities of one millisecond are in the order of names, which no index has.
    expect(listingOf('createdAt', 'name')).toBeUndefined();
    expect(listingOf('name', 'createdAt')).toBeUndefined();
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

    test('for two values of one field', () => {
      for (const field of ['id', 'projectId']) {
        expect(
          plan('task', [
            [field, id],
            [field, otherId],
          ]),
        ).toEqual({ by: 'nothing' });
      }
      expect(
        plan('task', [
          ['name', 'a'],
          ['name', 'b'],
        ]),
      ).toEqual({ by: 'nothing' });
    });

    test.each(['status', 'tagIds', 'id'])('for none of the values of %s', (field) => {
      const filters: Filter[] = [{ field, operator: 'in', values: [] }];
      expect(plan('task', [], 'name', { filters })).toEqual({ by: 'nothing' });
      const others: Filter[] = [{ field, operator: 'notIn', values: [] }];
      expect(plan('task', [], 'name', { filters: others })).toMatchObject({ by: 'engine' });
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
const filterSets = (kind: Kind): Pairs[] => {
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
        if (planned.by !== 'engine' || !planned.listing) continue;
        const { family, status } = planned.listing;
        const index = status === undefined ? family : `${family}-by-status`;
        for (const nestedBy of nestings) expect(reachableIndexes(kind, nestedBy)).toContain(index);
      }
    }
  },
);
