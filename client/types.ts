// Generated from the OpenAPI document by "npm run openapi". Do not edit.

/** Who the work is done for: it has projects, users and tags. */
export interface Organization {
  /** Opaque and unique. Later ids sort after earlier ones. */
  readonly id: string;
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status: string;
  /** Text on any number of lines. */
  readonly description: string;
  /** Time of the creation, in UTC. */
  readonly createdAt: string;
  /** Time of the last change, in UTC. */
  readonly updatedAt: string;
}

/** Fields that are left out get their defaults. */
export interface NewOrganization {
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface OrganizationChanges {
  /** Surrounding white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
}

/** A piece of work of an organization, made of tasks. */
export interface Project {
  /** Opaque and unique. Later ids sort after earlier ones. */
  readonly id: string;
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status: string;
  /** The organization that it belongs to. */
  readonly organizationId: string;
  /** Text on any number of lines. */
  readonly description: string;
  /** The first day. */
  readonly startDate: string | null;
  /** The last day. */
  readonly dueDate: string | null;
  /** Time of the creation, in UTC. */
  readonly createdAt: string;
  /** Time of the last change, in UTC. */
  readonly updatedAt: string;
}

/** All fields are optional. */
export interface CloneProjectOptions {
  /** Surrounding white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** What is copied besides the project itself. */
  readonly include?: readonly 'tasks'[] | undefined;
}

/** Fields that are left out get their defaults. */
export interface NewProject {
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** The organization that it belongs to. */
  readonly organizationId: string;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
  /** The first day. */
  readonly startDate?: string | null | undefined;
  /** The last day. */
  readonly dueDate?: string | null | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface ProjectChanges {
  /** Surrounding white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** The organization that it belongs to. */
  readonly organizationId?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
  /** The first day. */
  readonly startDate?: string | null | undefined;
  /** The last day. */
  readonly dueDate?: string | null | undefined;
}

/** Somebody who works on tasks. */
export interface User {
  /** Opaque and unique. Later ids sort after earlier ones. */
  readonly id: string;
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status: string;
  /** Need not be unique. */
  readonly email: string | null;
  /** The organization that it belongs to. */
  readonly organizationId: string | null;
  /** Time of the creation, in UTC. */
  readonly createdAt: string;
  /** Time of the last change, in UTC. */
  readonly updatedAt: string;
}

/** Fields that are left out get their defaults. */
export interface NewUser {
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** Need not be unique. */
  readonly email?: string | null | undefined;
  /** The organization that it belongs to. */
  readonly organizationId?: string | null | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface UserChanges {
  /** Surrounding white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** Need not be unique. */
  readonly email?: string | null | undefined;
  /** The organization that it belongs to. */
  readonly organizationId?: string | null | undefined;
}

/** A thing to do, of a project and for a user, or of nobody yet. */
export interface Task {
  /** Opaque and unique. Later ids sort after earlier ones. */
  readonly id: string;
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status: string;
  /** Text on any number of lines. */
  readonly description: string;
  /** How urgent it is. */
  readonly priority: 'none' | 'low' | 'medium' | 'high' | 'urgent';
  /** The project that it belongs to; it goes with it. */
  readonly projectId: string | null;
  /** Who is to do it. */
  readonly userId: string | null;
  /** The last day. */
  readonly dueDate: string | null;
  /** Its tags. */
  readonly tagIds: readonly string[];
  /** Time of the creation, in UTC. */
  readonly createdAt: string;
  /** Time of the last change, in UTC. */
  readonly updatedAt: string;
}

/** Fields that are left out get their defaults. */
export interface NewTask {
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
  /** How urgent it is. */
  readonly priority?: 'none' | 'low' | 'medium' | 'high' | 'urgent' | undefined;
  /** The project that it belongs to; it goes with it. */
  readonly projectId?: string | null | undefined;
  /** Who is to do it. */
  readonly userId?: string | null | undefined;
  /** The last day. */
  readonly dueDate?: string | null | undefined;
  /** Its tags. */
  readonly tagIds?: readonly string[] | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface TaskChanges {
  /** Surrounding white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
  /** How urgent it is. */
  readonly priority?: 'none' | 'low' | 'medium' | 'high' | 'urgent' | undefined;
  /** The project that it belongs to; it goes with it. */
  readonly projectId?: string | null | undefined;
  /** Who is to do it. */
  readonly userId?: string | null | undefined;
  /** The last day. */
  readonly dueDate?: string | null | undefined;
  /** Its tags. */
  readonly tagIds?: readonly string[] | undefined;
}

/** A word to find tasks by. */
export interface Tag {
  /** Opaque and unique. Later ids sort after earlier ones. */
  readonly id: string;
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status: string;
  /** As #rrggbb. */
  readonly color: string;
  /** Text on any number of lines. */
  readonly description: string;
  /** The organization that it belongs to. */
  readonly organizationId: string | null;
  /** Time of the creation, in UTC. */
  readonly createdAt: string;
  /** Time of the last change, in UTC. */
  readonly updatedAt: string;
}

/** Fields that are left out get their defaults. */
export interface NewTag {
  /** Surrounding white space is removed before the length is checked. */
  readonly name: string;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** As #rrggbb. */
  readonly color?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
  /** The organization that it belongs to. */
  readonly organizationId?: string | null | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface TagChanges {
  /** Surrounding white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any value. Known values: active, planned, completed, archived. */
  readonly status?: string | undefined;
  /** As #rrggbb. */
  readonly color?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
  /** The organization that it belongs to. */
  readonly organizationId?: string | null | undefined;
}

/** Lists organizations. */
export interface OrganizationQuery {
  /** Number of the page. Pages after the last one are empty. */
  readonly page?: number | undefined;
  /** Entities per page. */
  readonly limit?: number | undefined;
  /** Field that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'description' | 'createdAt' | 'updatedAt' | undefined;
  /** Sort direction. Ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Exact match of `id`. */
  readonly id?: string | undefined;
  /** Exact match of `name`. */
  readonly name?: string | undefined;
  /** Exact match of `status`. */
  readonly status?: string | undefined;
  /** Exact match of `description`. */
  readonly description?: string | undefined;
  /** Exact match of `createdAt`. */
  readonly createdAt?: string | undefined;
  /** Exact match of `updatedAt`. */
  readonly updatedAt?: string | undefined;
}

/** Lists projects. */
export interface ProjectQuery {
  /** Number of the page. Pages after the last one are empty. */
  readonly page?: number | undefined;
  /** Entities per page. */
  readonly limit?: number | undefined;
  /** Field that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'organizationId' | 'description' | 'startDate' | 'dueDate' | 'createdAt' | 'updatedAt' | undefined;
  /** Sort direction. Ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Exact match of `id`. */
  readonly id?: string | undefined;
  /** Exact match of `name`. */
  readonly name?: string | undefined;
  /** Exact match of `status`. */
  readonly status?: string | undefined;
  /** Exact match of `organizationId`. */
  readonly organizationId?: string | undefined;
  /** Exact match of `description`. */
  readonly description?: string | undefined;
  /** Exact match of `startDate`. */
  readonly startDate?: string | undefined;
  /** Exact match of `dueDate`. */
  readonly dueDate?: string | undefined;
  /** Exact match of `createdAt`. */
  readonly createdAt?: string | undefined;
  /** Exact match of `updatedAt`. */
  readonly updatedAt?: string | undefined;
}

/** Lists users. */
export interface UserQuery {
  /** Number of the page. Pages after the last one are empty. */
  readonly page?: number | undefined;
  /** Entities per page. */
  readonly limit?: number | undefined;
  /** Field that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'email' | 'organizationId' | 'createdAt' | 'updatedAt' | undefined;
  /** Sort direction. Ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Exact match of `id`. */
  readonly id?: string | undefined;
  /** Exact match of `name`. */
  readonly name?: string | undefined;
  /** Exact match of `status`. */
  readonly status?: string | undefined;
  /** Exact match of `email`. */
  readonly email?: string | undefined;
  /** Exact match of `organizationId`. */
  readonly organizationId?: string | undefined;
  /** Exact match of `createdAt`. */
  readonly createdAt?: string | undefined;
  /** Exact match of `updatedAt`. */
  readonly updatedAt?: string | undefined;
}

/** Lists tasks. */
export interface TaskQuery {
  /** Number of the page. Pages after the last one are empty. */
  readonly page?: number | undefined;
  /** Entities per page. */
  readonly limit?: number | undefined;
  /** Field that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'description' | 'priority' | 'projectId' | 'userId' | 'dueDate' | 'createdAt' | 'updatedAt' | undefined;
  /** Sort direction. Ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Exact match of `id`. */
  readonly id?: string | undefined;
  /** Exact match of `name`. */
  readonly name?: string | undefined;
  /** Exact match of `status`. */
  readonly status?: string | undefined;
  /** Exact match of `description`. */
  readonly description?: string | undefined;
  /** Exact match of `priority`. */
  readonly priority?: string | undefined;
  /** Exact match of `projectId`. */
  readonly projectId?: string | undefined;
  /** Exact match of `userId`. */
  readonly userId?: string | undefined;
  /** Exact match of `dueDate`. */
  readonly dueDate?: string | undefined;
  /** `tagIds` contains this value. */
  readonly tagIds?: string | undefined;
  /** Exact match of `createdAt`. */
  readonly createdAt?: string | undefined;
  /** Exact match of `updatedAt`. */
  readonly updatedAt?: string | undefined;
}

/** Lists tags. */
export interface TagQuery {
  /** Number of the page. Pages after the last one are empty. */
  readonly page?: number | undefined;
  /** Entities per page. */
  readonly limit?: number | undefined;
  /** Field that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'color' | 'description' | 'organizationId' | 'createdAt' | 'updatedAt' | undefined;
  /** Sort direction. Ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Exact match of `id`. */
  readonly id?: string | undefined;
  /** Exact match of `name`. */
  readonly name?: string | undefined;
  /** Exact match of `status`. */
  readonly status?: string | undefined;
  /** Exact match of `color`. */
  readonly color?: string | undefined;
  /** Exact match of `description`. */
  readonly description?: string | undefined;
  /** Exact match of `organizationId`. */
  readonly organizationId?: string | undefined;
  /** Exact match of `createdAt`. */
  readonly createdAt?: string | undefined;
  /** Exact match of `updatedAt`. */
  readonly updatedAt?: string | undefined;
}

/** Status of each kind of problem. */
export interface ProblemStatuses {
  'malformed-body': 400;
  'malformed-request': 400;
  'invalid-request': 400;
  'no-tenant': 403;
  'missing-scope': 403;
  'not-found': 404;
  'method-not-allowed': 405;
  'version-mismatch': 412;
  'body-too-large': 413;
  'unsupported-media-type': 415;
  'idempotency-key-reused': 422;
  'headers-too-large': 431;
  'internal-error': 500;
  'unavailable': 503;
}
