import { nullable, reference, references, withDefault } from '#functions/contract/fields.ts';
import { commonFields, resource } from '#functions/contract/resource.ts';
import { expandedReferences, showEntity } from '#functions/http/entity-view.ts';
import type { Entity } from '#functions/store/model/entity.ts';

const project = resource({ kind: 'project', plural: 'projects', fields: commonFields });
const tag = resource({ kind: 'tag', plural: 'tags', fields: commonFields });
const task = resource({
  kind: 'task',
  plural: 'tasks',
  fields: {
    ...commonFields,
    projectId: nullable(reference(project)),
    tagIds: withDefault(references(tag, 50), []),
  },
});

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
const entity = (id: string, more: object = {}): Entity => ({
  id,
  name: `Name of ${id}`,
  status: 'active',
  ...times,
  ...more,
});
const known = new Map(['p', 't', 'u'].map((id) => [id, entity(id, { secret: 'x' })]));
const expansions = Object.values(task.expansions);

describe('expandedReferences', () => {
  test('names each referenced entity once', () => {
    const entities = [
      entity('1', { projectId: 'p', tagIds: ['t', 'u'] }),
      entity('2', { projectId: 'p', tagIds: ['u'] }),
      entity('3', { projectId: null }),
    ];
    expect(expandedReferences({ expansions }, entities)).toEqual([
      { kind: 'project', id: 'p' },
      { kind: 'tag', id: 't' },
      { kind: 'tag', id: 'u' },
    ]);
  });

  test('names nothing when nothing is expanded', () => {
    expect(expandedReferences({ expansions: [] }, [entity('1', { projectId: 'p' })])).toEqual([]);
  });
});

describe('showEntity', () => {
  const one = entity('1', { projectId: 'p', tagIds: ['u', 't'] });

  test('shows all fields, and what is expanded behind its reference', () => {
    const shown = showEntity(task, one, { expansions }, known);
    expect(Object.keys(shown)).toEqual([
      'id',
      'name',
      'status',
      'projectId',
      'project',
      'tagIds',
      'tags',
      'createdAt',
      'updatedAt',
    ]);
    expect(shown['project']).toEqual(entity('p'));
    expect(shown['tags']).toEqual([entity('u'), entity('t')]);
  });

  test('shows null for a reference to nothing, and leaves it out of an array', () => {
    const dangling = entity('1', { projectId: 'gone', tagIds: ['gone', 't'] });
    expect(showEntity(task, dangling, { expansions }, known)).toMatchObject({
      projectId: 'gone',
      project: null,
      tagIds: ['gone', 't'],
      tags: [entity('t')],
    });
    expect(showEntity(task, entity('1', { projectId: null }), { expansions }, known)).toMatchObject({
      project: null,
      tags: [],
    });
  });

  test('shows only some fields, and what is expanded', () => {
    const view = { fields: new Set(['id', 'status']), expansions: expansions.slice(0, 1) };
    expect(showEntity(task, one, view, known)).toEqual({ id: '1', status: 'active', project: entity('p') });
  });
});
