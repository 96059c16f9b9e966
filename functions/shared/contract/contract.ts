/**
 * Contracts: what an operation is, as data. The handler, the infrastructure, the local gateway, the tests and
 * the documents are made from these.
 */
import type * as v from 'valibot';
import { type Access, listAccess, removeAccess, writeAccess } from './access.ts';
import { bodyFields, type Resource } from './resource.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a body must be. */
export interface Body {
  /** The fields that the caller sets. */
  readonly writable: readonly string[];
  /** Fields that are accepted and ignored, so that a fetched object can be sent back. Any other field is a mistake. */
  readonly ignored?: readonly string[];
  readonly schema: () => v.GenericSchema;
  /** Whether it may be left out. */
  readonly optional?: boolean;
}

/** What the answer holds when all went well. */
export type Success = 'list' | 'entity' | 'created' | 'deleted' | 'health' | 'page';

export interface Contract {
  /** The name of the operation everywhere: its file, its function, its log lines. */
  readonly operation: string;
  readonly method: Method;
  /** The template, `/v1/projects/{id}`. */
  readonly path: string;
  /** One sentence. */
  readonly summary: string;
  readonly success: Success;
  readonly access: Access;
  /** The resource that the answer holds. */
  readonly resource?: Resource;
  readonly body?: Body;
  /** A scope that some requests need besides the operation's own. */
  readonly additionalScope?: {
    readonly scope: string;
    /** When it is needed, for the documentation: the end of a sentence. */
    readonly when: string;
    readonly isNeeded: (body: unknown) => boolean;
  };
  /** For a nested list: the member that holds the id of the path. */
  readonly nestedBy?: string;
  /** For a page: the media types that it may have. */
  readonly mediaTypes?: readonly string[];
  /** For a page: the files that ship beside its function. */
  readonly files?: readonly string[];
}

/** What a caller must be allowed to call the operation, `projects:read`; none for what anybody may call. */
export const scopeOf = ({ method, resource }: Contract): string | undefined =>
  resource && `${resource.plural}:${method === 'GET' ? 'read' : 'write'}`;

/** Returns whether the operation writes an entity that exists already: such operations honour `If-Match`. */
export const isConditionalWrite = ({ method, path }: Contract): boolean =>
  method !== 'GET' && path.includes('{id}');

/** Defines an operation. */
export const contract = <const Definition extends Contract>(definition: Definition): Definition => definition;

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** One of a resource, in words; a user begins with a consonant. */
const oneOf = ({ kind }: Resource): string => `${/^[aeio]/.test(kind) ? 'an' : 'a'} ${kind}`;

const one = ({ plural }: Resource): string => `/v1/${plural}/{id}`;

/** All of a resource, or those of one parent. */
export const list = <
  const More extends { operation?: string; path?: string; nestedBy?: string; summary?: string },
>(
  resource: Resource,
  more: More = {} as More,
) =>
  contract({
    operation: `list${pascal(resource.plural)}`,
    method: 'GET',
    path: `/v1/${resource.plural}`,
    summary: `Lists ${resource.plural}.`,
    success: 'list',
    access: listAccess(resource.kind, more.nestedBy),
    resource,
    ...more,
  });

export const create = (resource: Resource) =>
  contract({
    operation: `create${pascal(resource.kind)}`,
    method: 'POST',
    path: `/v1/${resource.plural}`,
    summary: `Creates ${oneOf(resource)}.`,
    success: 'created',
    access: writeAccess(resource.kind),
    resource,
    body: { ...bodyFields(resource), schema: resource.schemas.whole },
  });

export const read = (resource: Resource) =>
  contract({
    operation: `read${pascal(resource.kind)}`,
    method: 'GET',
    path: one(resource),
    summary: `Reads ${oneOf(resource)}.`,
    success: 'entity',
    access: { actions: ['GetItem'] },
    resource,
  });

export const replace = (resource: Resource) =>
  contract({
    operation: `replace${pascal(resource.kind)}`,
    method: 'PUT',
    path: one(resource),
    summary: `Replaces ${oneOf(resource)}: members that are left out get their defaults.`,
    success: 'entity',
    access: writeAccess(resource.kind),
    resource,
    body: { ...bodyFields(resource), schema: resource.schemas.whole },
  });

export const update = (resource: Resource) =>
  contract({
    operation: `update${pascal(resource.kind)}`,
    method: 'PATCH',
    path: one(resource),
    summary: `Changes members of ${oneOf(resource)}: those that are left out stay.`,
    success: 'entity',
    access: writeAccess(resource.kind),
    resource,
    body: { ...bodyFields(resource), schema: resource.schemas.part },
  });

export const remove = (resource: Resource) =>
  contract({
    operation: `delete${pascal(resource.kind)}`,
    method: 'DELETE',
    path: one(resource),
    summary: `Deletes ${oneOf(resource)}.`,
    success: 'deleted',
    access: removeAccess(resource.kind),
    resource,
  });
