import { routes } from '#functions/routes.ts';
import { isText } from '#functions/store/lists/engine/read/row-filter.ts';
import { planQuery } from '#functions/store/lists/query-plan.ts';
import type { Filter, ListQuery } from '#functions/store/model/list-query.ts';
import { type Kind, referencesOf } from '#functions/store/model/relations.ts';
import { accessOf } from '#lib/infrastructure/table-access.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';

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
  const byIndex = (pageIndex: object) => ({ by: 'engine', pageIndex: { prefix: '', ...pageIndex } });
  const byKey = { by: 'engine', pageIndex: undefined };
  const ofProject = { index: 'by-parent', partition: `acme#task#projectId#${id}` };
  /** The index has other tasks of the project between those of a page. */
  const amongOthers = byIndex({ ...ofProject, all: isText('projectId', id) });

  describe('in the order of creation, an index has exactly the entities of a page', () => {
    test.each(['createdAt', 'id'])('of all entities of a kind, by %s', (sortBy) => {
      expect(plan('task', [], sortBy)).toEqual(byIndex({ index: 'by-creation', partition: 'acme#task' }));
    });

    test('of one status of a kind', () => {
      expect(plan('organization', [['status', 'archived']])).toEqual(
        byIndex({ index: 'by-status', partition: 'acme#organization', prefix: 'archived#' }),
      );
    });

    test.each([
      ['project', 'organizationId'],
      ['user', 'organizationId'],
      ['tag', 'organizationId'],
      ['task', 'projectId'],
    ] as const)('of the children of one parent, for %s.%s', (kind, field) => {
      expect(plan(kind, [[field, id]])).toEqual(
        byIndex({ index: 'by-parent', partition: `acme#${kind}#${field}#${id}` }),
      );
    });

    test('of a filter that is repeated with the same value', () => {
      const project = ['projectId', id] as const;
      expect(plan('task', [project, project])).toEqual(byIndex(ofProject));
    });

    test.each<Filter>([
      { field: 'id', operator: 'gt', values: [id] },
      { field: 'id', operator: 'lte', values: [id] },
      { field: 'createdAt', operator: 'gte', values: ['2026-01-01T00:00:00.000Z'] },
      { field: 'createdAt', operator: 'eq', values: ['2026-01-01T00:00:00.000Z'] },
    ])('of the range of %j, alone and with a parent', (filter) => {
      expect(plan('task', [], 'createdAt', { filters: [filter] })).toMatchObject({
        pageIndex: { index: 'by-creation' },
      });
      const filters = [filter, isValue('projectId', id)];
      expect(plan('task', [], 'createdAt', { filters })).toEqual(byIndex(ofProject));
    });

    test('with counts of values', () => {
      expect(plan('task', [['projectId', id]], 'createdAt', { countBy: ['status'] })).toEqual(
        byIndex(ofProject),
      );
    });

    test('of several sort fields that begin with the order of creation', () => {
      const pageIndexOf = (...fields: string[]) => {
        const planned = plan('task', [], '', { sort: fields.flatMap((field) => sortedBy(field)) });
        return planned.by === 'engine' ? planned.pageIndex?.index : planned;
      };
      expect(pageIndexOf('id', 'name')).toBe('by-creation');
      expect(pageIndexOf('createdAt', 'name')).toBe('by-creation');
      expect(pageIndexOf('name', 'createdAt')).toBeUndefined();
    });
  });

  describe('an index has other entities between those of a page', () => {
    test.each(['name', 'status', 'priority', 'dueDate', 'updatedAt', 'projectId'])(
      'in a list that is sorted by %s',
      (sortBy) => {
        expect(plan('task', [], sortBy)).toEqual(byKey);
        expect(plan('task', [['projectId', id]], sortBy)).toEqual(amongOthers);
      },
    );

    test.each([
      ['name', 'Build'],
      ['priority', 'high'],
      ['userId', otherId],
      ['tagIds', id],
    ] as const)('a filter by %s, alone and with a parent', (field, value) => {
      expect(plan('task', [[field, value]])).toEqual(byKey);
      const filters = [
        [field, value],
        ['projectId', id],
      ] as const;
      expect(plan('task', filters)).toEqual(amongOthers);
    });

    test('a filter by a status and a parent', () => {
      const filters = [
        ['status', 'open'],
        ['projectId', id],
      ] as const;
      expect(plan('task', filters)).toEqual(amongOthers);
    });

    test.each<Filter>([
      { field: 'status', operator: 'ne', values: ['done'] },
      { field: 'projectId', operator: 'in', values: [id] },
      { field: 'projectId', operator: 'ne', values: [otherId] },
      { field: 'id', operator: 'ne', values: [id] },
    ])('the operator of %j, alone and with a parent', (filter) => {
      expect(plan('task', [], 'createdAt', { filters: [filter] })).toEqual(byKey);
      const filters = [filter, isValue('projectId', id)];
      expect(plan('task', [], 'createdAt', { filters })).toEqual(amongOthers);
    });

    test('two values of an array, which both must hold', () => {
      const filters = [
        ['tagIds', otherId],
        ['tagIds', id],
      ] as const;
      expect(plan('task', filters)).toEqual(byKey);
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
    const lists = routes
      .map(({ contract }) => contract)
      .filter(({ success, resource }) => success === 'list' && resource?.kind === kind);
    expect(lists.length).toBeGreaterThan(0);
    const used = new Set<string>();
    for (const filters of filterSets(kind)) {
      const own = lists.filter(
        ({ nestedBy }) => nestedBy === undefined || filters.some(([field]) => field === nestedBy),
      );
      for (const sortBy of ['createdAt', 'id', 'name']) {
        const planned = plan(kind, filters, sortBy);
        if (planned.by !== 'engine' || !planned.pageIndex) continue;
        const { index } = planned.pageIndex;
        used.add(index);
        for (const contract of own) expect(accessOf(contract).indexes).toContain(index);
      }
    }
    const [whole] = lists.filter(({ nestedBy }) => nestedBy === undefined);
    expect([...used].sort()).toEqual([...((whole && accessOf(whole).indexes) ?? [])].sort());
  },
);
