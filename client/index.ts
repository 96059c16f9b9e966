/** A client for the project-management API, for browsers, Node.js and React Native. */
import { Collection, type CreateOptions } from './collection.ts';
import type { ClientOptions, RequestOptions } from './connection.ts';
import type { Listing } from './listing.ts';
import { type LiveChannels, LiveConnection } from './live.ts';
import type * as types from './types.ts';
import type { Target, Versioned } from './versions.ts';

export type { PullOptions } from './change-reader.ts';
export type { LocalChange, PushResult, RenewId } from './change-writer.ts';
export type {
  BatchOperation,
  BatchResults,
  CreateOptions,
  ExpandOptions,
  HistoryOptions,
} from './collection.ts';
export { Collection, IncompleteBatchError } from './collection.ts';
export type { ClientOptions, RequestOptions, WebSocketLike } from './connection.ts';
export type { Filter, Operators } from './filters.ts';
export { newId } from './ids.ts';
export { Listing } from './listing.ts';
export type { LiveChannels } from './live.ts';
export type { Problem, ProblemCode, ValidationIssue } from './problems.ts';
export { ConnectionError, isProblem, ProblemError } from './problems.ts';
export type {
  ChangesPage,
  ChangesQuery,
  Counted,
  DeletedQuery,
  Deletion,
  Direction,
  FieldChange,
  HistoryEntry,
  HistoryPage,
  Item,
  IterationQuery,
  ListQuery,
  Page,
  ResourceTypes,
  ValueCount,
} from './query.ts';
export type { PushOptions, ReplicationOptions } from './replication.ts';
export { Replication } from './replication.ts';
export type { SyncOptions, SyncPage } from './sync.ts';
export type * from './types.ts';
export type { EntityTag, Target, Versioned } from './versions.ts';
export { etagOf } from './versions.ts';

class Organizations extends Collection<types.OrganizationTypes> {
  /**
   * Archives an organization and its projects: their status becomes `archived`.
   * @throws ProblemError `version-mismatch` if `target` is an entity that has changed since.
   * @example
   * const { status } = await client.organizations.archive(organization);
   */
  async archive(
    target: Target<types.Organization>,
    options?: CreateOptions,
  ): Promise<Versioned<types.Organization>> {
    return this.act(target, '/archive', options);
  }

  /**
   * Returns the list of the projects of an organization.
   * @example
   * const { total } = await client.organizations.projects(organization.id).list({ status: 'active' });
   */
  projects(id: string): Listing<types.ProjectTypes> {
    return this.nested(id, 'projects');
  }

  /**
   * Returns the list of the users of an organization.
   * @example
   * for await (const { email } of client.organizations.users(organization.id).iterate()) console.log(email);
   */
  users(id: string): Listing<types.UserTypes> {
    return this.nested(id, 'users');
  }
}

class Projects extends Collection<types.ProjectTypes> {
  /**
   * Copies a project. Copies its tasks too, unless `include` is empty.
   * @example
   * const copy = await client.projects.clone(project, { name: 'Relaunch 2', include: [] });
   */
  async clone(
    target: Target<types.Project>,
    options: types.CloneProjectOptions = {},
    requestOptions?: CreateOptions,
  ): Promise<Versioned<types.Project>> {
    return this.act(target, '/clone', requestOptions, options);
  }

  /**
   * Returns the list of the tasks of a project.
   * @example
   * const { data } = await client.projects.tasks(project.id).list({ sortBy: 'dueDate' });
   */
  tasks(id: string): Listing<types.TaskTypes> {
    return this.nested(id, 'tasks');
  }
}

class Users extends Collection<types.UserTypes> {
  /**
   * Returns the list of the tasks of a user.
   * @example
   * const { data } = await client.users.tasks(user.id).list({ dueDate: { lt: '2026-03-09' } });
   */
  tasks(id: string): Listing<types.TaskTypes> {
    return this.nested(id, 'tasks');
  }
}

class Tags extends Collection<types.TagTypes> {
  /**
   * Returns the list of the tasks with a tag.
   * @example
   * const { data } = await client.tags.tasks(tag.id).list({ expand: ['project'] });
   */
  tasks(id: string): Listing<types.TaskTypes> {
    return this.nested(id, 'tasks');
  }
}

class Tasks extends Collection<types.TaskTypes> {
  /**
   * Returns the list of the sub-tasks of a task.
   * @example
   * const { data } = await client.tasks.tasks(task.id).list({ sortBy: 'position' });
   */
  tasks(id: string): Listing<types.TaskTypes> {
    return this.nested(id, 'tasks');
  }
}

/** Who a token is for. */
export interface SignedInUser {
  /** The claim `sub` of the token, or `client_id`; `null` on a service without tokens. */
  readonly subject: string | null;
  readonly tenant: string;
  /** The scopes of this API that the token has, such as `tasks:read`. */
  readonly scopes: readonly string[];
  /** The user with this subject; `null` without one, or without the scope `users:read`. It has no version. */
  readonly user: types.User | null;
}

/** The client: one collection for each resource. */
export class Client {
  readonly organizations: Organizations;
  readonly projects: Projects;
  readonly users: Users;
  readonly tasks: Tasks;
  readonly tags: Tags;
  // npx pm-api new: above this line
  readonly #connection: LiveConnection;

  constructor(options: ClientOptions) {
    const connection = new LiveConnection(options);
    this.#connection = connection;
    this.organizations = new Organizations(connection, '/v1/organizations');
    this.projects = new Projects(connection, '/v1/projects');
    this.users = new Users(connection, '/v1/users');
    this.tasks = new Tasks(connection, '/v1/tasks');
    this.tags = new Tags(connection, '/v1/tags');
    // npx pm-api new: above this line
  }

  /**
   * Returns who the token is for: its subject, tenant and scopes, and the user with this subject.
   * @example
   * const { user, scopes } = await client.me();
   */
  async me({ signal }: RequestOptions = {}): Promise<SignedInUser> {
    const { body } = await this.#connection.send({ method: 'GET', path: '/v1/users/me', signal });
    return body as SignedInUser;
  }

  /**
   * Returns where changes are announced. `sync` of a collection and the adapters follow it by themselves with the option `live`.
   * @throws ProblemError `live-is-off` if they are not.
   * @example
   * const { url, channels } = await client.live();
   */
  async live(options: RequestOptions = {}): Promise<LiveChannels> {
    return this.#connection.channels(options);
  }

  /**
   * Checks that the service and its database are available.
   * @throws ProblemError or ConnectionError when they are not.
   * @example
   * await client.health({ signal: AbortSignal.timeout(2_000) });
   */
  async health({ signal }: RequestOptions = {}): Promise<void> {
    await this.#connection.send({ method: 'GET', path: '/v1/health', signal });
  }
}

/**
 * Returns a client.
 * @throws TypeError for a URL that is neither an HTTP address nor a path.
 * @example
 * const client = createClient({ url: 'http://localhost:3000' });
 * const { data, total } = await client.tasks.list({ priority: { gte: 'high' } });
 */
export const createClient = (options: ClientOptions): Client => new Client(options);
