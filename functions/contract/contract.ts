/**
 * Contracts: operations as data. The handlers, the infrastructure, the local gateway, the tests and the documentation are derived
 * from them.
 */
import * as v from 'valibot';
import type { Results } from '../http/results.ts';
import { bodyFields, type Resource } from './resource.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The JSON object that an operation accepts. */
export interface Body {
  /** The fields that the caller sets. */
  readonly writable: readonly string[];
  /** Fields that are accepted and ignored, so that a fetched object can be sent back. Any other field is a mistake. */
  readonly ignored?: readonly string[];
  /** By field: why it is refused, although other bodies of the resource may have it. */
  readonly refused?: Readonly<Record<string, string>>;
  readonly schema: () => v.GenericSchema;
  readonly optional?: boolean;
}

/** The body of an action without parameters: no body, or an empty object. */
export const emptyBody: Body = { writable: [], schema: () => v.object({}), optional: true };

export type Success = keyof Results;

export interface Contract {
  /** The name of the operation everywhere: of its file, its function and its log lines. */
  readonly operation: string;
  readonly method: Method;
  /** The path template, such as `/v1/projects/{id}`. */
  readonly path: string;
  /** What the operation does, as an order: "List tasks". What follows a colon is left out of titles. */
  readonly summary: string;
  readonly success: Success;
  readonly resource?: Resource;
  readonly body?: Body;
  /** Whether a token with any scopes suffices, also with none. */
  readonly takesAnyScope?: boolean;
  /** A scope that some requests need besides the operation's own. */
  readonly additionalScope?: {
    readonly scope: string;
    /** When it is needed, for the documentation: the end of a sentence. */
    readonly when: string;
    readonly isNeeded: (body: unknown) => boolean;
  };
  /** For a nested list: the field that holds the id in the path. */
  readonly nestedBy?: string;
}

/** Returns whether an operation requires a token, where the service requires tokens at all: it then knows the tenant. */
export const needsToken = ({ resource, takesAnyScope }: Contract): boolean =>
  resource !== undefined || takesAnyScope === true;

/** Returns the collection whose path begins the operation's: `projects` of `/v1/projects/{id}/tasks`; `undefined` without a resource. */
export const collectionOf = ({ resource, path }: Contract): string | undefined =>
  resource && path.split('/')[2];

/** Returns the scope that an operation requires, such as `projects:read`; `undefined` when it requires none. */
export const scopeOf = ({ method, resource, takesAnyScope }: Contract): string | undefined =>
  takesAnyScope ? undefined : resource && `${resource.plural}:${method === 'GET' ? 'read' : 'write'}`;

/** Returns whether the operation writes an entity that exists already: such operations honour `If-Match`. */
export const isConditionalWrite = ({ method, path }: Contract): boolean =>
  method !== 'GET' && path.includes('{id}');

export const contract = <const Definition extends Contract>(definition: Definition): Definition => definition;

/** Returns a name as a type has it: `TimeEntries` for `time-entries`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the kind with its article. "User" begins with a consonant. */
const withArticle = ({ kind }: Resource): string => `${/^[aeio]/.test(kind) ? 'an' : 'a'} ${kind}`;

const entityPath = ({ plural }: Resource): string => `/v1/${plural}/{id}`;

export const list = (resource: Resource) =>
  contract({
    operation: `list${pascal(resource.plural)}`,
    method: 'GET',
    path: `/v1/${resource.plural}`,
    summary: `List ${resource.plural}`,
    success: 'list',
    resource,
  });

/** Defines the list of the resources that refer to one parent. */
export const listOf = (
  resource: Resource,
  parent: Resource,
  summary = `List the ${resource.plural} of ${withArticle(parent)}`,
) =>
  contract({
    ...list(resource),
    operation: `list${pascal(parent.kind)}${pascal(resource.plural)}`,
    path: `/v1/${parent.plural}/{id}/${resource.plural}`,
    summary,
    nestedBy: resource.relations.find((relation) => relation.parent === parent.kind)?.field ?? '',
  });

export const changes = (resource: Resource) =>
  contract({
    operation: `list${pascal(resource.kind)}Changes`,
    method: 'GET',
    path: `/v1/${resource.plural}/changes`,
    summary: `List changes of ${resource.plural}`,
    success: 'changes',
    resource,
  });

/** An app that has made an id must not get another one silently. */
const refusedInCreation = (resource: Resource) => ({
  id: `"id" must not be sent: the service makes the id. To create ${withArticle(resource)} with an id of your own, send PUT /v1/${resource.plural}/{id} with "If-None-Match: *".`,
});

export const history = (resource: Resource) =>
  contract({
    operation: `list${pascal(resource.kind)}History`,
    method: 'GET',
    path: `${entityPath(resource)}/changes`,
    summary: `Read the history of ${withArticle(resource)}`,
    success: 'history',
    resource,
  });

export const create = (resource: Resource) =>
  contract({
    operation: `create${pascal(resource.kind)}`,
    method: 'POST',
    path: `/v1/${resource.plural}`,
    summary: `Create ${withArticle(resource)}`,
    success: 'created',
    resource,
    body: {
      ...bodyFields(resource),
      refused: refusedInCreation(resource),
      schema: resource.schemas.whole,
    },
  });

export const read = (resource: Resource) =>
  contract({
    operation: `read${pascal(resource.kind)}`,
    method: 'GET',
    path: entityPath(resource),
    summary: `Read ${withArticle(resource)}`,
    success: 'entity',
    resource,
  });

export const replace = (resource: Resource) =>
  contract({
    operation: `replace${pascal(resource.kind)}`,
    method: 'PUT',
    path: entityPath(resource),
    summary: `Replace or create ${withArticle(resource)}: fields that are left out get their defaults`,
    success: 'entity',
    resource,
    body: { ...bodyFields(resource), schema: resource.schemas.whole },
  });

export const update = (resource: Resource) =>
  contract({
    operation: `update${pascal(resource.kind)}`,
    method: 'PATCH',
    path: entityPath(resource),
    summary: `Update ${withArticle(resource)}: fields that are left out keep their values`,
    success: 'entity',
    resource,
    body: { ...bodyFields(resource), schema: resource.schemas.part },
  });

export const remove = (resource: Resource) =>
  contract({
    operation: `delete${pascal(resource.kind)}`,
    method: 'DELETE',
    path: entityPath(resource),
    summary: `Delete ${withArticle(resource)}`,
    success: 'deleted',
    resource,
  });

export const listDeleted = (resource: Resource) =>
  contract({
    operation: `listDeleted${pascal(resource.plural)}`,
    method: 'GET',
    path: `/v1/${resource.plural}/deleted`,
    summary: `List deleted ${resource.plural}`,
    success: 'deletedList',
    resource,
  });

export const restore = (resource: Resource) =>
  contract({
    operation: `restore${pascal(resource.kind)}`,
    method: 'POST',
    path: `${entityPath(resource)}/restore`,
    summary: `Restore a deleted ${resource.kind}`,
    success: 'entity',
    resource,
    body: emptyBody,
  });

/** Operations in one batch. With their long texts, jobs and records, they never exceed one transaction. */
export const maxOperations = 25;

/** `http/batch-operations.ts` validates the operations one by one. */
const batchSchema = () =>
  v.object({
    operations: v.pipe(
      v.array(v.unknown(), 'must be an array of operations'),
      v.check(
        ({ length }) => length >= 1 && length <= maxOperations,
        `must have 1 to ${maxOperations} operations`,
      ),
    ),
  });

export const batch = (resource: Resource) =>
  contract({
    operation: `batch${pascal(resource.plural)}`,
    method: 'POST',
    path: `/v1/${resource.plural}/batch`,
    summary: `Batch ${resource.plural}: create, update and delete several, all or none`,
    success: 'batch',
    resource,
    body: { writable: ['operations'], schema: batchSchema },
  });
