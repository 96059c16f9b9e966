import type { Contract } from '#functions/contract/contract.ts';
import type { Resource } from '#functions/contract/resource.ts';
import { routes } from '#functions/routes.ts';
import { accessOf } from '#lib/infrastructure/table-access.ts';
import { isFullRun } from '../support/runs.ts';
import type { FaultyService, TestResponse } from './faulty-service.ts';

/** Every operation with a request that succeeds without faults. The fault tests loop over them. */

/** The ids of related entities: a task in a project, with a user and a tag, and their organization. */
export type Ids = Readonly<Record<string, string>>;

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

const isRestore = ({ path }: Contract): boolean => path.endsWith('/restore');

/** Brings the entity of a request into the state that it needs: a restore needs a deleted one. */
export async function prepareTarget(faulty: FaultyService, contract: Contract, ids: Ids): Promise<void> {
  if (!isRestore(contract)) return;
  const [, , plural = ''] = contract.path.split('/');
  expect((await faulty.send('DELETE', `/v1/${plural}/${ids[plural]}`)).status).toBe(204);
}

/** Creates the entity of a request. @returns the ids with its own. */
export async function makeTarget(faulty: FaultyService, contract: Contract, ids: Ids): Promise<Ids> {
  const own = await makeEntity(faulty, contract.resource?.plural ?? '', ids);
  await prepareTarget(faulty, contract, own);
  return own;
}

/** Creates one entity of each kind with references to the others. @returns their ids by the plural of their kind. */
export async function makeEntities(faulty: FaultyService): Promise<Ids> {
  let ids: Ids = {};
  for (const plural of ['organizations', 'projects', 'users', 'tags', 'tasks']) {
    ids = await makeEntity(faulty, plural, ids);
  }
  return ids;
}

/** Returns a valid body of a request that writes an entity: `POST` and `PATCH` write a long description, and `PUT` removes it. */
function fieldsFor(method: string, resource: Resource | undefined, ids: Ids): object {
  const required = resource?.plural === 'projects' ? { organizationId: ids['organizations'] } : {};
  const isLong = method !== 'PUT' && resource !== undefined && 'description' in resource.fields;
  const description = isLong ? { description: longDescription(method) } : {};
  return method === 'PATCH'
    ? { status: 'changed', ...description }
    : { name: 'replaced', ...required, ...description };
}

/** Returns a valid body for an operation. A batch creates one entity, with references to others, and updates another one. */
export function bodyFor({ method, body, resource, success }: Contract, ids: Ids): object | undefined {
  if (!body) return undefined;
  if (body.optional) return {};
  if (success !== 'batch' || !resource) return fieldsFor(method, resource, ids);
  const created = { ...fieldsFor('POST', resource, ids), ...references(ids)[resource.plural] };
  return {
    operations: [
      { operation: 'create', body: created },
      { operation: 'update', id: ids[resource.plural], body: fieldsFor('PATCH', resource, ids) },
    ],
  };
}

interface Written {
  readonly id: string;
  readonly status: number;
  readonly total: number;
  readonly results: readonly { readonly body: Written }[];
}

/** Returns the entity that a write returns: of a batch, the one that it creates. */
export const writtenEntity = ({ success }: Contract, body: Written): Written | undefined =>
  success === 'batch' ? body.results[0]?.body : body;

/** Sends a request that succeeds without faults. @param headers additional headers. */
export function request(
  faulty: FaultyService,
  contract: Contract,
  ids: Ids,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse<Written>> {
  const [, , plural = ''] = contract.path.split('/');
  const path = contract.path.replace('{id}', ids[plural] ?? '');
  return faulty.send(contract.method, path, bodyFor(contract, ids), headers);
}

export const successStatus: Readonly<Record<Contract['success'], number>> = {
  list: 200,
  entity: 200,
  created: 201,
  deleted: 204,
  deletedList: 200,
  changes: 200,
  history: 200,
  batch: 200,
  signedInUser: 200,
  health: 200,
  staticPage: 200,
};

/** Returns by how much a successful operation changes the number of entities of its kind. */
export function growth(contract: Contract): number {
  const { success } = contract;
  if (success === 'created' || success === 'batch' || isRestore(contract)) return 1;
  return success === 'deleted' ? -1 : 0;
}

/** Returns whether a short run includes the operation: those on tasks, and those that start jobs. */
const isInShortRun = ({ operation, resource }: Contract): boolean =>
  resource?.kind === 'task' ||
  ['archiveOrganization', 'cloneProject', 'deleteOrganization', 'deleteProject'].includes(operation);

/** Returns whether an operation calls DynamoDB. */
export function callsDynamoDb(contract: Contract): boolean {
  const { actions, indexes = [] } = accessOf(contract);
  return actions.length + indexes.length > 0;
}

/** The operations that call DynamoDB. A full run includes all of them. */
export const operations: readonly Contract[] = routes
  .map(({ contract }) => contract)
  .filter(callsDynamoDb)
  // Without tokens, it reads nothing.
  .filter(({ success }) => success !== 'signedInUser')
  .filter((contract) => isFullRun || isInShortRun(contract));

export const writes: readonly Contract[] = operations.filter(({ method }) => method !== 'GET');
