/** The tools of the MCP server, from the contracts: a few, because a model reads all of them before its first call. */
import type { Tool } from '../../client/mcp/tool.ts';
import { type Contract, pascal } from '../../functions/contract/contract.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import { routes } from '../../functions/routes.ts';
import { docsOf } from './resources.ts';
import type { OpenApiDocument, Schema } from './types.ts';

type Properties = Readonly<Record<string, Schema>>;

interface OperationOfResource extends Contract {
  readonly resource: Resource;
}

const text = (description: string): Schema => ({ type: 'string', description });
const texts = (description: string): Schema => ({ type: 'array', items: { type: 'string' }, description });

const id = text('Its id.');
const version = text('Its `version`, as you have read it: the call fails if somebody has changed it since.');
const limit: Schema = { type: 'integer', minimum: 1, maximum: 100 };
const fields = texts('Only these fields. By default all but `description` and times, and none that is null.');
const filters: Schema = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  description:
    'By name: `field` or `field[operator]`, such as {"priority[gte]": "high", "status[notIn]": "completed,archived"}. Operators: ne, in, notIn, lt, lte, gt, gte, contains, startsWith, isNull, isEmpty, all.',
} as unknown as Schema;

const ofPages: Properties = {
  filters,
  search: text('Words: each must be the beginning of a word of the name or the description.'),
  sortBy: texts('Up to three fields.'),
  sortOrder: {
    type: 'array',
    items: { enum: ['asc', 'desc'] },
    description: 'One, or one for each field.',
  },
  limit,
  after: text('Empty for the first page, then the `next` of each answer.'),
};

const batchBody: Schema = {
  type: 'object',
  description: 'The fields, as of the tools that create and update.',
};

const batchOperation = (operation: string, properties: Properties, required: readonly string[]): Schema => ({
  type: 'object',
  properties: { operation: { enum: [operation] }, ...properties },
  required: ['operation', ...required],
});

interface SharedTool {
  readonly name: string;
  readonly description: string;
  readonly properties: Properties;
  readonly required?: readonly string[];
}

/** The tools that all collections share, by their requests. A request of all collections that is not here has a tool for each resource, or none. */
const sharedTools: Readonly<Record<string, SharedTool>> = {
  'GET /v1/{collection}': {
    name: 'list',
    description: 'Lists entities, the newest first, with the exact total of all that match.',
    properties: {
      ...ofPages,
      fields,
      expand: texts('Adds what references name: project, parent, user, tags, organization.'),
      countBy: texts('Counts the values of these fields over all that match.'),
      sumBy: texts('Adds the numbers of these fields over all that match, and for each counted value.'),
    },
  },
  'GET /v1/{collection}/{id}': {
    name: 'read',
    description: 'Reads one entity.',
    properties: { id, expand: texts('Adds what references name.') },
    required: ['id'],
  },
  'DELETE /v1/{collection}/{id}': {
    name: 'delete',
    description:
      'Deletes an entity. With an organization go its projects, with a project its tasks, with a task its sub-tasks.',
    properties: { id, version },
    required: ['id'],
  },
  'POST /v1/{collection}/{id}/restore': {
    name: 'restore',
    description: 'Restores an entity that was deleted in the last 30 days, with what its deletion removed.',
    properties: { id },
    required: ['id'],
  },
  'GET /v1/{collection}/deleted': {
    name: 'listDeleted',
    description:
      'Lists deleted entities that can be restored, the last deleted first: those that were deleted themselves, or with the filter `deletedWith` what the deletion of one entity removed.',
    properties: {
      ...ofPages,
      fields,
    },
  },
  'POST /v1/{collection}/batch': {
    name: 'batch',
    description:
      'Creates, updates and deletes up to 25 entities together: all operations are applied, or none.',
    properties: {
      operations: {
        type: 'array',
        minItems: 1,
        maxItems: 25,
        items: {
          oneOf: [
            batchOperation('create', { body: batchBody }, ['body']),
            batchOperation('update', { id, version, body: batchBody }, ['id', 'body']),
            batchOperation('delete', { id, version }, ['id']),
          ],
        },
        description: 'In their order.',
      },
    },
    required: ['operations'],
  },
  'GET /v1/{collection}/changes': {
    name: 'changes',
    description:
      'Lists what changed since a cursor: `data` has entities, `removed` ids. Without `since`, it begins with all entities.',
    properties: { since: text('The `cursor` of the last answer.'), filters, fields, limit },
  },
  'GET /v1/{collection}/{id}/changes': {
    name: 'history',
    description: 'Lists who changed what of one entity, the newest change first.',
    properties: { id, limit, after: text('The `cursor` of the page before.') },
    required: ['id'],
  },
};

/** What a model needs of a field. The service validates it. */
function fieldFor({ type, enum: values, items, description, format }: Schema): Schema {
  return {
    ...(type && { type }),
    ...(values && { enum: values }),
    ...(items && { items: fieldFor(items) }),
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
  } as Schema;
}

const objectOf = (properties: Properties, required: readonly string[] = []) =>
  ({
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }) as unknown as Tool['inputSchema'];

/** A write that removes or overwrites something. A creation, a clone and a restore only add. */
const destroys = ({ method, path }: Tool['request']): boolean =>
  method === 'DELETE' || method === 'PATCH' || /\/(?:batch|archive)$/.test(path);

const annotationsOf = (request: Tool['request']): Tool['annotations'] => ({
  readOnlyHint: request.method === 'GET',
  destructiveHint: destroys(request),
  idempotentHint: request.method !== 'POST' || /\/(?:restore|archive)$/.test(request.path),
  openWorldHint: false,
});

const isOperation = (contract: Contract): contract is OperationOfResource => contract.resource !== undefined;

const operations = routes.map(({ contract }) => contract).filter(isOperation);

const requestOf = ({ method, path, resource }: OperationOfResource): string =>
  `${method} ${path.replace(`/v1/${resource.plural}`, '/v1/{collection}')}`;

function sharedTool(request: string, { name, description, properties, required = [] }: SharedTool): Tool[] {
  const collections = operations
    .filter((operation) => requestOf(operation) === request)
    .map(({ resource }) => resource.plural);
  if (collections.length === 0) return [];
  const [method, path] = request.split(' ') as [Tool['request']['method'], string];
  const collection: Schema = { enum: collections };
  return [
    {
      name,
      description,
      inputSchema: objectOf({ collection, ...properties }, ['collection', ...required]),
      annotations: annotationsOf({ method, path }),
      request: { method, path },
    },
  ];
}

/** Returns the tool of a creation, an update, or an action on an entity of one resource. */
function toolOf({ schemas }: OpenApiDocument['components'], operation: OperationOfResource): Tool[] {
  const { method, path, resource, body, operation: name, summary } = operation;
  const isOfOne = method === 'PATCH' || (method === 'POST' && !(requestOf(operation) in sharedTools));
  if (!isOfOne) return [];
  const isAction = path.includes('{id}/');
  const ofChange = method === 'PATCH' ? `${pascal(resource.kind)}Changes` : `New${pascal(resource.kind)}`;
  const ofBody = isAction ? `${pascal(name)}Options` : ofChange;
  const { properties = {}, required = [] } = schemas[ofBody] ?? {};
  const writable = Object.entries(properties)
    .filter(([field]) => body?.writable.includes(field))
    .map(([field, schema]) => [field, fieldFor(schema)] as const);
  const ofEntity = path.includes('{id}') ? { id, version } : {};
  const request = { method: method as Tool['request']['method'], path };
  const about = isAction || method === 'PATCH' ? '' : ` ${docsOf(resource).description}`;
  return [
    {
      name,
      description: `${summary}${about}`,
      inputSchema: objectOf(
        { ...ofEntity, ...Object.fromEntries(writable) },
        path.includes('{id}') ? ['id', ...required] : required,
      ),
      annotations: annotationsOf(request),
      request,
    },
  ];
}

/** Returns the tools of all operations, those that all collections share first. */
const agentTools = ({ components }: OpenApiDocument): readonly Tool[] => [
  ...Object.entries(sharedTools).flatMap(([request, tool]) => sharedTool(request, tool)),
  ...operations.flatMap((operation) => toolOf(components, operation)),
];

const shortFields = (): Record<string, readonly string[]> =>
  Object.fromEntries(
    operations.map(({ resource: { plural, fieldNames } }) => [
      plural,
      fieldNames.filter((field) => field !== 'description'),
    ]),
  );

/** Returns the text of `client/mcp/tools.ts`. */
export const agentToolsModule = (document: OpenApiDocument): string =>
  [
    '// Generated from the contracts by "npx pm-api openapi". Do not edit.',
    "import type { Tool } from './tool.ts';",
    '',
    `export const version = '${document.info.version}';`,
    '',
    'export const tools: readonly Tool[] = [',
    ...agentTools(document).map((tool) => `  ${JSON.stringify(tool)},`),
    '];',
    '',
    '/** The fields of each collection without the long texts. */',
    `export const shortFields: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(shortFields())};`,
    '',
  ].join('\n');
