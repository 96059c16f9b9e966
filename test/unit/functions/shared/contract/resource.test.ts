import {
  color,
  label,
  nullable,
  oneOf,
  reference,
  references,
  text,
  withDefault,
} from '../../../../../functions/shared/contract/fields.ts';
import { bodyFields, commonFields, resource } from '../../../../../functions/shared/contract/resource.ts';

const sample = resource({
  kind: 'task',
  plural: 'tasks',
  fields: {
    ...commonFields,
    description: withDefault(text(10_000), ''),
    priority: withDefault(oneOf(['none', 'low', 'high']), 'none'),
    color: withDefault(color(), '#808080'),
    subtitle: nullable(label(255)),
    summary: label(256),
    projectId: reference('project'),
    tagIds: withDefault(references('tag', 50), []),
  },
});

const sortValue = (field: string, stored: unknown) => {
  const sortValueOfField = sample.sortValues[field];
  if (!sortValueOfField) throw new Error(`There is no sort value of ${field}.`);
  return sortValueOfField(stored);
};

test('a resource names its fields in the order of responses', () => {
  const names = [
    'id',
    'name',
    'status',
    'description',
    'priority',
    'color',
    'subtitle',
    'summary',
    'projectId',
    'tagIds',
    'createdAt',
    'updatedAt',
  ];
  expect(sample.fieldNames).toEqual(names);
  expect(sample.filters).toEqual(names);
});

test('a resource sorts by all fields but arrays', () => {
  expect(sample.sorts).toEqual([
    'id',
    'name',
    'status',
    'description',
    'priority',
    'color',
    'subtitle',
    'summary',
    'projectId',
    'createdAt',
    'updatedAt',
  ]);
});

test('a body has the fields that callers set, and may have those that only the store sets', () => {
  expect(
    bodyFields(resource({ kind: 'organization', plural: 'organizations', fields: commonFields })),
  ).toEqual({
    writable: ['name', 'status'],
    ignored: ['id', 'createdAt', 'updatedAt'],
  });
});

describe('sort values', () => {
  test('of an enumeration are ranks', () => {
    expect(['none', 'low', 'high'].map((value) => sortValue('priority', value))).toEqual([0, 1, 2]);
  });

  test('of an enumeration without a value are the rank of the default', () => {
    expect([undefined, null].map((value) => sortValue('priority', value))).toEqual([0, 0]);
  });

  test('of an unknown value of an enumeration are below all ranks', () => {
    expect(sortValue('priority', 'urgent')).toBe(-1);
  });

  test('of a text are the whole text, up to 255 characters', () => {
    expect(sortValue('name', 'a'.repeat(255))).toBe('a'.repeat(255));
    expect(sortValue('subtitle', 'a'.repeat(255))).toBe('a'.repeat(255));
    expect(sortValue('projectId', 'a'.repeat(255))).toBe('a'.repeat(255));
  });

  test('of a field that can be longer are the first 100 characters', () => {
    expect(sortValue('description', 'short')).toBe('short');
    expect(sortValue('description', `${'a'.repeat(100)}b`)).toBe('a'.repeat(100));
    expect(sortValue('summary', `${'a'.repeat(100)}b`)).toBe('a'.repeat(100));
  });

  test('of a long text never end in half a character', () => {
    expect(sortValue('description', '😀'.repeat(101))).toBe('😀'.repeat(100));
    expect(sortValue('description', `a${'😀'.repeat(200)}`)).toBe(`a${'😀'.repeat(99)}`);
  });

  test('of a missing value are the default', () => {
    expect(sortValue('description', undefined)).toBe('');
    expect(sortValue('color', undefined)).toBe('#808080');
    expect(sortValue('color', null)).toBe('#808080');
    expect(sortValue('status', undefined)).toBe('active');
  });

  test.each([undefined, null])('of a field that can be null are undefined for %s', (stored) => {
    expect(sortValue('subtitle', stored)).toBeUndefined();
  });

  test('of a field without a default are undefined when the value is missing', () => {
    expect(sortValue('projectId', undefined)).toBeUndefined();
  });

  test('of fields that only the store sets are not defined: lists sort by the stored value', () => {
    expect(Object.keys(sample.sortValues)).toEqual([
      'name',
      'status',
      'description',
      'priority',
      'color',
      'subtitle',
      'summary',
      'projectId',
      'tagIds',
    ]);
  });
});

describe('show', () => {
  const entity = {
    id: '1',
    name: 'Build',
    status: 'open',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
  };

  test('returns the fields in the order of responses, with defaults for those that the entity is older than', () => {
    expect(JSON.stringify(sample.show({ ...entity, summary: 's', projectId: '2' }))).toBe(
      JSON.stringify({
        id: '1',
        name: 'Build',
        status: 'open',
        description: '',
        priority: 'none',
        color: '#808080',
        subtitle: null,
        summary: 's',
        projectId: '2',
        tagIds: [],
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-02T00:00:00.000Z',
      }),
    );
  });

  test('returns no field that the resource does not have', () => {
    expect(sample.show({ ...entity, secret: 'x' })).not.toHaveProperty('secret');
  });

  test('returns null for a field that is null', () => {
    expect(sample.show({ ...entity, subtitle: null })['subtitle']).toBeNull();
  });
});
