// Generated from the OpenAPI document by "npm run openapi". Do not edit.

/** An organization with projects, users and tags. */
export interface Organization {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status: string;
  /** Text with any number of lines. */
  readonly description: string;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** Fields that are left out get their defaults. */
export interface NewOrganization {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** Text with any number of lines. */
  readonly description?: string | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface OrganizationChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** Text with any number of lines. */
  readonly description?: string | undefined;
}

/** A project of an organization. It has tasks. */
export interface Project {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status: string;
  /** The organization of the entity. */
  readonly organizationId: string;
  /** Text with any number of lines. */
  readonly description: string;
  /** The first day. */
  readonly startDate: string | null;
  /** The last day. */
  readonly dueDate: string | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** All fields are optional. */
export interface CloneProjectOptions {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** The children to copy with the project. */
  readonly include?: readonly 'tasks'[] | undefined;
}

/** Fields that are left out get their defaults. */
export interface NewProject {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** The organization of the entity. */
  readonly organizationId: string;
  /** Text with any number of lines. */
  readonly description?: string | undefined;
  /** The first day. */
  readonly startDate?: string | null | undefined;
  /** The last day. */
  readonly dueDate?: string | null | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface ProjectChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** The organization of the entity. */
  readonly organizationId?: string | undefined;
  /** Text with any number of lines. */
  readonly description?: string | undefined;
  /** The first day. */
  readonly startDate?: string | null | undefined;
  /** The last day. */
  readonly dueDate?: string | null | undefined;
}

/** A person to whom tasks can be assigned. */
export interface User {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status: string;
  /** An e-mail address. Several users can have the same one. */
  readonly email: string | null;
  /** The organization of the entity. */
  readonly organizationId: string | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** Fields that are left out get their defaults. */
export interface NewUser {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** An e-mail address. Several users can have the same one. */
  readonly email?: string | null | undefined;
  /** The organization of the entity. */
  readonly organizationId?: string | null | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface UserChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** An e-mail address. Several users can have the same one. */
  readonly email?: string | null | undefined;
  /** The organization of the entity. */
  readonly organizationId?: string | null | undefined;
}

/** A task. It can belong to a project and be assigned to a user. */
export interface Task {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status: string;
  /** Text with any number of lines. */
  readonly description: string;
  /** The urgency, from none to urgent. */
  readonly priority: 'none' | 'low' | 'medium' | 'high' | 'urgent';
  /** The project of the task. Deleting the project deletes the task. */
  readonly projectId: string | null;
  /** The user to whom the task is assigned. */
  readonly userId: string | null;
  /** The last day. */
  readonly dueDate: string | null;
  /** The ids of the tags. */
  readonly tagIds: readonly string[];
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** Fields that are left out get their defaults. */
export interface NewTask {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** Text with any number of lines. */
  readonly description?: string | undefined;
  /** The urgency, from none to urgent. */
  readonly priority?: 'none' | 'low' | 'medium' | 'high' | 'urgent' | undefined;
  /** The project of the task. Deleting the project deletes the task. */
  readonly projectId?: string | null | undefined;
  /** The user to whom the task is assigned. */
  readonly userId?: string | null | undefined;
  /** The last day. */
  readonly dueDate?: string | null | undefined;
  /** The ids of the tags. */
  readonly tagIds?: readonly string[] | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface TaskChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** Text with any number of lines. */
  readonly description?: string | undefined;
  /** The urgency, from none to urgent. */
  readonly priority?: 'none' | 'low' | 'medium' | 'high' | 'urgent' | undefined;
  /** The project of the task. Deleting the project deletes the task. */
  readonly projectId?: string | null | undefined;
  /** The user to whom the task is assigned. */
  readonly userId?: string | null | undefined;
  /** The last day. */
  readonly dueDate?: string | null | undefined;
  /** The ids of the tags. */
  readonly tagIds?: readonly string[] | undefined;
}

/** A label of tasks. Lists can be filtered by it. */
export interface Tag {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status: string;
  /** A color as #rrggbb. */
  readonly color: string;
  /** Text with any number of lines. */
  readonly description: string;
  /** The organization of the entity. */
  readonly organizationId: string | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** Fields that are left out get their defaults. */
export interface NewTag {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** A color as #rrggbb. */
  readonly color?: string | undefined;
  /** Text with any number of lines. */
  readonly description?: string | undefined;
  /** The organization of the entity. */
  readonly organizationId?: string | null | undefined;
}

/** Fields that are left out do not change. null resets a nullable field. */
export interface TagChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** A color as #rrggbb. */
  readonly color?: string | undefined;
  /** Text with any number of lines. */
  readonly description?: string | undefined;
  /** The organization of the entity. */
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
