import { routes } from '../../functions/routes.ts';
import type { Contract } from '../../functions/shared/contract/contract.ts';
import { isFullRun } from '../support/runs.ts';
import type { Answer, FaultyService } from './faulty-service.ts';

/** Every operation, as a request that succeeds when nothing fails: what the tests of faults loop over. */

/** Entities to work on: a task in a project, with a user and a tag, and the organization of all of them. */
export type Ids = Readonly<Record<string, string>>;

/** What refers to what, when there is one of each kind. */
export const references = (ids: Ids): Readonly<Record<string, object>> => ({
  projects: { organizationId: ids['organizations'] },
  users: { organizationId: ids['organizations'] },
  tags: { organizationId: ids['organizations'] },
  tasks: { projectId: ids['projects'], userId: ids['users'], tagIds: [ids['tags']] },
});

/** Makes one more entity, which refers to others. @returns the ids, with its own. */
export async function makeEntity(faulty: FaultyService, plural: string, ids: Ids): Promise<Ids> {
  const { status, body } = await faulty.send<{ id: string }>('POST', `/v1/${plural}`, {
    name: 'made',
    ...references(ids)[plural],
  });
  expect([plural, status]).toEqual([plural, 201]);
  return { ...ids, [plural]: body.id };
}

/** Makes one of each kind, which refer to each other. @returns their ids by the plural of their kind. */
export async function makeEntities(faulty: FaultyService): Promise<Ids> {
  let ids: Ids = {};
  for (const plural of ['organizations', 'projects', 'users', 'tags', 'tasks']) {
    ids = await makeEntity(faulty, plural, ids);
  }
  return ids;
}

/** What an operation's body may be. */
export function bodyFor({ method, body, resource }: Contract, ids: Ids): object | undefined {
  if (!body) return undefined;
  if (body.optional) return {};
  const references = resource?.plural === 'projects' ? { organizationId: ids['organizations'] } : {};
  return method === 'PATCH' ? { status: 'changed' } : { name: 'replaced', ...references };
}

/** Sends what succeeds when nothing fails. @param headers besides its own. */
export function request(
  faulty: FaultyService,
  contract: Contract,
  ids: Ids,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<{ id: string; status: number; total: number }>> {
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

/** By how many there are more of its kind when an operation has succeeded. */
export const growth = ({ success }: Contract): number =>
  success === 'created' ? 1 : success === 'deleted' ? -1 : 0;

/** In a short run, the operations on tasks and those with jobs stand for all. */
const isInShortRun = ({ operation, resource }: Contract): boolean =>
  resource?.kind === 'task' ||
  ['archiveOrganization', 'cloneProject', 'deleteOrganization', 'deleteProject'].includes(operation);

/** The operations that call DynamoDB: all of them in a full run. */
export const operations: readonly Contract[] = routes
  .map(({ contract }) => contract)
  .filter(({ access }) => access.actions.length > 0)
  .filter((contract) => isFullRun || isInShortRun(contract));

/** The operations that write. */
export const writes: readonly Contract[] = operations.filter(({ method }) => method !== 'GET');
