import { day, nullable, references, withDefault } from '#functions/contract/fields.ts';
import { commonFields, resource } from '#functions/contract/resource.ts';
import { checkFilterName, readFilters, splitName } from '#functions/http/parse-filters.ts';
import type { ValidationIssue } from '#functions/http/problems.ts';

const tag = resource({ kind: 'tag', plural: 'tags', fields: commonFields });
const { listFields } = resource({
  kind: 'task',
  plural: 'tasks',
  fields: {
    ...commonFields,
    dueDate: nullable(day()),
    tagIds: withDefault(references(tag, 50), []),
  },
});

test.each([
  ['dueDate', { field: 'dueDate' }],
  ['dueDate[lt]', { field: 'dueDate', operator: 'lt' }],
  ['dueDate[]', { field: 'dueDate', operator: '' }],
  ['dueDate[lt', { field: 'dueDate[lt' }],
  ['[lt]', { field: '', operator: 'lt' }],
  ['dueDate[a][b]', { field: 'dueDate', operator: 'a][b' }],
])('the parameter %s names a field and an operator', (parameter, name) => {
  expect(splitName(parameter)).toEqual(name);
});

describe('checkFilterName', () => {
  const check = (parameter: string) => checkFilterName(parameter, listFields, ['page', 'dueDate']);

  test('accepts the operators of the field, and none', () => {
    expect(['dueDate', 'dueDate[isNull]', 'name[contains]', 'tagIds[all]'].map(check)).toEqual(
      Array(4).fill(undefined),
    );
  });

  const takes = '"dueDate" (date) takes ne, in, notIn, lt, lte, gt, gte, isNull.';

  test.each([
    ['dueDate[before]', `"before" is not an operator of this field. Did you mean "lt"? ${takes}`],
    ['dueDate[gtee]', `"gtee" is not an operator of this field. Did you mean "gte"? ${takes}`],
    ['dueDate[contains]', `"contains" is not an operator of this field. ${takes}`],
    ['dueDate[like]', `"like" is not an operator of this field. ${takes}`],
    ['dueDate[notin]', `"notin" is not an operator of this field. Did you mean "notIn"? ${takes}`],
    ['dueDate[is_null]', `"is_null" is not an operator of this field. Did you mean "isNull"? ${takes}`],
    [
      'dueDate[exists]',
      `"exists" is not an operator of this field. Did you mean "dueDate[isNull]=false"? ${takes}`,
    ],
    [
      'dueDate[not_null]',
      `"not_null" is not an operator of this field. Did you mean "dueDate[isNull]=false"? ${takes}`,
    ],
    [
      'tagIds[exists]',
      '"exists" is not an operator of this field. Did you mean "tagIds[isEmpty]=false"? "tagIds" (list of references) takes in, all, isEmpty.',
    ],
    [
      'name[exists]',
      '"exists" is not an operator of this field. "name" (text) takes ne, in, notIn, startsWith, contains, lt, lte, gt, gte.',
    ],
    ['due_date[exists]', '"due_date[exists]" is not a parameter here. Did you mean "dueDate[isNull]=false"?'],
    ['dueDate[eq]', `An exact match has no operator: dueDate=value. ${takes}`],
    ['dueDate[__proto__]', `"__proto__" is not an operator of this field. ${takes}`],
    [
      'tagIds[ne]',
      '"ne" is not an operator of this field. "tagIds" (list of references) takes in, all, isEmpty.',
    ],
    [
      'name[isNull]',
      '"isNull" is not an operator of this field. "name" (text) takes ne, in, notIn, startsWith, contains, lt, lte, gt, gte.',
    ],
    ['dueDat[lt]', '"dueDat[lt]" is not a parameter here. Did you mean "dueDate[lt]"?'],
    ['dueDate[>]', `">" is not an operator of this field. Did you mean "gt"? ${takes}`],
    ['dueDate[!=]', `"!=" is not an operator of this field. Did you mean "ne"? ${takes}`],
    ['dueDate[==]', `An exact match has no operator: dueDate=value. ${takes}`],
    [
      'dueDate[between]',
      `"between" is not an operator of this field. A range has two filters: dueDate[gte] and dueDate[lte]. ${takes}`,
    ],
    [
      'tagIds[contains]',
      '"contains" is not an operator of this field. Did you mean "all"? "tagIds" (list of references) takes in, all, isEmpty.',
    ],
    ['page[size]', '"page[size]" is not a parameter here. Allowed: page, dueDate.'],
    ['constructor[lt]', '"constructor[lt]" is not a parameter here. Allowed: page, dueDate.'],
  ])('refuses %s', (parameter, detail) => {
    expect(check(parameter)).toBe(detail);
  });
});

describe('readFilters', () => {
  test('returns filters in the order of the fields, several of one field among them', () => {
    const issues: ValidationIssue[] = [];
    const parameters = new Map([
      ['tagIds[all]', ['1', '2']],
      ['page', ['1']],
      ['dueDate[lt]', ['2026-03-20']],
      ['name', ['a,b']],
      ['dueDate[gte]', ['2026-03-01']],
    ]);
    expect(readFilters(parameters, listFields, issues)).toEqual([
      { field: 'name', operator: 'eq', values: ['a,b'] },
      { field: 'dueDate', operator: 'lt', values: ['2026-03-20'] },
      { field: 'dueDate', operator: 'gte', values: ['2026-03-01'] },
      { field: 'tagIds', operator: 'all', values: ['1', '2'] },
    ]);
    expect(issues).toEqual([]);
  });

  test('names the parameters whose values cannot be compared', () => {
    const issues: ValidationIssue[] = [];
    const parameters = new Map([
      ['dueDate[lt]', ['today']],
      ['dueDate[isNull]', ['no']],
    ]);
    readFilters(parameters, listFields, issues);
    expect(issues).toEqual([
      {
        parameter: 'dueDate[lt]',
        detail: '"dueDate[lt]" must be a day that exists, as YYYY-MM-DD: "today" is not.',
      },
      { parameter: 'dueDate[isNull]', detail: '"dueDate[isNull]" must be true or false: "no" is not.' },
    ]);
  });

  test('accepts 20 filters and refuses 21', () => {
    const of = (field: string, operators: string[]) => operators.map((operator) => `${field}[${operator}]`);
    const names = [
      ...Object.keys(listFields),
      ...of('name', ['ne', 'in', 'notIn', 'lt', 'lte', 'gt', 'gte', 'startsWith', 'contains']),
      ...of('status', ['ne', 'in', 'notIn', 'lt', 'lte']),
    ];
    const parameters = (count: number) => new Map(names.slice(0, count).map((name) => [name, ['x']]));
    for (const [count, expected] of [
      [20, []],
      [
        21,
        [
          expect.objectContaining({
            detail:
              'The query has 21 filters; at most 20 are allowed. This is the first one above the limit.',
            parameter: names[20],
          }),
        ],
      ],
    ] as const) {
      const issues: ValidationIssue[] = [];
      const chosen = parameters(count);
      expect(chosen.size).toBe(count);
      readFilters(chosen, listFields, issues);
      expect(issues).toEqual(expected);
    }
  });
});
