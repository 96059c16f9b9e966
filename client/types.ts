// Generated from the OpenAPI document by "npx pm-api openapi". Do not edit.

import type { Filter } from './filters.ts';
import type { ValueCount } from './query.ts';

/** A status: one of the common ones, or any other of 1 to 64 letters, digits, `-` and `_`. */
export type Status = 'active' | 'planned' | 'completed' | 'archived' | (string & {});

/** An organization owns projects, and can have users and tags. */
export interface Organization {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description: string;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** One of the organizations before its deletion. */
export interface DeletedOrganization {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description: string;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
  /** When it was deleted. It can be restored for 30 days. As in `2026-03-02T09:15:27.318Z`. */
  readonly deletedAt: string;
  /** The subject of the token with which it was deleted: that of the user whose `subject` it is. Null on a service without tokens. At most 1,024 characters. */
  readonly deletedBy: string | null;
  /** The id of the entity whose deletion removed it. Null if it was deleted itself. At most 255 characters. */
  readonly deletedWith: string | null;
  /** Number of other entities that come back with it. */
  readonly restores: number;
}

/** Fields that you omit get their default values. */
export interface NewOrganization {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. Default: `'active'`. */
  readonly status?: Status | undefined;
  /** Free text of one or more lines. At most 10,000 characters. Default: `''`. */
  readonly description?: string | undefined;
}

/** Fields that you omit do not change. null clears a nullable field. */
export interface OrganizationChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status?: Status | undefined;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description?: string | undefined;
}

/** A project belongs to an organization and groups tasks. */
export interface Project {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId: string;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description: string;
  /** The first day. `YYYY-MM-DD`. */
  readonly startDate: string | null;
  /** The last day. `YYYY-MM-DD`. */
  readonly dueDate: string | null;
  /** Who sees the project and its tasks: all of the tenant, or only its members and tokens with the scope `all-projects`. By default `tenant`. */
  readonly visibility: 'tenant' | 'members';
  /** The ids of the users who take part. By default none. At most 100. */
  readonly memberIds: readonly string[];
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** One of the organizations, as `expand` adds it: without its description. */
export interface ExpandedOrganization {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** One of the projects before its deletion. */
export interface DeletedProject {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId: string;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description: string;
  /** The first day. `YYYY-MM-DD`. */
  readonly startDate: string | null;
  /** The last day. `YYYY-MM-DD`. */
  readonly dueDate: string | null;
  /** Who sees the project and its tasks: all of the tenant, or only its members and tokens with the scope `all-projects`. By default `tenant`. */
  readonly visibility: 'tenant' | 'members';
  /** The ids of the users who take part. By default none. At most 100. */
  readonly memberIds: readonly string[];
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
  /** With `expand`: the users of `memberIds`. */
  readonly members?: readonly undefined[] | undefined;
  /** When it was deleted. It can be restored for 30 days. As in `2026-03-02T09:15:27.318Z`. */
  readonly deletedAt: string;
  /** The subject of the token with which it was deleted: that of the user whose `subject` it is. Null on a service without tokens. At most 1,024 characters. */
  readonly deletedBy: string | null;
  /** The id of the entity whose deletion removed it. Null if it was deleted itself. At most 255 characters. */
  readonly deletedWith: string | null;
  /** Number of other entities that come back with it. */
  readonly restores: number;
}

/** All fields are optional. */
export interface CloneProjectOptions {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name?: string | undefined;
  /** What to copy with the project. At most 1. Default: `['tasks']`. */
  readonly include?: readonly 'tasks'[] | undefined;
}

/** Fields that you omit get their default values. */
export interface NewProject {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. Default: `'active'`. */
  readonly status?: Status | undefined;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId: string;
  /** Free text of one or more lines. At most 10,000 characters. Default: `''`. */
  readonly description?: string | undefined;
  /** The first day. `YYYY-MM-DD`. Default: `null`. */
  readonly startDate?: string | null | undefined;
  /** The last day. `YYYY-MM-DD`. Default: `null`. */
  readonly dueDate?: string | null | undefined;
  /** Who sees the project and its tasks: all of the tenant, or only its members and tokens with the scope `all-projects`. By default `tenant`. */
  readonly visibility?: 'tenant' | 'members' | undefined;
  /** The ids of the users who take part. By default none. At most 100. */
  readonly memberIds?: readonly string[] | undefined;
}

/** Fields that you omit do not change. null clears a nullable field. */
export interface ProjectChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status?: Status | undefined;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId?: string | undefined;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description?: string | undefined;
  /** The first day. `YYYY-MM-DD`. */
  readonly startDate?: string | null | undefined;
  /** The last day. `YYYY-MM-DD`. */
  readonly dueDate?: string | null | undefined;
  /** Who sees the project and its tasks: all of the tenant, or only its members and tokens with the scope `all-projects`. By default `tenant`. */
  readonly visibility?: 'tenant' | 'members' | undefined;
  /** The ids of the users who take part. By default none. At most 100. */
  readonly memberIds?: readonly string[] | undefined;
}

/** A user is a person to whom tasks can be assigned. */
export interface User {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** An e-mail address. Several users can share one. At most 254 characters. */
  readonly email: string | null;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId: string | null;
  /** Identifies the user to the issuer of tokens: the claim `sub`. It is unique in a tenant; otherwise the response is 409. 1 to 255 characters. */
  readonly subject: string | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** One of the users before its deletion. */
export interface DeletedUser {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** An e-mail address. Several users can share one. At most 254 characters. */
  readonly email: string | null;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId: string | null;
  /** Identifies the user to the issuer of tokens: the claim `sub`. It is unique in a tenant; otherwise the response is 409. 1 to 255 characters. */
  readonly subject: string | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
  /** When it was deleted. It can be restored for 30 days. As in `2026-03-02T09:15:27.318Z`. */
  readonly deletedAt: string;
  /** The subject of the token with which it was deleted: that of the user whose `subject` it is. Null on a service without tokens. At most 1,024 characters. */
  readonly deletedBy: string | null;
  /** The id of the entity whose deletion removed it. Null if it was deleted itself. At most 255 characters. */
  readonly deletedWith: string | null;
  /** Number of other entities that come back with it. */
  readonly restores: number;
}

/** Fields that you omit get their default values. */
export interface NewUser {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. Default: `'active'`. */
  readonly status?: Status | undefined;
  /** An e-mail address. Several users can share one. At most 254 characters. Default: `null`. */
  readonly email?: string | null | undefined;
  /** Id of the organization. At most 255 characters. Default: `null`. */
  readonly organizationId?: string | null | undefined;
  /** Identifies the user to the issuer of tokens: the claim `sub`. It is unique in a tenant; otherwise the response is 409. 1 to 255 characters. */
  readonly subject?: string | null | undefined;
}

/** Fields that you omit do not change. null clears a nullable field. */
export interface UserChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status?: Status | undefined;
  /** An e-mail address. Several users can share one. At most 254 characters. */
  readonly email?: string | null | undefined;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId?: string | null | undefined;
  /** Identifies the user to the issuer of tokens: the claim `sub`. It is unique in a tenant; otherwise the response is 409. 1 to 255 characters. */
  readonly subject?: string | null | undefined;
}

/** A task can belong to a project, be assigned to a user, and have tags. */
export interface Task {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description: string;
  /** The urgency, from none to urgent. */
  readonly priority: 'none' | 'low' | 'medium' | 'high' | 'urgent';
  /** Id of the project. Deleting the project also deletes the task. At most 255 characters. */
  readonly projectId: string | null;
  /** Id of the task that it is a part of. Deleting that task also deletes this one. At most 255 characters. */
  readonly parentId: string | null;
  /** Id of the user to whom the task is assigned. At most 255 characters. */
  readonly userId: string | null;
  /** The last day. `YYYY-MM-DD`. */
  readonly dueDate: string | null;
  /** Ids of the tags. At most 50. */
  readonly tagIds: readonly string[];
  /** A key for an order that people arrange, for example by drag and drop. Keys sort by code point, and their format is up to the app. At most 100 characters. */
  readonly position: string | null;
  /** The expected effort, in the unit of the team, with at most two decimals. */
  readonly estimate: number | null;
  /** The number that the service gave it: 1, 2, 3 … in the order of creation. It never changes, and no other task gets it. Null for a task that is older than the numbers. */
  readonly number: number | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** One of the projects, as `expand` adds it: without its description. */
export interface ExpandedProject {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId: string;
  /** The first day. `YYYY-MM-DD`. */
  readonly startDate: string | null;
  /** The last day. `YYYY-MM-DD`. */
  readonly dueDate: string | null;
  /** Who sees the project and its tasks: all of the tenant, or only its members and tokens with the scope `all-projects`. By default `tenant`. */
  readonly visibility: 'tenant' | 'members';
  /** The ids of the users who take part. By default none. At most 100. */
  readonly memberIds: readonly string[];
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** One of the tasks, as `expand` adds it: without its description. */
export interface ExpandedTask {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** The urgency, from none to urgent. */
  readonly priority: 'none' | 'low' | 'medium' | 'high' | 'urgent';
  /** Id of the project. Deleting the project also deletes the task. At most 255 characters. */
  readonly projectId: string | null;
  /** Id of the task that it is a part of. Deleting that task also deletes this one. At most 255 characters. */
  readonly parentId: string | null;
  /** Id of the user to whom the task is assigned. At most 255 characters. */
  readonly userId: string | null;
  /** The last day. `YYYY-MM-DD`. */
  readonly dueDate: string | null;
  /** Ids of the tags. At most 50. */
  readonly tagIds: readonly string[];
  /** A key for an order that people arrange, for example by drag and drop. Keys sort by code point, and their format is up to the app. At most 100 characters. */
  readonly position: string | null;
  /** The expected effort, in the unit of the team, with at most two decimals. */
  readonly estimate: number | null;
  /** The number that the service gave it: 1, 2, 3 … in the order of creation. It never changes, and no other task gets it. Null for a task that is older than the numbers. */
  readonly number: number | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** One of the tags, as `expand` adds it: without its description. */
export interface ExpandedTag {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** A color in the form #rrggbb. At most 7 characters. */
  readonly color: string;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId: string | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** One of the tasks before its deletion. */
export interface DeletedTask {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description: string;
  /** The urgency, from none to urgent. */
  readonly priority: 'none' | 'low' | 'medium' | 'high' | 'urgent';
  /** Id of the project. Deleting the project also deletes the task. At most 255 characters. */
  readonly projectId: string | null;
  /** Id of the task that it is a part of. Deleting that task also deletes this one. At most 255 characters. */
  readonly parentId: string | null;
  /** Id of the user to whom the task is assigned. At most 255 characters. */
  readonly userId: string | null;
  /** The last day. `YYYY-MM-DD`. */
  readonly dueDate: string | null;
  /** Ids of the tags. At most 50. */
  readonly tagIds: readonly string[];
  /** A key for an order that people arrange, for example by drag and drop. Keys sort by code point, and their format is up to the app. At most 100 characters. */
  readonly position: string | null;
  /** The expected effort, in the unit of the team, with at most two decimals. */
  readonly estimate: number | null;
  /** The number that the service gave it: 1, 2, 3 … in the order of creation. It never changes, and no other task gets it. Null for a task that is older than the numbers. */
  readonly number: number | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
  /** With `expand`: the tags of `tagIds`. */
  readonly tags?: readonly undefined[] | undefined;
  /** When it was deleted. It can be restored for 30 days. As in `2026-03-02T09:15:27.318Z`. */
  readonly deletedAt: string;
  /** The subject of the token with which it was deleted: that of the user whose `subject` it is. Null on a service without tokens. At most 1,024 characters. */
  readonly deletedBy: string | null;
  /** The id of the entity whose deletion removed it. Null if it was deleted itself. At most 255 characters. */
  readonly deletedWith: string | null;
  /** Number of other entities that come back with it. */
  readonly restores: number;
}

/** Fields that you omit get their default values. */
export interface NewTask {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. Default: `'active'`. */
  readonly status?: Status | undefined;
  /** Free text of one or more lines. At most 10,000 characters. Default: `''`. */
  readonly description?: string | undefined;
  /** The urgency, from none to urgent. Default: `'none'`. */
  readonly priority?: 'none' | 'low' | 'medium' | 'high' | 'urgent' | undefined;
  /** Id of the project. Deleting the project also deletes the task. At most 255 characters. */
  readonly projectId?: string | null | undefined;
  /** Id of the task that it is a part of. Deleting that task also deletes this one. At most 255 characters. Default: `null`. */
  readonly parentId?: string | null | undefined;
  /** Id of the user to whom the task is assigned. At most 255 characters. Default: `null`. */
  readonly userId?: string | null | undefined;
  /** The last day. `YYYY-MM-DD`. Default: `null`. */
  readonly dueDate?: string | null | undefined;
  /** Ids of the tags. At most 50. Default: `[]`. */
  readonly tagIds?: readonly string[] | undefined;
  /** A key for an order that people arrange, for example by drag and drop. Keys sort by code point, and their format is up to the app. At most 100 characters. Default: `null`. */
  readonly position?: string | null | undefined;
  /** The expected effort, in the unit of the team, with at most two decimals. Default: `null`. */
  readonly estimate?: number | null | undefined;
}

/** Fields that you omit do not change. null clears a nullable field. */
export interface TaskChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status?: Status | undefined;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description?: string | undefined;
  /** The urgency, from none to urgent. */
  readonly priority?: 'none' | 'low' | 'medium' | 'high' | 'urgent' | undefined;
  /** Id of the project. Deleting the project also deletes the task. At most 255 characters. */
  readonly projectId?: string | null | undefined;
  /** Id of the task that it is a part of. Deleting that task also deletes this one. At most 255 characters. */
  readonly parentId?: string | null | undefined;
  /** Id of the user to whom the task is assigned. At most 255 characters. */
  readonly userId?: string | null | undefined;
  /** The last day. `YYYY-MM-DD`. */
  readonly dueDate?: string | null | undefined;
  /** Ids of the tags. At most 50. */
  readonly tagIds?: readonly string[] | undefined;
  /** A key for an order that people arrange, for example by drag and drop. Keys sort by code point, and their format is up to the app. At most 100 characters. */
  readonly position?: string | null | undefined;
  /** The expected effort, in the unit of the team, with at most two decimals. */
  readonly estimate?: number | null | undefined;
}

/** A tag labels tasks. You can filter tasks by their tags. */
export interface Tag {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** A color in the form #rrggbb. At most 7 characters. */
  readonly color: string;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description: string;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId: string | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
}

/** One of the tags before its deletion. */
export interface DeletedTag {
  /** An opaque, unique id. Later ids sort after earlier ones. */
  readonly id: string;
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status: Status;
  /** A color in the form #rrggbb. At most 7 characters. */
  readonly color: string;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description: string;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId: string | null;
  /** The time of the creation, in UTC. */
  readonly createdAt: string;
  /** The time of the last write, in UTC. */
  readonly updatedAt: string;
  /** When it was deleted. It can be restored for 30 days. As in `2026-03-02T09:15:27.318Z`. */
  readonly deletedAt: string;
  /** The subject of the token with which it was deleted: that of the user whose `subject` it is. Null on a service without tokens. At most 1,024 characters. */
  readonly deletedBy: string | null;
  /** The id of the entity whose deletion removed it. Null if it was deleted itself. At most 255 characters. */
  readonly deletedWith: string | null;
  /** Number of other entities that come back with it. */
  readonly restores: number;
}

/** Fields that you omit get their default values. */
export interface NewTag {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name: string;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. Default: `'active'`. */
  readonly status?: Status | undefined;
  /** A color in the form #rrggbb. At most 7 characters. Default: `'#808080'`. */
  readonly color?: string | undefined;
  /** Free text of one or more lines. At most 10,000 characters. Default: `''`. */
  readonly description?: string | undefined;
  /** Id of the organization. At most 255 characters. Default: `null`. */
  readonly organizationId?: string | null | undefined;
}

/** Fields that you omit do not change. null clears a nullable field. */
export interface TagChanges {
  /** The name. Leading and trailing white space is removed before the length is checked. 1 to 255 characters. */
  readonly name?: string | undefined;
  /** Any status. Common values are active, planned, completed and archived. 1 to 64 characters. */
  readonly status?: Status | undefined;
  /** A color in the form #rrggbb. At most 7 characters. */
  readonly color?: string | undefined;
  /** Free text of one or more lines. At most 10,000 characters. */
  readonly description?: string | undefined;
  /** Id of the organization. At most 255 characters. */
  readonly organizationId?: string | null | undefined;
}

/** Filters of "List organizations": for each field its exact value, or operators. */
export interface OrganizationFilters {
  readonly id?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly name?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly status?: Filter<Status, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly description?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith'> | undefined;
  readonly createdAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly updatedAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
}

/** What `expand` adds. */
export interface OrganizationExpansions {
}

/** What `countBy` adds. */
export interface OrganizationCounts {
  /** The most frequent values of `status`, by count and then by value. */
  readonly status: readonly ValueCount<Status>[];
}

/** What `sumBy` adds. */
export interface OrganizationSums {
}

/** All types of the resource, for `ListQuery<OrganizationTypes>`. */
export interface OrganizationTypes {
  readonly entity: Organization;
  readonly new: NewOrganization;
  readonly changes: OrganizationChanges;
  readonly filters: OrganizationFilters;
  readonly sort: 'id' | 'name' | 'status' | 'description' | 'createdAt' | 'updatedAt';
  readonly expansions: OrganizationExpansions;
  readonly counts: OrganizationCounts;
  readonly sums: OrganizationSums;
}

/** Filters of "List projects": for each field its exact value, or operators. */
export interface ProjectFilters {
  readonly id?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly name?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly status?: Filter<Status, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly organizationId?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly description?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith'> | undefined;
  readonly startDate?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly dueDate?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly visibility?: Filter<'tenant' | 'members', 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly memberIds?: Filter<string, 'in' | 'all' | 'isEmpty'> | undefined;
  readonly createdAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly updatedAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
}

/** What `expand` adds. */
export interface ProjectExpansions {
  /** With `expand`: the organization of `organizationId`. */
  readonly organization: ExpandedOrganization | null;
  /** With `expand`: the users of `memberIds`. */
  readonly members: readonly User[];
}

/** What `countBy` adds. */
export interface ProjectCounts {
  /** The most frequent values of `status`, by count and then by value. */
  readonly status: readonly ValueCount<Status>[];
  /** The most frequent values of `organizationId`, by count and then by value. */
  readonly organizationId: readonly ValueCount<string>[];
  /** The most frequent values of `startDate`, by count and then by value. */
  readonly startDate: readonly ValueCount<string | null>[];
  /** The most frequent values of `dueDate`, by count and then by value. */
  readonly dueDate: readonly ValueCount<string | null>[];
  /** The most frequent values of `visibility`, by count and then by value. */
  readonly visibility: readonly ValueCount<'tenant' | 'members'>[];
  /** The most frequent values of `memberIds`, by count and then by value. */
  readonly memberIds: readonly ValueCount<string>[];
}

/** What `sumBy` adds. */
export interface ProjectSums {
}

/** All types of the resource, for `ListQuery<ProjectTypes>`. */
export interface ProjectTypes {
  readonly entity: Project;
  readonly new: NewProject;
  readonly changes: ProjectChanges;
  readonly filters: ProjectFilters;
  readonly sort: 'id' | 'name' | 'status' | 'organizationId' | 'description' | 'startDate' | 'dueDate' | 'visibility' | 'createdAt' | 'updatedAt';
  readonly expansions: ProjectExpansions;
  readonly counts: ProjectCounts;
  readonly sums: ProjectSums;
}

/** Filters of "List users": for each field its exact value, or operators. */
export interface UserFilters {
  readonly id?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly name?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly status?: Filter<Status, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly email?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly organizationId?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly subject?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly createdAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly updatedAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
}

/** What `expand` adds. */
export interface UserExpansions {
  /** With `expand`: the organization of `organizationId`. */
  readonly organization: ExpandedOrganization | null;
}

/** What `countBy` adds. */
export interface UserCounts {
  /** The most frequent values of `status`, by count and then by value. */
  readonly status: readonly ValueCount<Status>[];
  /** The most frequent values of `email`, by count and then by value. */
  readonly email: readonly ValueCount<string | null>[];
  /** The most frequent values of `organizationId`, by count and then by value. */
  readonly organizationId: readonly ValueCount<string | null>[];
  /** The most frequent values of `subject`, by count and then by value. */
  readonly subject: readonly ValueCount<string | null>[];
}

/** What `sumBy` adds. */
export interface UserSums {
}

/** All types of the resource, for `ListQuery<UserTypes>`. */
export interface UserTypes {
  readonly entity: User;
  readonly new: NewUser;
  readonly changes: UserChanges;
  readonly filters: UserFilters;
  readonly sort: 'id' | 'name' | 'status' | 'email' | 'organizationId' | 'subject' | 'createdAt' | 'updatedAt';
  readonly expansions: UserExpansions;
  readonly counts: UserCounts;
  readonly sums: UserSums;
}

/** Filters of "List tasks": for each field its exact value, or operators. */
export interface TaskFilters {
  readonly id?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly name?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly status?: Filter<Status, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly description?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith'> | undefined;
  readonly priority?: Filter<'none' | 'low' | 'medium' | 'high' | 'urgent', 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly projectId?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly parentId?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly userId?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly dueDate?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly tagIds?: Filter<string, 'in' | 'all' | 'isEmpty'> | undefined;
  readonly position?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly estimate?: Filter<number, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly number?: Filter<number, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly createdAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly updatedAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
}

/** What `expand` adds. */
export interface TaskExpansions {
  /** With `expand`: the project of `projectId`. */
  readonly project: ExpandedProject | null;
  /** With `expand`: the task of `parentId`. */
  readonly parent: ExpandedTask | null;
  /** With `expand`: the user of `userId`. */
  readonly user: User | null;
  /** With `expand`: the tags of `tagIds`. */
  readonly tags: readonly ExpandedTag[];
}

/** What `countBy` adds. */
export interface TaskCounts {
  /** The most frequent values of `status`, by count and then by value. */
  readonly status: readonly ValueCount<Status>[];
  /** The most frequent values of `priority`, by count and then by value. */
  readonly priority: readonly ValueCount<'none' | 'low' | 'medium' | 'high' | 'urgent'>[];
  /** The most frequent values of `projectId`, by count and then by value. */
  readonly projectId: readonly ValueCount<string | null>[];
  /** The most frequent values of `parentId`, by count and then by value. */
  readonly parentId: readonly ValueCount<string | null>[];
  /** The most frequent values of `userId`, by count and then by value. */
  readonly userId: readonly ValueCount<string | null>[];
  /** The most frequent values of `dueDate`, by count and then by value. */
  readonly dueDate: readonly ValueCount<string | null>[];
  /** The most frequent values of `tagIds`, by count and then by value. */
  readonly tagIds: readonly ValueCount<string>[];
  /** The most frequent values of `position`, by count and then by value. */
  readonly position: readonly ValueCount<string | null>[];
}

/** What `sumBy` adds. */
export interface TaskSums {
  readonly estimate: number;
}

/** All types of the resource, for `ListQuery<TaskTypes>`. */
export interface TaskTypes {
  readonly entity: Task;
  readonly new: NewTask;
  readonly changes: TaskChanges;
  readonly filters: TaskFilters;
  readonly sort: 'id' | 'name' | 'status' | 'description' | 'priority' | 'projectId' | 'parentId' | 'userId' | 'dueDate' | 'position' | 'estimate' | 'number' | 'createdAt' | 'updatedAt';
  readonly expansions: TaskExpansions;
  readonly counts: TaskCounts;
  readonly sums: TaskSums;
}

/** Filters of "List tags": for each field its exact value, or operators. */
export interface TagFilters {
  readonly id?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly name?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly status?: Filter<Status, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly color?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly description?: Filter<string, 'ne' | 'in' | 'notIn' | 'startsWith'> | undefined;
  readonly organizationId?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte' | 'isNull'> | undefined;
  readonly createdAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
  readonly updatedAt?: Filter<string, 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte'> | undefined;
}

/** What `expand` adds. */
export interface TagExpansions {
  /** With `expand`: the organization of `organizationId`. */
  readonly organization: ExpandedOrganization | null;
}

/** What `countBy` adds. */
export interface TagCounts {
  /** The most frequent values of `status`, by count and then by value. */
  readonly status: readonly ValueCount<Status>[];
  /** The most frequent values of `color`, by count and then by value. */
  readonly color: readonly ValueCount<string>[];
  /** The most frequent values of `organizationId`, by count and then by value. */
  readonly organizationId: readonly ValueCount<string | null>[];
}

/** What `sumBy` adds. */
export interface TagSums {
}

/** All types of the resource, for `ListQuery<TagTypes>`. */
export interface TagTypes {
  readonly entity: Tag;
  readonly new: NewTag;
  readonly changes: TagChanges;
  readonly filters: TagFilters;
  readonly sort: 'id' | 'name' | 'status' | 'color' | 'description' | 'organizationId' | 'createdAt' | 'updatedAt';
  readonly expansions: TagExpansions;
  readonly counts: TagCounts;
  readonly sums: TagSums;
}

/** Status of each kind of problem. */
export interface ProblemStatuses {
  'malformed-body': 400;
  'malformed-request': 400;
  'invalid-request': 400;
  'no-tenant': 403;
  'missing-scope': 403;
  'not-a-member': 403;
  'not-found': 404;
  'live-is-off': 404;
  'method-not-allowed': 405;
  'reference-missing': 409;
  'subject-taken': 409;
  'cursor-expired': 410;
  'version-mismatch': 412;
  'body-too-large': 413;
  'unsupported-media-type': 415;
  'idempotency-key-reused': 422;
  'clone-too-large': 422;
  'too-many-requests': 429;
  'headers-too-large': 431;
  'internal-error': 500;
  'unavailable': 503;
}
