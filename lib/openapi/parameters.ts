import { type Contract, isConditionalWrite } from '../../functions/contract/contract.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import { referencesOf } from '../../functions/engine/model/relations.ts';
import type { Kind } from '../../functions/engine/model/schema.ts';
import { keyPattern } from '../../functions/http/idempotency-key.ts';
import { ifMatchPattern, ownIdRule } from './batch.ts';
import { historyParameters } from './history.ts';
import { anyText } from './json-schema.ts';
import {
  changesParameterNames,
  changesParameters,
  deletedListParameterNames,
  deletedListParameters,
  expandParameterNames,
  listParameterNames,
  listParameters,
  pageParameters,
} from './list-parameters.ts';
import { docsOf } from './resources.ts';
import { type Parameter, type Reference, referTo } from './types.ts';

const shared: Readonly<Record<string, Parameter>> = {
  ...pageParameters,
  ...changesParameters,
  ...historyParameters,
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the version to change, or a list of up to 100. If a newer version exists, the response is 412 and nothing changes.',
    schema: { ...anyText, pattern: ifMatchPattern },
    example: '"7a2c4d8f0e36-3"',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of the version that you have. If it is current, the response is 304 without a body.',
    schema: anyText,
    example: '"7a2c4d8f0e36-3"',
  },
  ifNoneMatchAny: {
    name: 'If-None-Match',
    in: 'header',
    description: `\`*\` creates the entity with the id in the path. If it exists, the response is 412 and nothing changes. ${ownIdRule} Other values are ignored.`,
    schema: anyText,
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique key of your choice. A retry with the same key and body within 24 hours returns the first response and has no second effect. `PUT`, `PATCH` and `DELETE` need `If-Match` with it, or `If-None-Match: *`: otherwise it has no effect.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: keyPattern.source },
    example: '4f1c9a52-0d5e-4b0a-9b55-8f3f0a6f7f11',
  },
};

const idName = (kind: string): string => `${kind}Id`;

function idParameter(kind: Resource['kind']): Parameter {
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: `Id of the ${kind}.`,
    schema: { ...anyText, minLength: 1, 'x-reference': kind },
    example: docsOf({ kind }).example['id'],
  };
}

/** Returns the kind of the id in a path: the parent of a nested list, or the resource itself. */
function kindInPath({ path, resource, nestedBy }: Contract): Kind | undefined {
  if (!resource || !path.includes('{id}')) return undefined;
  const parent = referencesOf(resource.kind).find(({ field }) => field === nestedBy)?.parent;
  return (parent as Kind | undefined) ?? resource.kind;
}

/** Returns whether the response has an entity tag that the caller can compare. */
export const isRead = ({ method, success }: Contract): boolean =>
  method === 'GET' && !['health', 'changes'].includes(success);

/** Returns whether requests of an operation can be applied once under a key. */
export const takesIdempotencyKey = ({ method }: Contract): boolean => method !== 'GET';

/** Returns the names of the parameters in the query of an operation. */
function queryParameterNames(resource: Resource, { success, method }: Contract): string[] {
  if (success === 'list') return listParameterNames(resource);
  if (success === 'changes') return changesParameterNames(resource);
  if (success === 'deletedList') return deletedListParameterNames(resource);
  if (success === 'history') return Object.keys(historyParameters);
  return success === 'entity' && method === 'GET' ? expandParameterNames(resource) : [];
}

export function parametersOf(contract: Contract): Reference[] {
  const { resource, method } = contract;
  const kind = kindInPath(contract);
  const names = [
    ...(kind ? [idName(kind)] : []),
    ...(resource ? queryParameterNames(resource, contract) : []),
    ...(isRead(contract) ? ['ifNoneMatch'] : []),
    ...(isConditionalWrite(contract) ? ['ifMatch'] : []),
    ...(method === 'PUT' ? ['ifNoneMatchAny'] : []),
    ...(takesIdempotencyKey(contract) ? ['idempotencyKey'] : []),
  ];
  return names.map((name) => referTo('parameters', name));
}

export function parameters(contracts: readonly Contract[]): Record<string, Parameter> {
  const resources = new Set(contracts.flatMap(({ resource }) => resource ?? []));
  return {
    ...Object.fromEntries([...resources].map(({ kind }) => [idName(kind), idParameter(kind)])),
    ...shared,
    ...Object.fromEntries(
      [...resources].flatMap((resource) => [...listParameters(resource), ...deletedListParameters(resource)]),
    ),
  };
}
