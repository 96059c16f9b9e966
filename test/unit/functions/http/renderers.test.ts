import { create, list, read, remove, replace } from '#functions/contract/contract.ts';
import { nullable, reference } from '#functions/contract/fields.ts';
import { commonFields, resource } from '#functions/contract/resource.ts';
import { versionTag } from '#functions/http/entity-tags.ts';
import type { PipelineEvent } from '#functions/http/middleware.ts';
import { type Rendering, renderers } from '#functions/http/renderers.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';

const project = resource({ kind: 'project', plural: 'projects', fields: commonFields });

const task = resource({
  kind: 'task',
  plural: 'tasks',
  fields: { ...commonFields, projectId: nullable(reference(project)) },
});

const stored = {
  kind: 'project' as const,
  version: 3,
  entity: {
    id: '01890000-0000-7000-8000-7a2c4d8f0e36',
    updatedAt: '2026-01-02T00:00:00.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
    status: 'open',
    name: 'Build',
    secret: 'x',
  },
};

/** What responses show of the entity: its fields in their order, and no other. */
const shown =
  '{"id":"01890000-0000-7000-8000-7a2c4d8f0e36","name":"Build","status":"open",' +
  '"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-02T00:00:00.000Z"}';

/** A rendering with the parts of the event and the session that renderers read. */
const rendering = (
  contract: Rendering['contract'],
  {
    headers = {},
    rawQueryString = '',
    replayed,
    ...more
  }: {
    headers?: Record<string, string>;
    rawQueryString?: string;
    replayed?: boolean;
    id?: string;
    query?: Rendering['query'];
    view?: Rendering['view'];
    expanded?: Rendering['expanded'];
  } = {},
): Rendering => ({
  contract,
  event: { headers, rawQueryString } as PipelineEvent,
  id: '',
  session: { tenant: 'acme', replayed } as Session,
  query: undefined,
  view: { expansions: [] },
  expanded: new Map(),
  ...more,
});

describe('an entity', () => {
  test('that was read can be cached with its tag', () => {
    expect(renderers.entity(rendering(read(project)), stored)).toEqual({
      statusCode: 200,
      headers: {
        'content-type': 'application/json',
        etag: '"7a2c4d8f0e36-3"',
        'cache-control': 'private, no-cache',
      },
      body: shown,
    });
  });

  test('that the caller has is not sent again', () => {
    const headers = { 'if-none-match': '"7a2c4d8f0e36-3"' };
    expect(renderers.entity(rendering(read(project), { headers }), stored)).toEqual({
      statusCode: 304,
      headers: { etag: '"7a2c4d8f0e36-3"', 'cache-control': 'private, no-cache' },
    });
  });

  test('with expanded references has no tag: they have versions of their own', () => {
    const expansions = Object.values(task.expansions);
    const expanded = new Map([[stored.entity.id, stored.entity]]);
    const headers = { 'if-none-match': '*' };
    const entity = { ...stored.entity, projectId: stored.entity.id };
    const view = { expansions };
    const response = renderers.entity(rendering(read(task), { headers, view, expanded }), {
      ...stored,
      entity,
    });
    expect(response).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'private, no-cache' },
    });
    expect(response.headers).not.toHaveProperty('etag');
    const parent = JSON.parse(shown);
    expect(JSON.parse(response.body ?? '')).toEqual({ ...parent, projectId: entity.id, project: parent });
  });

  test('that the caller has in another version is sent', () => {
    const headers = { 'if-none-match': '"7a2c4d8f0e36-2"' };
    expect(renderers.entity(rendering(read(project), { headers }), stored).statusCode).toBe(200);
  });

  test('that was written is sent with its tag, whatever the caller has, and is not stored in caches', () => {
    const headers = { 'if-none-match': '"7a2c4d8f0e36-3"' };
    expect(renderers.entity(rendering(replace(project), { headers }), stored)).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'application/json', etag: '"7a2c4d8f0e36-3"', 'cache-control': 'no-store' },
      body: shown,
    });
  });

  test('that a PUT has created is sent as one that was created', () => {
    const headers = { 'if-none-match': '*' };
    const replacement = rendering(replace(project), { headers });
    expect(renderers.entity(replacement, stored)).toEqual(
      renderers.created(rendering(create(project)), stored),
    );
  });

  test('that was created is sent with its place', () => {
    expect(renderers.created(rendering(create(project)), stored)).toEqual({
      statusCode: 201,
      headers: {
        'content-type': 'application/json',
        etag: '"7a2c4d8f0e36-3"',
        'cache-control': 'no-store',
        location: '/v1/projects/01890000-0000-7000-8000-7a2c4d8f0e36',
      },
      body: shown,
    });
  });

  test('of a repeated request is marked', () => {
    const { headers } = renderers.created(rendering(create(project), { replayed: true }), stored);
    expect(headers).toHaveProperty('idempotency-replayed', 'true');
    const first = renderers.created(rendering(create(project), { replayed: false }), stored);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
  });

  test('that was deleted is a response without content', () => {
    expect(renderers.deleted(rendering(remove(project)), undefined)).toEqual({
      statusCode: 204,
      headers: { 'cache-control': 'no-store' },
    });
  });
});

describe('a list', () => {
  const query: ListQuery = {
    filters: [],
    sort: [{ field: 'createdAt', direction: 'desc' }],
    countBy: [],
    page: 2,
    limit: 2,
    withTexts: true,
  };
  const page = { entities: [stored.entity], versions: [stored.version], total: 3, skipped: 0, counts: {} };
  const response = {
    statusCode: 200,
    headers: {
      'content-type': 'application/json',
      etag: '"Q0EZibKPuax2ea-TBKlZH9zupAG"',
      'cache-control': 'private, no-cache',
      'x-total-count': '3',
      link:
        '</v1/projects?page=1&limit=2>; rel="first", ' +
        '</v1/projects?page=1&limit=2>; rel="prev", ' +
        '</v1/projects?page=2&limit=2>; rel="last"',
    },
    body: `{"data":[${shown}],"total":3,"page":2,"totalPages":2}`,
  };

  test('has the entities, the total, the number of pages, and links to other pages', () => {
    expect(renderers.list(rendering(list(project), { query }), page)).toEqual(response);
  });

  test('that the caller has is not sent again, but its links are', () => {
    const headers = { 'if-none-match': response.headers.etag };
    const { 'content-type': _, ...remaining } = response.headers;
    expect(renderers.list(rendering(list(project), { query, headers }), page)).toEqual({
      statusCode: 304,
      headers: remaining,
    });
  });

  test('of one parent links to its own path, with the id encoded', () => {
    const nested = list(project, { path: '/v1/organizations/{id}/projects', nestedBy: 'organizationId' });
    const { headers } = renderers.list(rendering(nested, { query, id: 'a/b>' }), {
      entities: [],
      versions: [],
      total: 0,
      skipped: 0,
      counts: {},
    });
    expect(headers).toHaveProperty(
      'link',
      '</v1/organizations/a%2Fb%3E/projects?page=1&limit=2>; rel="first", ' +
        '</v1/organizations/a%2Fb%3E/projects?page=1&limit=2>; rel="prev", ' +
        '</v1/organizations/a%2Fb%3E/projects?page=1&limit=2>; rel="last"',
    );
  });

  test('has counts when it is asked for them', () => {
    const counts = { status: [{ value: 'open', count: 3 }] };
    const counting = { ...query, countBy: ['status'] };
    const { body } = renderers.list(rendering(list(project), { query: counting }), { ...page, counts });
    expect(body).toBe(
      `{"data":[${shown}],"total":3,"page":2,"totalPages":2,"counts":{"status":[{"value":"open","count":3}]}}`,
    );
  });

  test('shows only the fields that it is asked for', () => {
    const view = { fields: new Set(['id', 'name']), expansions: [] };
    const { body } = renderers.list(rendering(list(project), { query, view }), page);
    expect(JSON.parse(body ?? '')).toMatchObject({ data: [{ id: stored.entity.id, name: 'Build' }] });
    expect(body).not.toContain('status');
  });

  test('has the entity tags of its entities when it is asked for them', () => {
    const view = { expansions: [], withEtags: true };
    const { body } = renderers.list(rendering(list(project), { query, view }), page);
    expect(JSON.parse(body ?? '').etags).toEqual([versionTag(stored.entity.id, stored.version)]);
  });

  test('without a query is an error of the program', () => {
    expect(() => renderers.list(rendering(list(project)), page)).toThrow(TypeError);
  });

  test('has no links when the query is too long to repeat', () => {
    const rawQueryString = `name=${'a'.repeat(2_048)}`;
    const { headers } = renderers.list(rendering(list(project), { query, rawQueryString }), page);
    expect(headers).not.toHaveProperty('link');
  });
});

test('the health is sent as it is, and is not stored in caches', () => {
  expect(renderers.health(rendering(read(project)), { status: 'ok' })).toEqual({
    statusCode: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: '{"status":"ok"}',
  });
});
