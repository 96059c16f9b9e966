/** A client of the project-management API, for browsers and Node.js. `docs/client.md` shows how it is used. */
import { Collection, type CreateOptions, type Listing, type Target, type Versioned } from './collection.ts';
import { type ClientOptions, Connection, type RequestOptions } from './connection.ts';
import type * as types from './types.ts';

export type { CreateOptions, Listing, Page, Target, Versioned } from './collection.ts';
export { Collection, etagOf } from './collection.ts';
export type { ClientOptions, RequestOptions } from './connection.ts';
export type { Fault, Problem, ProblemCode } from './problems.ts';
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

  /** The projects of an organization. */
  projects(id: string): Listing<types.Project, types.ProjectQuery> {
    return this.nested(id, 'projects');
  }

  /** The users of an organization. */
  users(id: string): Listing<types.User, types.UserQuery> {
    return this.nested(id, 'users');
  }
}

class Projects extends Collection<types.Project, types.NewProject, types.ProjectChanges, types.ProjectQuery> {
  /** Creates a project like another, with copies of its tasks unless `include` is empty. */
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

  /** The tasks of a project. */
  tasks(id: string): Listing<types.Task, types.TaskQuery> {
    return this.nested(id, 'tasks');
  }
}

class Users extends Collection<types.User, types.NewUser, types.UserChanges, types.UserQuery> {
  /** The tasks of a user. */
  tasks(id: string): Listing<types.Task, types.TaskQuery> {
    return this.nested(id, 'tasks');
  }
}

class Tags extends Collection<types.Tag, types.NewTag, types.TagChanges, types.TagQuery> {
  /** The tasks that have a tag. */
  tasks(id: string): Listing<types.Task, types.TaskQuery> {
    return this.nested(id, 'tasks');
  }
}

class Tasks extends Collection<types.Task, types.NewTask, types.TaskChanges, types.TaskQuery> {}

/** The whole API. */
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
   * Asks whether the service is well.
   * @throws ProblemError or ConnectionError when it is not.
   */
  async health({ signal }: RequestOptions = {}): Promise<void> {
    await this.#connection.send({ method: 'GET', path: '/v1/health', signal });
  }
}

/** Makes a client. */
export const createClient = (options: ClientOptions): Client => new Client(options);
