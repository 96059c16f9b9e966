/** What operations take besides a body. */
import { type Contract, isConditionalWrite } from '../../functions/shared/contract/contract.ts';
import type { Resource } from '../../functions/shared/contract/resource.ts';
import { keyPattern } from '../../functions/shared/http/idempotency-key.ts';
import { defaultLimit, maxLimit } from '../../functions/shared/http/list-query.ts';
import { referencesOf } from '../../functions/shared/store/model/relations.ts';
import { words } from './resources.ts';
import { count, largestHead } from './schemas.ts';
import { type Parameter, type Reference, referTo, type Schema } from './types.ts';

/** Any text: what no entity has finds nothing. */
const anyText: Schema = { type: 'string', maxLength: largestHead };

const { maximum: _, ...limit } = count(
  1,
  `How many on a page. More than ${maxLimit} are served as ${maxLimit}.`,
);

const sortOrder: Schema = { type: 'string', enum: ['asc', 'desc'] };

/** Parameters that many operations share. */
const shared: Readonly<Record<string, Parameter>> = {
  page: {
    name: 'page',
    in: 'query',
    description: 'The number of the page. Beyond the last one pages are empty.',
    schema: { ...count(1, 'From 1.'), default: 1 },
    example: 1,
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'How many entities a page has.',
    schema: { ...limit, default: defaultLimit },
    example: defaultLimit,
  },
  sortOrder: {
    name: 'sortOrder',
    in: 'query',
    description: 'The direction; ties are broken by `createdAt`, then `id`, in the same direction.',
    schema: { ...sortOrder, default: 'desc' },
  },
  sort_order: {
    name: 'sort_order',
    in: 'query',
    deprecated: true,
    description: 'Another spelling of `sortOrder`.',
    schema: sortOrder,
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the version that this request is about, or a list of at most 100. When there is a newer one: 412, and nothing is done.',
    schema: { ...anyText, pattern: '^(?:\\*|(?:W/)?"[^"]*"(?:, *(?:W/)?"[^"]*"){0,99})$' },
    example: '"7a2c4d8f0e36-3"',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of the version that the caller has. When it is still current: 304, without content.',
    schema: anyText,
    example: '"7a2c4d8f0e36-3"',
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Any text of your own that stands for this request. Sent again with the same body within 24 hours, it gets the first answer again and nothing is done twice.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: keyPattern.source },
    example: '4f1c9a52-0d5e-4b0a-9b55-8f3f0a6f7f11',
  },
  file: {
    name: 'file',
    in: 'path',
    required: true,
    description: 'The name of the file.',
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
    description: `The id of the ${kind}.`,
    schema: { ...anyText, minLength: 1, 'x-reference': kind },
    example: words[kind].example['id'],
  };
}

function filterParameter(resource: Resource, member: string): Parameter {
  const reference = referencesOf(resource.kind).find((relation) => relation.field === member)?.parent;
  const description = resource.sorts.includes(member)
    ? `Only those whose \`${member}\` is exactly this.`
    : `Only those whose \`${member}\` hold this.`;
  return {
    name: member,
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
    description: 'The member that orders the list.',
    schema: { ...schema, default: 'createdAt' },
  };
  const sort_by: Parameter = {
    name: 'sort_by',
    in: 'query',
    deprecated: true,
    description: 'Another spelling of `sortBy`.',
    schema,
  };
  return [sortBy, sort_by].map((parameter) => [`${plural}.${parameter.name}`, parameter]);
}

const filterParameters = (resource: Resource): [string, Parameter][] =>
  resource.filters.map((member) => [`${resource.plural}.${member}`, filterParameter(resource, member)]);

/** The kind whose id stands in a path: a nested list's parent, or the resource itself. */
function kindInPath({ path, resource, nestedBy }: Contract): Resource['kind'] | undefined {
  if (!resource || !path.includes('{id}')) return undefined;
  const parent = referencesOf(resource.kind).find(({ field }) => field === nestedBy)?.parent;
  return parent ?? resource.kind;
}

/** Whether the answer can be told from the one that the caller has. */
export const isRead = ({ method, success }: Contract): boolean => method === 'GET' && success !== 'health';

/** What a list takes, in the order in which people look for it. */
const listNames = (resource: Resource): string[] => {
  const [sortBy = '', sort_by = ''] = sortByParameters(resource).map(([name]) => name);
  const filters = filterParameters(resource).map(([name]) => name);
  return ['page', 'limit', sortBy, 'sortOrder', ...filters, sort_by, 'sort_order'];
};

/** What an operation takes. */
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

/** All parameters that the document names. */
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
