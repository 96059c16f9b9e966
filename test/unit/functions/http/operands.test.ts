import {
  day,
  nullable,
  oneOf,
  reference,
  references,
  text,
  withDefault,
} from '#functions/contract/fields.ts';
import type { ListOperator } from '#functions/contract/list-fields.ts';
import { commonFields, resource } from '#functions/contract/resource.ts';
import { InvalidOperand, toFilter } from '#functions/http/operands.ts';

const project = resource({ kind: 'project', plural: 'projects', fields: commonFields });
const tag = resource({ kind: 'tag', plural: 'tags', fields: commonFields });

const { listFields } = resource({
  kind: 'task',
  plural: 'tasks',
  fields: {
    ...commonFields,
    description: withDefault(text(10_000), ''),
    priority: withDefault(oneOf(['none', 'low', 'high']), 'none'),
    projectId: nullable(reference(project)),
    dueDate: nullable(day()),
    tagIds: withDefault(references(tag, 50), []),
  },
});

function filterOf(field: string, operator: ListOperator, ...values: string[]): [string, ...string[]] {
  const filter = toFilter(listFields[field] as never, operator, values);
  expect(filter.field).toBe(field);
  return [filter.operator, ...filter.values];
}

describe('toFilter', () => {
  test('leaves texts as they are', () => {
    expect(filterOf('name', 'contains', 'A, b')).toEqual(['contains', 'A, b']);
    expect(filterOf('status', 'lt', '')).toEqual(['lt', '']);
    expect(filterOf('projectId', 'ne', 'unknown')).toEqual(['ne', 'unknown']);
  });

  test('accepts 100 values and refuses 101', () => {
    const values = Array.from({ length: 101 }, (_, number) => `v${number}`);
    expect(filterOf('name', 'notIn', ...values.slice(1))).toHaveLength(101);
    expect(() => filterOf('name', 'notIn', ...values)).toThrow(
      new InvalidOperand('has 101 values; at most 100 are allowed.'),
    );
  });

  test.each<[ListOperator, string, string[]]>([
    ['lt', 'low', ['none']],
    ['lte', 'low', ['none', 'low']],
    ['gt', 'low', ['high']],
    ['gte', 'low', ['low', 'high']],
    ['lt', 'none', []],
    ['gt', 'high', []],
  ])('compares an enumeration by rank: %s %s', (operator, value, values) => {
    expect(filterOf('priority', operator, value)).toEqual(['in', ...values]);
  });

  test('leaves values of an enumeration that it does not have: nothing equals them', () => {
    expect(filterOf('priority', 'in', 'hgih')).toEqual(['in', 'hgih']);
  });

  test.each<[ListOperator, string, string, string]>([
    ['lt', '2026-03-02T09:15:27.318Z', 'lt', '2026-03-02T09:15:27.318Z'],
    ['gt', '2026-03-02T09:15:27Z', 'gt', '2026-03-02T09:15:27.000Z'],
    ['gte', '2026-03-02T09:15:27', 'gte', '2026-03-02T09:15:27.000Z'],
    ['lte', '2026-03-02t09:15:27.5z', 'lte', '2026-03-02T09:15:27.500Z'],
    ['ne', '2026-03-02T01:15:27+02:00', 'ne', '2026-03-01T23:15:27.000Z'],
    ['in', '2026-03-02T23:15:27.318-01:30', 'in', '2026-03-03T00:45:27.318Z'],
    ['lt', '2026-03-02T09:15:27.318 02:00', 'lt', '2026-03-02T07:15:27.318Z'],
    ['gt', '0000-01-01T00:00:00+01:00', 'gt', '0000-01-01T00:00:00.000Z'],
    ['lt', '9999-12-31T23:59:59-01:00', 'lt', '9999-12-31T23:59:59.999Z'],
    // Between two milliseconds.
    ['lt', '2026-03-02T09:15:27.3185Z', 'lte', '2026-03-02T09:15:27.318Z'],
    ['lte', '2026-03-02T09:15:27.3185Z', 'lte', '2026-03-02T09:15:27.318Z'],
    ['gt', '2026-03-02T09:15:27.3185Z', 'gt', '2026-03-02T09:15:27.318Z'],
    ['gte', '2026-03-02T09:15:27.3185Z', 'gt', '2026-03-02T09:15:27.318Z'],
    ['gte', '2026-03-02T09:15:27.318000Z', 'gte', '2026-03-02T09:15:27.318Z'],
  ])('compares times in time: %s %s', (operator, time, expected, value) => {
    expect(filterOf('updatedAt', operator, time)).toEqual([expected, value]);
  });

  test('finds no time between two milliseconds', () => {
    expect(filterOf('createdAt', 'ne', '2026-03-02T09:15:27.3185Z')).toEqual(['notIn']);
    expect(filterOf('createdAt', 'in', '2026-03-02T09:15:27.3185Z', '2026-03-02T09:15:27Z')).toEqual([
      'in',
      '2026-03-02T09:15:27.000Z',
    ]);
  });

  test.each([
    'yesterday',
    '',
    '2026-03-02',
    '2026-02-30T00:00:00Z',
    '2026-03-02T24:00:00Z',
    '2026-03-02T09:60:00Z',
    '2026-03-02T09:15:60Z',
    '2026-03-02T09:15:27+24:00',
    '2026-03-02T09:15:27+02:60',
    '2026-03-02T09:15Z',
    '+2026-03-02T09:15:27Z',
  ])('refuses the time %j', (time) => {
    expect(() => filterOf('updatedAt', 'gt', time)).toThrow(
      new InvalidOperand(
        `must be a time such as 2026-03-02T09:15:27Z or 2026-03-02T10:15:27.318+01:00: ${JSON.stringify(time)} is not.`,
      ),
    );
  });

  test.each([
    ['dueDate', 'lt', '2026-02-30', 'must be a day that exists, as YYYY-MM-DD: "2026-02-30" is not.'],
    ['dueDate', 'in', '', 'must be a day that exists, as YYYY-MM-DD: "" is not.'],
    ['dueDate', 'isNull', 'yes', 'must be true or false: "yes" is not.'],
    ['tagIds', 'isEmpty', '', 'must be true or false: "" is not.'],
    ['priority', 'gt', 'hgih', 'has no rank "hgih". Did you mean "high"?'],
    ['description', 'startsWith', 'a'.repeat(101), 'must have at most 100 characters.'],
  ] as const)('refuses %s[%s]=%s', (field, operator, value, message) => {
    expect(() => filterOf(field, operator, value)).toThrow(new InvalidOperand(message));
  });

  test('compares the beginning of a long text with up to 100 characters', () => {
    expect(filterOf('description', 'startsWith', '😀'.repeat(100))[1]).toHaveLength(200);
    expect(filterOf('description', 'in', 'a'.repeat(101))).toEqual(['in', 'a'.repeat(101)]);
  });
});
