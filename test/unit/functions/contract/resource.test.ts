import {
  color,
  label,
  nullable,
  oneOf,
  reference,
  references,
  text,
  withDefault,
} from '#functions/contract/fields.ts';
import { bodyFields, commonFields, type Resource, resource } from '#functions/contract/resource.ts';

const project = resource({ kind: 'project', plural: 'projects', fields: commonFields });
const tag = resource({ kind: 'tag', plural: 'tags', fields: commonFields });

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
    projectId: reference(project),
    tagIds: withDefault(references(tag, 50), []),
  },
});

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
  expect(Object.keys(sample.listFields)).toEqual(names);
});

test('a resource expands its references, under the names of what they refer to, without long texts', () => {
  const shownOf = ({ fieldNames }: Resource) => new Set(fieldNames.filter((name) => name !== 'description'));
  expect(Object.values(sample.expansions)).toEqual([
    { name: 'project', field: 'projectId', isArray: false, target: project, shown: shownOf(project) },
    { name: 'tags', field: 'tagIds', isArray: true, target: tag, shown: shownOf(tag) },
  ]);
});

test('a body has the fields that callers set, and may have those that only the store sets', () => {
  expect(
    bodyFields(resource({ kind: 'organization', plural: 'organizations', fields: commonFields })),
  ).toEqual({
    writable: ['name', 'status'],
    ignored: ['id', 'createdAt', 'updatedAt', 'version'],
  });
});

test('a resource ranks the values of its enumerations in the order of their definition, and nothing else', () => {
  expect(sample.ranks).toEqual({ priority: ['none', 'low', 'high'] });
});

test('a resource has the default of every field, undefined where the caller must set it', () => {
  expect(Object.entries(sample.defaults)).toEqual([
    ['id', undefined],
    ['name', undefined],
    ['status', 'active'],
    ['description', ''],
    ['priority', 'none'],
    ['color', '#808080'],
    ['subtitle', null],
    ['summary', undefined],
    ['projectId', undefined],
    ['tagIds', []],
    ['createdAt', undefined],
    ['updatedAt', undefined],
  ]);
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
