import type { FilterOperator } from '#functions/engine/model/list-query.ts';
import { expectParameter, type Problem } from '../problem.ts';
import { readList, resources } from '../resources.ts';
import { inParallel, request, withQuery } from '../service.ts';

/** Operators in lists: `field[operator]=value`. */

const orderOperators = ['lt', 'lte', 'gt', 'gte'] as const;
const comparing: readonly FilterOperator[] = ['ne', 'in', 'notIn', ...orderOperators];

/** The operators of a field, without `isNull`. */
function operatorsOf(field: string): readonly FilterOperator[] {
  if (field.endsWith('Ids')) return ['in', 'all', 'isEmpty'];
  if (field === 'description') return ['ne', 'in', 'notIn', 'startsWith'];
  const isOther =
    /(?:Date|At|Id)$/.test(field) || ['id', 'priority', 'estimate', 'number', 'visibility'].includes(field);
  return isOther ? comparing : [...comparing, 'startsWith', 'contains'];
}

const allOperators = [...comparing, 'startsWith', 'contains', 'isNull', 'all', 'isEmpty'] as const;

/** Every field of every resource, with the operators that it takes. */
const filterFields = resources.flatMap(({ kind, path, scalarFields, nullable, references }) => {
  const arrays = references.filter(({ many }) => many).map(({ field }) => field);
  return [...scalarFields, ...arrays].map((field) => ({
    kind,
    path,
    field,
    operators: [...operatorsOf(field), ...(nullable.includes(field) ? (['isNull'] as const) : [])],
  }));
});

const isDate = (field: string): boolean => field.endsWith('Date');
const isTime = (field: string): boolean => field.endsWith('At');

function validValue(field: string, operator: string): string {
  if (operator === 'isNull' || operator === 'isEmpty') return 'true';
  if (isDate(field)) return '2026-01-01';
  if (isTime(field)) return '2026-01-01T00:00:00.000Z';
  if (field === 'estimate' || field === 'number') return '2.5';
  if (field === 'visibility') return 'members';
  return field === 'priority' ? 'high' : 'value';
}

const messageOf = (problem: Problem): string =>
  [problem.detail, ...(problem.errors ?? []).map(({ detail }) => detail)].join('\n');

describe.each(filterFields)('$field of a $kind', ({ path, field, operators }) => {
  test('returns 400 with the operators that it takes for any other one', async () => {
    const others = allOperators.filter((operator) => !operators.includes(operator));
    await inParallel(others, async (operator) => {
      const parameter = `${field}[${operator}]`;
      const value = validValue(field, operator);
      const problem = expectParameter(
        await request('GET', withQuery(path, { [parameter]: value })),
        parameter,
      );
      const message = messageOf(problem);
      for (const known of operators) {
        expect([parameter, message, new RegExp(`\\b${known}\\b`).test(message)]).toEqual([
          parameter,
          message,
          true,
        ]);
      }
    });
  });
});

describe('operators with a wrong name', () => {
  test.each(['name[NE]', 'userId[isnull]', 'name[constructor]', 'page[ne]', 'sortBy[in]', 'email[ne]'])(
    'return 400 with the parameter for %s',
    async (parameter) => {
      expectParameter(await request('GET', withQuery('/v1/tasks', { [parameter]: '1' })), parameter);
    },
  );

  test('return 400 with the nearest field for an unknown field', async () => {
    const response = await request('GET', '/v1/tasks?pririty[ne]=high');
    expect(messageOf(expectParameter(response, 'pririty[ne]'))).toMatch(/\bpriority\b/);
  });
});

describe('values that an operator cannot use', () => {
  const rows = [
    ...comparing.map((operator) => ['dueDate', operator, '2026-02-30'] as const),
    ...comparing.map((operator) => ['updatedAt', operator, '2026-01-01T25:00:00Z'] as const),
    ...['', '2026-1-1', '2026-01-01T00:00:00Z', ' 2026-01-01'].map(
      (value) => ['dueDate', 'lt', value] as const,
    ),
    ...['', '2026-02-30T00:00:00Z', '1767225600000'].map((value) => ['updatedAt', 'lt', value] as const),
    ...orderOperators.map((operator) => ['priority', operator, 'HIGH'] as const),
    ['dueDate', 'isNull', ''],
    ['userId', 'isNull', '1'],
    ['tagIds', 'isEmpty', 'null'],
  ] as const;

  test.each(rows)('return 400 with the parameter for %s[%s]=%j', async (field, operator, value) => {
    const parameter = `${field}[${operator}]`;
    expectParameter(await request('GET', withQuery('/v1/tasks', { [parameter]: value })), parameter);
  });

  test.each(['2026-01-01,never', '2026-01-01,'])(
    'return 400 for one invalid date among others: %s',
    async (value) => {
      expectParameter(await request('GET', withQuery('/v1/tasks', { 'dueDate[in]': value })), 'dueDate[in]');
    },
  );

  test.each(['name[ne]=a&name[ne]=b', 'userId[isNull]=true&userId[isNull]=false'])(
    'return 400 when the operator occurs twice with different values: %s',
    async (query) => {
      expectParameter(await request('GET', `/v1/tasks?${query}`), query.slice(0, query.indexOf('=')));
    },
  );
});

test('description[startsWith] takes at most 100 characters', async () => {
  const path = withQuery('/v1/tasks', { 'description[startsWith]': 'x'.repeat(101) });
  expectParameter(await request('GET', path), 'description[startsWith]');
});

describe('a value that the field can never have', () => {
  test.each([
    ['dueDate', 'never'],
    ['createdAt', '2026-01-01'],
    ['priority', 'unknown'],
    ['tagIds', 'unknown'],
    ['dueDate', ''],
  ])('finds nothing without an operator: %s=%s', async (field, value) => {
    expect(await readList(withQuery('/v1/tasks', { [field]: value }))).toMatchObject({ data: [], total: 0 });
  });
});
