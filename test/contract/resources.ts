import { routes } from '#functions/routes.ts';
import { type Kind, resources as schemaResources } from '#functions/schema.ts';
import { docsOf } from '#lib/openapi/resources.ts';
import { isFullRun, someOf } from '../support/runs.ts';
import { expectStatus } from './problem.ts';
import { type JsonObject, type Method, request, type TestResponse, unique } from './service.ts';

/** All resources and lists as data, so that a test can run for all of them. */

export type { Kind };

export interface Entity {
  id: string;
  name: string;
  status: string;
  createdAt: string;
  updatedAt: string;
  [field: string]: string | number | string[] | null;
}

export interface List {
  data: Entity[];
  total: number;
  page: number;
  totalPages: number;
}

export interface Reference {
  field: string;
  to: Kind;
  /** Whether the field is an array of ids (`tagIds`). Other fields contain one id. */
  many: boolean;
}

interface NestedList {
  segment: string;
  item: Kind;
  /** The field of the item that refers to the parent. */
  field: string;
}

export interface Resource {
  kind: Kind;
  path: string;
  required: readonly string[];
  /** A body with the required fields only. */
  minimal(): Promise<JsonObject>;
  /** A body with every writable field. No value is a default. */
  full(): Promise<JsonObject>;
  /** The values of the optional fields that a request does not set. */
  defaults: JsonObject;
  /** Fields that filter by exact match and sort. */
  scalarFields: readonly string[];
  nullable: readonly string[];
  /** The fields that the service sets, besides the id and the times, with what they are like. */
  given: Readonly<Record<string, unknown>>;
  references: readonly Reference[];
  nested: readonly NestedList[];
}

const declared: readonly Omit<Resource, 'scalarFields' | 'nullable' | 'given'>[] = [
  {
    kind: 'organization',
    path: '/v1/organizations',
    required: ['name'],
    minimal: async () => ({ name: unique('Organization') }),
    full: async () => ({
      name: unique('Full organization'),
      status: unique('s'),
      description: 'All there is.',
    }),
    defaults: { status: 'active', description: '' },
    references: [],
    nested: [
      { segment: 'projects', item: 'project', field: 'organizationId' },
      { segment: 'users', item: 'user', field: 'organizationId' },
    ],
  },
  {
    kind: 'project',
    path: '/v1/projects',
    required: ['name', 'organizationId'],
    minimal: async () => ({ name: unique('Project'), organizationId: await sharedId('organization') }),
    full: async () => ({
      name: unique('Full project'),
      organizationId: (await create('organization')).id,
      status: unique('s'),
      description: 'All there is.',
      startDate: '2024-02-29',
      dueDate: '2031-12-31',
      visibility: 'members',
      memberIds: [await sharedId('user')],
    }),
    defaults: {
      ...{ status: 'active', description: '', startDate: null, dueDate: null },
      ...{ visibility: 'tenant', memberIds: [] },
    },
    references: [
      { field: 'organizationId', to: 'organization', many: false },
      { field: 'memberIds', to: 'user', many: true },
    ],
    nested: [{ segment: 'tasks', item: 'task', field: 'projectId' }],
  },
  {
    kind: 'user',
    path: '/v1/users',
    required: ['name'],
    minimal: async () => ({ name: unique('User') }),
    full: async () => ({
      name: unique('Full user'),
      status: unique('s'),
      email: 'ada.lovelace@example.com',
      organizationId: await sharedId('organization'),
      subject: unique('Subject'),
    }),
    defaults: { status: 'active', email: null, organizationId: null, subject: null },
    references: [{ field: 'organizationId', to: 'organization', many: false }],
    nested: [{ segment: 'tasks', item: 'task', field: 'userId' }],
  },
  {
    kind: 'task',
    path: '/v1/tasks',
    required: ['name'],
    minimal: async () => ({ name: unique('Task') }),
    full: async () => ({
      name: unique('Full task'),
      status: unique('s'),
      description: 'All there is.',
      priority: 'high',
      projectId: await sharedId('project'),
      parentId: await sharedId('task'),
      userId: await sharedId('user'),
      dueDate: '2031-12-31',
      tagIds: [await sharedId('tag'), (await create('tag')).id],
      position: 'a1V',
      estimate: 2.25,
    }),
    defaults: {
      status: 'active',
      description: '',
      priority: 'none',
      projectId: null,
      parentId: null,
      userId: null,
      dueDate: null,
      tagIds: [],
      position: null,
      estimate: null,
    },
    references: [
      { field: 'projectId', to: 'project', many: false },
      { field: 'parentId', to: 'task', many: false },
      { field: 'userId', to: 'user', many: false },
      { field: 'tagIds', to: 'tag', many: true },
    ],
    nested: [{ segment: 'tasks', item: 'task', field: 'parentId' }],
  },
  {
    kind: 'tag',
    path: '/v1/tags',
    required: ['name'],
    minimal: async () => ({ name: unique('Tag') }),
    full: async () => ({
      name: unique('Full tag'),
      status: unique('s'),
      color: '#ff8800',
      description: 'All there is.',
      organizationId: await sharedId('organization'),
    }),
    defaults: { status: 'active', color: '#808080', description: '', organizationId: null },
    references: [{ field: 'organizationId', to: 'organization', many: false }],
    nested: [{ segment: 'tasks', item: 'task', field: 'tagIds' }],
  },
];

/** Returns the fields that a replacement leaves as they are if it does not name them. */
export const keptFields = (kind: Kind): readonly string[] =>
  schemaResources.find((one) => one.kind === kind)?.keptFields ?? [];

/** Returns what the tests know of a resource that is not above: its documentation has an example. */
function documented({
  kind,
  plural,
  fields,
  defaults,
  relations,
}: (typeof schemaResources)[number]): (typeof declared)[number] {
  const required = Object.keys(fields).filter((field) => defaults[field] === undefined);
  const references = relations.map(({ field, parent, isArray }) => ({
    field,
    to: parent as Kind,
    many: isArray === true,
  }));
  const body = async (isShown: (field: string) => boolean): Promise<JsonObject> => {
    const { name, ...example } = docsOf({ kind }).example;
    const shown = Object.entries(example).filter(([field]) => field in fields && isShown(field));
    const own = { name: unique(String(name)), ...Object.fromEntries(shown) };
    const named = references.filter(({ field }) => field in own);
    const ids = await Promise.all(named.map(async ({ to }) => sharedId(to)));
    const values = named.map(({ field, many }, place) => [field, many ? [ids[place]] : ids[place]]);
    return { ...own, ...Object.fromEntries(values) };
  };
  return {
    kind,
    path: `/v1/${plural}`,
    required,
    minimal: () => body((field) => required.includes(field)),
    full: async () => ({ ...(await body(() => true)), status: unique('s') }),
    defaults: Object.fromEntries(
      Object.keys(fields).flatMap((field) => (required.includes(field) ? [] : [[field, defaults[field]]])),
    ) as JsonObject,
    references,
    nested: [],
  };
}

/** Lists of a resource that is not above, below another one. */
const documentedLists = routes.flatMap(({ contract: { path, resource, nestedBy } }) => {
  const [, , parent, , segment] = path.split('/');
  const isDeclared = declared.some(({ kind }) => kind === resource?.kind);
  if (!nestedBy || !resource || isDeclared || segment === undefined) return [];
  return [{ parent: `/v1/${parent}`, segment, item: resource.kind as Kind, field: nestedBy }];
});

const others = schemaResources.filter((resource) => declared.every(({ kind }) => kind !== resource.kind));

export const resources: readonly Resource[] = [...declared, ...others.map(documented)].map((resource) => {
  const { kind, required, defaults } = resource;
  const isNumbered = schemaResources.some((one) => one.kind === kind && one.numbered);
  const optional = Object.keys(defaults).filter((field) => !Array.isArray(defaults[field]));
  return {
    ...resource,
    nested: [...resource.nested, ...documentedLists.filter(({ parent }) => parent === resource.path)],
    given: isNumbered ? { number: expect.any(Number) } : {},
    scalarFields: [
      'id',
      ...required,
      ...optional,
      ...(isNumbered ? ['number'] : []),
      'createdAt',
      'updatedAt',
    ],
    nullable: [...optional.filter((field) => defaults[field] === null), ...(isNumbered ? ['number'] : [])],
  };
});

export function resourceOf(kind: Kind): Resource {
  const resource = resources.find((candidate) => candidate.kind === kind);
  if (!resource) throw new Error(`Unknown resource: ${kind}.`);
  return resource;
}

export function pathTo(kind: Kind, id: string): string {
  return `${resourceOf(kind).path}/${id}`;
}

/** A list for one test. A new entity appears in it if it has `fields`. */
export interface ListScope {
  path: string;
  /** Query parameters that exclude the entities of other tests. */
  query: Record<string, string>;
  /** Fields of an entity in this list. */
  fields: JsonObject;
}

export interface ListKind {
  title: string;
  item: Kind;
  /** Returns an empty list for one test. */
  open(): Promise<ListScope>;
}

/** Returns a body that can be sent several times: a subject belongs to one user. */
export const repeatable = (body: JsonObject): JsonObject =>
  'subject' in body ? { ...body, subject: null } : body;

const collections: readonly ListKind[] = resources.map(({ kind, path }) => ({
  title: path,
  item: kind,
  open: async () => {
    const status = unique('scope');
    return { path, query: { status }, fields: { status } };
  },
}));

const nestedLists: readonly ListKind[] = resources.flatMap((parent) =>
  parent.nested.map(({ segment, item, field }) => ({
    title: `${parent.path}/{id}/${segment}`,
    item,
    open: async () => {
      const { id } = await create(parent.kind);
      const path = `${parent.path}/${id}/${segment}`;
      return { path, query: {}, fields: { [field]: field === 'tagIds' ? [id] : id } };
    },
  })),
);

export const lists: readonly ListKind[] = [...collections, ...nestedLists];

/**
 * The resources that rules of all resources are tested with. In `npm test` they are three, because all share their code: one that has lists
 * and a reference, one with several references, and one that many refer to.
 */
export const someResources: readonly Resource[] = resources.filter(
  ({ kind }) => isFullRun || ['project', 'task', 'tag'].includes(kind),
);

/** The lists that rules of all lists are tested with: four of them in `npm test`, because they share their code. */
export const someLists: readonly ListKind[] = someOf(lists, 3);

/** Every path of the API with its methods. `{id}` stands for an id. */
export const paths: readonly { path: string; methods: readonly Method[] }[] = [
  ...resources.flatMap(({ path, nested }) => [
    { path, methods: ['GET', 'HEAD', 'POST'] as const },
    { path: `${path}/{id}`, methods: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const },
    { path: `${path}/{id}/changes`, methods: ['GET', 'HEAD'] as const },
    ...nested.map(({ segment }) => ({ path: `${path}/{id}/${segment}`, methods: ['GET', 'HEAD'] as const })),
  ]),
  { path: '/v1/organizations/{id}/archive', methods: ['POST'] },
  { path: '/v1/projects/{id}/clone', methods: ['POST'] },
  ...['/v1/health', '/v1/openapi.json', '/docs', '/docs/problems', '/docs/guides/errors.md'].map((path) => ({
    path,
    methods: ['GET', 'HEAD'] as const,
  })),
];

/** Creates an entity with the required fields and `fields`. */
export async function create(kind: Kind, fields: JsonObject = {}): Promise<Entity> {
  const resource = resourceOf(kind);
  const needed = resource.required.every((field) => field in fields) ? {} : await resource.minimal();
  return entityOf(await request('POST', resource.path, { body: { ...needed, ...fields } }), 201);
}

export async function read(kind: Kind, id: string): Promise<Entity> {
  return entityOf(await request('GET', pathTo(kind, id)), 200);
}

export async function etagOf(kind: Kind, id: string): Promise<string> {
  const response = await request('GET', pathTo(kind, id));
  expect(response.status).toBe(200);
  return response.headers.get('etag') ?? '';
}

export function entityOf(response: TestResponse, status: number): Entity {
  expectStatus(response, status);
  return response.body as Entity;
}

export function listOf(response: TestResponse): List {
  expectStatus(response, 200);
  return response.body as List;
}

export async function readList(path: string): Promise<List> {
  return listOf(await request('GET', path));
}

export function identifiers(list: Pick<List, 'data'>): string[] {
  return list.data.map(({ id }) => id);
}

/** Returns an entity without `updatedAt`, which every write changes. */
export function stateOf({ updatedAt: _updatedAt, ...state }: Entity): Omit<Entity, 'updatedAt'> {
  return state;
}

const sharedIds = new Map<Kind, Promise<string>>();

/** Returns the id of an entity for bodies that need any valid reference. No test deletes it. */
function sharedId(kind: Kind): Promise<string> {
  const known = sharedIds.get(kind) ?? create(kind).then(({ id }) => id);
  sharedIds.set(kind, known);
  return known;
}
