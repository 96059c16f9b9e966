/** A client for the project-management API, for browsers and Node.js. `docs/client.md` describes its use. */
import { Collection, type CreateOptions, type Listing, type Target, type Versioned } from './collection.ts';
import { type ClientOptions, Connection, type RequestOptions } from './connection.ts';
import type * as types from './types.ts';

export type { CreateOptions, Listing, Page, Target, Versioned } from './collection.ts';
export { Collection, etagOf } from './collection.ts';
export type { ClientOptions, RequestOptions } from './connection.ts';
export type { Problem, ProblemCode, ValidationIssue } from './problems.ts';
export { ConnectionError, isProblem, ProblemError } from './problems.ts';
export type * from './types.ts';

class Organizations extends Collection<
  types.Organization,
  types.NewOrganization,
  types.OrganizationChanges,
  types.OrganizationQuery
> {
  /** Archives an organization and its projects. */
  async archive(
    target: Target<types.Organization>,
    { idempotencyKey, signal }: CreateOptions = {},
  ): Promise<Versioned<types.Organization>> {
    return this.written({ method: 'POST', ...this.target(target, '/archive'), idempotencyKey, signal });
  }

  /** Returns the list of the projects of an organization. */
  projects(id: string): Listing<types.Project, types.ProjectQuery> {
    return this.nested(id, 'projects');
  }

  /** Returns the list of the users of an organization. */
  users(id: string): Listing<types.User, types.UserQuery> {
    return this.nested(id, 'users');
  }
}

class Projects extends Collection<types.Project, types.NewProject, types.ProjectChanges, types.ProjectQuery> {
  /** Copies a project. Copies its tasks too, unless `include` is empty. */
  async clone(
    target: Target<types.Project>,
    options: types.CloneProjectOptions = {},
    { idempotencyKey, signal }: CreateOptions = {},
  ): Promise<Versioned<types.Project>> {
    return this.written({
      method: 'POST',
      ...this.target(target, '/clone'),
      body: options,
      idempotencyKey,
      signal,
    });
  }

  /** Returns the list of the tasks of a project. */
  tasks(id: string): Listing<types.Task, types.TaskQuery> {
    return this.nested(id, 'tasks');
  }
}

class Users extends Collection<types.User, types.NewUser, types.UserChanges, types.UserQuery> {
  /** Returns the list of the tasks of a user. */
  tasks(id: string): Listing<types.Task, types.TaskQuery> {
    return this.nested(id, 'tasks');
  }
}

class Tags extends Collection<types.Tag, types.NewTag, types.TagChanges, types.TagQuery> {
  /** Returns the list of the tasks with a tag. */
  tasks(id: string): Listing<types.Task, types.TaskQuery> {
    return this.nested(id, 'tasks');
  }
}

class Tasks extends Collection<types.Task, types.NewTask, types.TaskChanges, types.TaskQuery> {}

/** The client: one collection for each resource. */
export class Client {
  readonly organizations: Organizations;
  readonly projects: Projects;
  readonly users: Users;
  readonly tasks: Tasks;
  readonly tags: Tags;
  readonly #connection: Connection;

  constructor(options: ClientOptions) {
    const connection = new Connection(options);
    this.#connection = connection;
    this.organizations = new Organizations(connection, '/v1/organizations');
    this.projects = new Projects(connection, '/v1/projects');
    this.users = new Users(connection, '/v1/users');
    this.tasks = new Tasks(connection, '/v1/tasks');
    this.tags = new Tags(connection, '/v1/tags');
  }

  /**
   * Checks that the service and its database are available.
   * @throws ProblemError or ConnectionError when they are not.
   */
  async health({ signal }: RequestOptions = {}): Promise<void> {
    await this.#connection.send({ method: 'GET', path: '/v1/health', signal });
  }
}

/** Returns a client. */
export const createClient = (options: ClientOptions): Client => new Client(options);
