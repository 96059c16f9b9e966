/** Every operation with a request that succeeds without faults. Scenarios loop over them. */
import type { Contract } from '#functions/contract/contract.ts';
import type { Resource } from '#functions/contract/resource.ts';
import { routes } from '#functions/routes.ts';
import { accessOf } from '#lib/infrastructure/table-access.ts';
import { isFullRun } from '../support/runs.ts';
import { create, type Received, send } from './scenario.ts';
import type { World } from './world.ts';

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
async function makeEntity(world: World, plural: string, ids: Ids): Promise<Ids> {
  const description = plural === 'users' ? {} : { description: longDescription('created') };
  return { ...ids, [plural]: await create(world, plural, { ...description, ...references(ids)[plural] }) };
}

/** Creates one entity of each kind with references to the others. @returns their ids by the plural of their kind. */
export async function makeEntities(world: World): Promise<Ids> {
  let ids: Ids = {};
  for (const plural of ['organizations', 'projects', 'users', 'tags', 'tasks'])
    ids = await makeEntity(world, plural, ids);
  return ids;
}

const isRestore = ({ path }: Contract): boolean => path.endsWith('/restore');

export const pluralOf = ({ resource, path }: Contract): string =>
  resource?.plural ?? path.split('/')[2] ?? '';

/** Brings the entity of a request into the state that it needs: a restore needs a deleted one. */
export async function prepareTarget(world: World, contract: Contract, ids: Ids): Promise<Ids> {
  const plural = pluralOf(contract);
  if (isRestore(contract))
    expect((await send(world, 'DELETE', `/v1/${plural}/${ids[plural]}`)).status).toBe(204);
  return ids;
}

/** Creates the entity of a request. @returns the ids with its own. */
export const makeTarget = async (world: World, contract: Contract, ids: Ids): Promise<Ids> =>
  prepareTarget(world, contract, await makeEntity(world, pluralOf(contract), ids));

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

export const pathFor = (contract: Contract, ids: Ids): string =>
  contract.path.replace('{id}', ids[contract.path.split('/')[2] ?? ''] ?? '');

/** Sends a request that succeeds without faults. @param headers additional headers. */
export const request = (
  world: World,
  contract: Contract,
  ids: Ids,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> => send(world, contract.method, pathFor(contract, ids), bodyFor(contract, ids), headers);

/** Returns the entity that a write returns: of a batch, the one that it creates. */
export const writtenEntity = (
  { success }: Contract,
  { body }: Received,
): { readonly id: string } | undefined => (success === 'batch' ? body.results[0]?.body : body);

export const successStatus = ({ success }: Contract): number =>
  success === 'created' ? 201 : success === 'deleted' ? 204 : 200;

/** Returns by how much a successful operation changes the number of entities of its kind. */
export function growth(contract: Contract): number {
  const { success } = contract;
  if (success === 'created' || success === 'batch' || isRestore(contract)) return 1;
  return success === 'deleted' ? -1 : 0;
}

/** Returns whether an operation calls DynamoDB. */
function callsDynamoDb(contract: Contract): boolean {
  const { actions, indexes = [] } = accessOf(contract);
  // Without tokens, the signed-in user is nobody, and nothing is read.
  return actions.length + indexes.length > 0 && contract.success !== 'signedInUser';
}

/** Returns whether a short run includes the operation: those on tasks, and those that start jobs. */
const isInShortRun = ({ operation, resource }: Contract): boolean =>
  resource?.kind === 'task' ||
  /^(?:archiveOrganization|cloneProject|deleteProject|createTag)$/.test(operation);

/** The operations that call DynamoDB. A full run has all of them. */
export const operations: readonly Contract[] = routes
  .map(({ contract }) => contract)
  .filter((contract) => callsDynamoDb(contract) && (isFullRun || isInShortRun(contract)));

export const writes: readonly Contract[] = operations.filter(({ method }) => method !== 'GET');

/** For tables of tests. */
export const named = (contracts: readonly Contract[]): [string, Contract][] =>
  contracts.map((contract) => [contract.operation, contract]);
