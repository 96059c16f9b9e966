// Made from the OpenAPI document by "npm run openapi": changes here are lost.

/** Who the work is done for: it has projects, users and tags. */
export interface Organization {
  /** Opaque and unique. Ids made later sort later. */
  readonly id: string;
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
  readonly status: string;
  /** Text on any number of lines. */
  readonly description: string;
  /** When it was created, in UTC. */
  readonly createdAt: string;
  /** When it was last written, in UTC. */
  readonly updatedAt: string;
}

/** Members that are left out get their defaults. */
export interface NewOrganization {
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
}

/** Members that are left out stay as they are; null resets a member that can be null. */
export interface OrganizationChanges {
  /** White space around it is taken away before it is measured. */
  readonly name?: string | undefined;
  /** An open value. Usual are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
}

/** A piece of work of an organization, made of tasks. */
export interface Project {
  /** Opaque and unique. Ids made later sort later. */
  readonly id: string;
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
  readonly status: string;
  /** The organization that it belongs to. */
  readonly organizationId: string;
  /** Text on any number of lines. */
  readonly description: string;
  /** The first day. */
  readonly startDate: string | null;
  /** The last day. */
  readonly dueDate: string | null;
  /** When it was created, in UTC. */
  readonly createdAt: string;
  /** When it was last written, in UTC. */
  readonly updatedAt: string;
}

/** All members may be left out. */
export interface CloneProjectOptions {
  /** White space around it is taken away before it is measured. */
  readonly name?: string | undefined;
  /** What is copied besides the project itself. */
  readonly include?: readonly 'tasks'[] | undefined;
}

/** Members that are left out get their defaults. */
export interface NewProject {
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
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

/** Members that are left out stay as they are; null resets a member that can be null. */
export interface ProjectChanges {
  /** White space around it is taken away before it is measured. */
  readonly name?: string | undefined;
  /** An open value. Usual are active, planned, completed and archived. */
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
  /** Opaque and unique. Ids made later sort later. */
  readonly id: string;
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
  readonly status: string;
  /** Need not be unique. */
  readonly email: string | null;
  /** The organization that it belongs to. */
  readonly organizationId: string | null;
  /** When it was created, in UTC. */
  readonly createdAt: string;
  /** When it was last written, in UTC. */
  readonly updatedAt: string;
}

/** Members that are left out get their defaults. */
export interface NewUser {
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** Need not be unique. */
  readonly email?: string | null | undefined;
  /** The organization that it belongs to. */
  readonly organizationId?: string | null | undefined;
}

/** Members that are left out stay as they are; null resets a member that can be null. */
export interface UserChanges {
  /** White space around it is taken away before it is measured. */
  readonly name?: string | undefined;
  /** An open value. Usual are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** Need not be unique. */
  readonly email?: string | null | undefined;
  /** The organization that it belongs to. */
  readonly organizationId?: string | null | undefined;
}

/** A thing to do, of a project and for a user, or of nobody yet. */
export interface Task {
  /** Opaque and unique. Ids made later sort later. */
  readonly id: string;
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
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
  /** When it was created, in UTC. */
  readonly createdAt: string;
  /** When it was last written, in UTC. */
  readonly updatedAt: string;
}

/** Members that are left out get their defaults. */
export interface NewTask {
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
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

/** Members that are left out stay as they are; null resets a member that can be null. */
export interface TaskChanges {
  /** White space around it is taken away before it is measured. */
  readonly name?: string | undefined;
  /** An open value. Usual are active, planned, completed and archived. */
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
  /** Opaque and unique. Ids made later sort later. */
  readonly id: string;
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
  readonly status: string;
  /** As #rrggbb. */
  readonly color: string;
  /** Text on any number of lines. */
  readonly description: string;
  /** The organization that it belongs to. */
  readonly organizationId: string | null;
  /** When it was created, in UTC. */
  readonly createdAt: string;
  /** When it was last written, in UTC. */
  readonly updatedAt: string;
}

/** Members that are left out get their defaults. */
export interface NewTag {
  /** White space around it is taken away before it is measured. */
  readonly name: string;
  /** An open value. Usual are active, planned, completed and archived. */
  readonly status?: string | undefined;
  /** As #rrggbb. */
  readonly color?: string | undefined;
  /** Text on any number of lines. */
  readonly description?: string | undefined;
  /** The organization that it belongs to. */
  readonly organizationId?: string | null | undefined;
}

/** Members that are left out stay as they are; null resets a member that can be null. */
export interface TagChanges {
  /** White space around it is taken away before it is measured. */
  readonly name?: string | undefined;
  /** An open value. Usual are active, planned, completed and archived. */
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
  /** The number of the page. Beyond the last one pages are empty. */
  readonly page?: number | undefined;
  /** How many entities a page has. */
  readonly limit?: number | undefined;
  /** The member that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'description' | 'createdAt' | 'updatedAt' | undefined;
  /** The direction; ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Only those whose `id` is exactly this. */
  readonly id?: string | undefined;
  /** Only those whose `name` is exactly this. */
  readonly name?: string | undefined;
  /** Only those whose `status` is exactly this. */
  readonly status?: string | undefined;
  /** Only those whose `description` is exactly this. */
  readonly description?: string | undefined;
  /** Only those whose `createdAt` is exactly this. */
  readonly createdAt?: string | undefined;
  /** Only those whose `updatedAt` is exactly this. */
  readonly updatedAt?: string | undefined;
}

/** Lists projects. */
export interface ProjectQuery {
  /** The number of the page. Beyond the last one pages are empty. */
  readonly page?: number | undefined;
  /** How many entities a page has. */
  readonly limit?: number | undefined;
  /** The member that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'organizationId' | 'description' | 'startDate' | 'dueDate' | 'createdAt' | 'updatedAt' | undefined;
  /** The direction; ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Only those whose `id` is exactly this. */
  readonly id?: string | undefined;
  /** Only those whose `name` is exactly this. */
  readonly name?: string | undefined;
  /** Only those whose `status` is exactly this. */
  readonly status?: string | undefined;
  /** Only those whose `organizationId` is exactly this. */
  readonly organizationId?: string | undefined;
  /** Only those whose `description` is exactly this. */
  readonly description?: string | undefined;
  /** Only those whose `startDate` is exactly this. */
  readonly startDate?: string | undefined;
  /** Only those whose `dueDate` is exactly this. */
  readonly dueDate?: string | undefined;
  /** Only those whose `createdAt` is exactly this. */
  readonly createdAt?: string | undefined;
  /** Only those whose `updatedAt` is exactly this. */
  readonly updatedAt?: string | undefined;
}

/** Lists users. */
export interface UserQuery {
  /** The number of the page. Beyond the last one pages are empty. */
  readonly page?: number | undefined;
  /** How many entities a page has. */
  readonly limit?: number | undefined;
  /** The member that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'email' | 'organizationId' | 'createdAt' | 'updatedAt' | undefined;
  /** The direction; ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Only those whose `id` is exactly this. */
  readonly id?: string | undefined;
  /** Only those whose `name` is exactly this. */
  readonly name?: string | undefined;
  /** Only those whose `status` is exactly this. */
  readonly status?: string | undefined;
  /** Only those whose `email` is exactly this. */
  readonly email?: string | undefined;
  /** Only those whose `organizationId` is exactly this. */
  readonly organizationId?: string | undefined;
  /** Only those whose `createdAt` is exactly this. */
  readonly createdAt?: string | undefined;
  /** Only those whose `updatedAt` is exactly this. */
  readonly updatedAt?: string | undefined;
}

/** Lists tasks. */
export interface TaskQuery {
  /** The number of the page. Beyond the last one pages are empty. */
  readonly page?: number | undefined;
  /** How many entities a page has. */
  readonly limit?: number | undefined;
  /** The member that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'description' | 'priority' | 'projectId' | 'userId' | 'dueDate' | 'createdAt' | 'updatedAt' | undefined;
  /** The direction; ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Only those whose `id` is exactly this. */
  readonly id?: string | undefined;
  /** Only those whose `name` is exactly this. */
  readonly name?: string | undefined;
  /** Only those whose `status` is exactly this. */
  readonly status?: string | undefined;
  /** Only those whose `description` is exactly this. */
  readonly description?: string | undefined;
  /** Only those whose `priority` is exactly this. */
  readonly priority?: string | undefined;
  /** Only those whose `projectId` is exactly this. */
  readonly projectId?: string | undefined;
  /** Only those whose `userId` is exactly this. */
  readonly userId?: string | undefined;
  /** Only those whose `dueDate` is exactly this. */
  readonly dueDate?: string | undefined;
  /** Only those whose `tagIds` hold this. */
  readonly tagIds?: string | undefined;
  /** Only those whose `createdAt` is exactly this. */
  readonly createdAt?: string | undefined;
  /** Only those whose `updatedAt` is exactly this. */
  readonly updatedAt?: string | undefined;
}

/** Lists tags. */
export interface TagQuery {
  /** The number of the page. Beyond the last one pages are empty. */
  readonly page?: number | undefined;
  /** How many entities a page has. */
  readonly limit?: number | undefined;
  /** The member that orders the list. */
  readonly sortBy?: 'id' | 'name' | 'status' | 'color' | 'description' | 'organizationId' | 'createdAt' | 'updatedAt' | undefined;
  /** The direction; ties are broken by `createdAt`, then `id`, in the same direction. */
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  /** Only those whose `id` is exactly this. */
  readonly id?: string | undefined;
  /** Only those whose `name` is exactly this. */
  readonly name?: string | undefined;
  /** Only those whose `status` is exactly this. */
  readonly status?: string | undefined;
  /** Only those whose `color` is exactly this. */
  readonly color?: string | undefined;
  /** Only those whose `description` is exactly this. */
  readonly description?: string | undefined;
  /** Only those whose `organizationId` is exactly this. */
  readonly organizationId?: string | undefined;
  /** Only those whose `createdAt` is exactly this. */
  readonly createdAt?: string | undefined;
  /** Only those whose `updatedAt` is exactly this. */
  readonly updatedAt?: string | undefined;
}

/** The status of each kind of problem. */
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
