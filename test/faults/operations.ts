import { routes } from '../../functions/routes.ts';
import type { Contract } from '../../functions/shared/contract/contract.ts';
import { isFullRun } from '../support/runs.ts';
import type { FaultyService, TestResponse } from './faulty-service.ts';

/** Every operation with a request that succeeds without faults. The fault tests loop over them. */

/** The ids of related entities: a task in a project, with a user and a tag, and their organization. */
export type Ids = Readonly<Record<string, string>>;

/** Returns the references of each kind to the other entities. */
export const references = (ids: Ids): Readonly<Record<string, object>> => ({
  projects: { organizationId: ids['organizations'] },
  users: { organizationId: ids['organizations'] },
  tags: { organizationId: ids['organizations'] },
  tasks: { projectId: ids['projects'], userId: ids['users'], tagIds: [ids['tags']] },
});

/** Returns a description of 601 bytes or more, which is stored beside its entity. */
const longDescription = (name: string): string => `${name} ${'é'.repeat(300)}`;

/** Creates an entity that refers to the others, with a long description. @returns the ids with its own. */
export async function makeEntity(faulty: FaultyService, plural: string, ids: Ids): Promise<Ids> {
  const { status, body } = await faulty.send<{ id: string }>('POST', `/v1/${plural}`, {
    name: 'created',
    ...(plural !== 'users' && { description: longDescription('created') }),
    ...references(ids)[plural],
  });
  expect([plural, status]).toEqual([plural, 201]);
  return { ...ids, [plural]: body.id };
}

/** Creates one entity of each kind with references to the others. @returns their ids by the plural of their kind. */
export async function makeEntities(faulty: FaultyService): Promise<Ids> {
  let ids: Ids = {};
  for (const plural of ['organizations', 'projects', 'users', 'tags', 'tasks']) {
    ids = await makeEntity(faulty, plural, ids);
  }
  return ids;
}

/** Returns a valid body for an operation: `POST` and `PATCH` write a long description, and `PUT` removes it. */
export function bodyFor({ method, body, resource }: Contract, ids: Ids): object | undefined {
  if (!body) return undefined;
  if (body.optional) return {};
  const references = resource?.plural === 'projects' ? { organizationId: ids['organizations'] } : {};
  const isLong = method !== 'PUT' && body.writable.includes('description');
  const description = isLong ? { description: longDescription(method) } : {};
  return method === 'PATCH'
    ? { status: 'changed', ...description }
    : { name: 'replaced', ...references, ...description };
}

/** Sends a request that succeeds without faults. @param headers additional headers. */
export function request(
  faulty: FaultyService,
  contract: Contract,
  ids: Ids,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse<{ id: string; status: number; total: number }>> {
  const [, , plural = ''] = contract.path.split('/');
  const path = contract.path.replace('{id}', ids[plural] ?? '');
  return faulty.send(contract.method, path, bodyFor(contract, ids), headers);
}

/** The status of each kind of success. */
export const successStatus: Readonly<Record<Contract['success'], number>> = {
  list: 200,
  entity: 200,
  created: 201,
  deleted: 204,
  health: 200,
  staticPage: 200,
};

/** Returns by how much a successful operation changes the number of entities of its kind. */
export const growth = ({ success }: Contract): number =>
  success === 'created' ? 1 : success === 'deleted' ? -1 : 0;

/** Returns whether a short run includes the operation: those on tasks, and those that start jobs. */
const isInShortRun = ({ operation, resource }: Contract): boolean =>
  resource?.kind === 'task' ||
  ['archiveOrganization', 'cloneProject', 'deleteOrganization', 'deleteProject'].includes(operation);

/** The operations that call DynamoDB. A full run includes all of them. */
export const operations: readonly Contract[] = routes
  .map(({ contract }) => contract)
  .filter(({ access }) => access.actions.length > 0)
  .filter((contract) => isFullRun || isInShortRun(contract));

/** The operations that write. */
export const writes: readonly Contract[] = operations.filter(({ method }) => method !== 'GET');
