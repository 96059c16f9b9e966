/** Parameters of operations. */
import { type Contract, isConditionalWrite } from '../../functions/shared/contract/contract.ts';
import type { Resource } from '../../functions/shared/contract/resource.ts';
import { keyPattern } from '../../functions/shared/http/idempotency-key.ts';
import { defaultLimit, maxLimit } from '../../functions/shared/http/parse-list-query.ts';
import { referencesOf } from '../../functions/shared/store/model/relations.ts';
import { resourceDocs } from './resources.ts';
import { count, maxHeadBytes } from './schemas.ts';
import { type Parameter, type Reference, referTo, type Schema } from './types.ts';

/** Any text. A value that no entity has matches nothing. */
const anyText: Schema = { type: 'string', maxLength: maxHeadBytes };

const { maximum: _, ...limit } = count(
  1,
  `Entities per page. A higher value than ${maxLimit} counts as ${maxLimit}.`,
);

const sortOrder: Schema = { type: 'string', enum: ['asc', 'desc'] };

/** Parameters of more than one operation. */
const shared: Readonly<Record<string, Parameter>> = {
  page: {
    name: 'page',
    in: 'query',
    description: 'Number of the page. Pages after the last one are empty.',
    schema: { ...count(1, 'The first page is 1.'), default: 1 },
    example: 1,
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Entities per page.',
    schema: { ...limit, default: defaultLimit },
    example: defaultLimit,
  },
  sortOrder: {
    name: 'sortOrder',
    in: 'query',
    description: 'Sort direction. Ties are broken by `createdAt`, then `id`, in the same direction.',
    schema: { ...sortOrder, default: 'desc' },
  },
  sort_order: {
    name: 'sort_order',
    in: 'query',
    deprecated: true,
    description: 'Alias of `sortOrder`.',
    schema: sortOrder,
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the version to change, or a list of at most 100. If a newer version exists, the response is 412 and nothing changes.',
    schema: { ...anyText, pattern: '^(?:\\*|(?:W/)?"[^"]*"(?:, *(?:W/)?"[^"]*"){0,99})$' },
    example: '"7a2c4d8f0e36-3"',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of the version that the caller has. If it is current, the response is 304 without content.',
    schema: anyText,
    example: '"7a2c4d8f0e36-3"',
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique text that you choose for this request. A retry with the same key and body within 24 hours gets the first response again, and nothing happens twice.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: keyPattern.source },
    example: '4f1c9a52-0d5e-4b0a-9b55-8f3f0a6f7f11',
  },
  file: {
    name: 'file',
    in: 'path',
    required: true,
    description: 'Name of the file.',
    schema: { ...anyText, minLength: 1 },
    example: 'style.css',
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
    example: resourceDocs[kind].example['id'],
  };
}

function filterParameter(resource: Resource, field: string): Parameter {
  const reference = referencesOf(resource.kind).find((relation) => relation.field === field)?.parent;
  const description = resource.sorts.includes(field)
    ? `Exact match of \`${field}\`.`
    : `\`${field}\` contains this value.`;
  return {
    name: field,
    in: 'query',
    description,
    schema: reference ? { ...anyText, 'x-reference': reference } : anyText,
  };
}

function sortByParameters({ sorts, plural }: Resource): [string, Parameter][] {
  const schema: Schema = { type: 'string', enum: sorts };
  const sortBy: Parameter = {
    name: 'sortBy',
    in: 'query',
    description: 'Field that orders the list.',
    schema: { ...schema, default: 'createdAt' },
  };
  const sort_by: Parameter = {
    name: 'sort_by',
    in: 'query',
    deprecated: true,
    description: 'Alias of `sortBy`.',
    schema,
  };
  return [sortBy, sort_by].map((parameter) => [`${plural}.${parameter.name}`, parameter]);
}

const filterParameters = (resource: Resource): [string, Parameter][] =>
  resource.filters.map((field) => [`${resource.plural}.${field}`, filterParameter(resource, field)]);

/** Returns the kind of the id in a path: the parent of a nested list, or the resource itself. */
function kindInPath({ path, resource, nestedBy }: Contract): Resource['kind'] | undefined {
  if (!resource || !path.includes('{id}')) return undefined;
  const parent = referencesOf(resource.kind).find(({ field }) => field === nestedBy)?.parent;
  return parent ?? resource.kind;
}

/** Returns whether the response has an entity tag that the caller can compare. */
export const isRead = ({ method, success }: Contract): boolean => method === 'GET' && success !== 'health';

/** Returns the parameters of a list, the most used ones first. */
const listNames = (resource: Resource): string[] => {
  const [sortBy = '', sort_by = ''] = sortByParameters(resource).map(([name]) => name);
  const filters = filterParameters(resource).map(([name]) => name);
  return ['page', 'limit', sortBy, 'sortOrder', ...filters, sort_by, 'sort_order'];
};

/** Returns references to the parameters of an operation. */
export function parametersOf(contract: Contract): Reference[] {
  const { path, resource, success, method } = contract;
  const kind = kindInPath(contract);
  const names = [
    ...(kind ? [idName(kind)] : []),
    ...(path.includes('{file}') ? ['file'] : []),
    ...(resource && success === 'list' ? listNames(resource) : []),
    ...(isRead(contract) ? ['ifNoneMatch'] : []),
    ...(isConditionalWrite(contract) ? ['ifMatch'] : []),
    ...(method === 'POST' ? ['idempotencyKey'] : []),
  ];
  return names.map((name) => referTo('parameters', name));
}

/** Returns all parameters by their component names. */
export function parameters(contracts: readonly Contract[]): Record<string, Parameter> {
  const resources = new Set(contracts.flatMap(({ resource }) => resource ?? []));
  return {
    ...Object.fromEntries([...resources].map(({ kind }) => [idName(kind), idParameter(kind)])),
    ...shared,
    ...Object.fromEntries(
      [...resources].flatMap((resource) => [...sortByParameters(resource), ...filterParameters(resource)]),
    ),
  };
}
