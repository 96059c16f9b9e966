import { readFileSync } from 'node:fs';
import { type Contract, needsToken, pascal, scopeOf } from '../../functions/contract/contract.ts';
import { type Route, routes } from '../../functions/routes.ts';
import { errorResponses } from './error-responses.ts';
import { batchExample, creationBody } from './examples.ts';
import { headers } from './headers.ts';
import { describeOperation } from './operation-descriptions.ts';
import { parameters, parametersOf } from './parameters.ts';
import { docsOf } from './resources.ts';
import { responsesOf } from './responses.ts';
import { bodyName, schemas } from './schemas.ts';
import { type OpenApiDocument, type Operation, type PathItem, type RequestBody, referTo } from './types.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const description = `Manage organizations, projects, users, tasks and tags.

- **Lists** can be filtered by every field, with \`field=value\` or \`field[operator]=value\`. Their other parameters are \`page\`, \`after\`, \`limit\`, \`sortBy\`, \`sortOrder\`, \`fields\`, \`expand\`, \`countBy\` and \`sumBy\`.
- **Batches** create, update and delete up to 25 entities in one request. The service applies all operations or none.
- **Lost updates**: send the \`ETag\` that you read as \`If-Match\`. If a newer version exists, the response is 412.
- **Safe retries**: send each \`POST\`, and each change with \`If-Match\`, with an \`Idempotency-Key\`, and retry with the same key.
- **Errors** are \`application/problem+json\` documents. Each \`type\` links to [its explanation](/docs/problems).
- **Headers alone**: each path with \`GET\` has \`HEAD\` too, which responds with the headers of \`GET\`.
- **Compatibility**: under \`/v1\`, responses can gain fields and enumerations can gain values. Nothing is removed.`;

const serviceTag = {
  name: 'Service',
  description: 'Health of the service.',
};

const tagOf = ({ resource }: Contract): string => (resource ? pascal(resource.plural) : serviceTag.name);

function bodyExample({ resource, success }: Contract, name: string): object {
  if (!resource) return {};
  if (success === 'batch') return batchExample(resource);
  if (name.startsWith('New')) return creationBody(resource);
  return name.endsWith('Changes') ? docsOf(resource).change : {};
}

function requestBody(contract: Contract): RequestBody | undefined {
  const { body } = contract;
  const name = bodyName(contract);
  if (!body || !name) return undefined;
  const value = bodyExample(contract, name);
  return {
    required: !body.optional,
    content: { 'application/json': { schema: referTo('schemas', name), example: value } },
  };
}

function operation(contract: Contract): Operation {
  const scope = scopeOf(contract);
  const body = requestBody(contract);
  return {
    operationId: contract.operation,
    summary: contract.summary,
    description: describeOperation(contract),
    tags: [tagOf(contract)],
    security: needsToken(contract) ? [{ token: scope === undefined ? [] : [scope] }] : [],
    parameters: parametersOf(contract),
    ...(body && { requestBody: body }),
    responses: responsesOf(contract),
  };
}

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const segments = (path: string): number => path.split('/').length;

/** Sorts collections before their entities, and reads before writes. */
const inReadingOrder = (one: Route, other: Route): number =>
  Number(one.contract.resource !== other.contract.resource) * (routes.indexOf(one) - routes.indexOf(other)) ||
  segments(one.contract.path) - segments(other.contract.path) ||
  Number(one.contract.path > other.contract.path) - Number(one.contract.path < other.contract.path) ||
  methodOrder.indexOf(one.contract.method) - methodOrder.indexOf(other.contract.method);

/**
 * Returns a document whose sentences name resources in words: "time entry" for `timeEntry`. Code in a sentence stays as it is.
 * @param names of resources, singular and plural.
 */
export function inWords<Value>(document: Value, names: readonly string[]): Value {
  const words = (name: string): string => name.replace(/-|(?=[A-Z])/g, ' ').toLowerCase();
  const several = names.filter((name) => words(name) !== name);
  if (several.length === 0) return document;
  const codeOrName = new RegExp(`\`[^\`]*\`|\\b(?:${several.join('|')})\\b`, 'g');
  const isSentence = (key: string, value: unknown): value is string =>
    typeof value === 'string' && ['description', 'summary'].includes(key);
  return JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    isSentence(key, value)
      ? value.replace(codeOrName, (text) => (text.startsWith('`') ? text : words(text)))
      : value,
  ) as Value;
}

/** Returns the document. It depends only on the contracts and the version of the package. */
export function openApiDocument(): OpenApiDocument {
  const contracts = routes.map(({ contract }) => contract);
  const named = schemas(contracts);
  const paths: Record<string, PathItem> = {};
  for (const { contract } of routes.toSorted(inReadingOrder)) {
    const { path, method } = contract;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(contract) };
  }
  const resources = new Set(contracts.flatMap(({ resource }) => resource ?? []));
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: 'Project management API', version, description },
    // The document's linter requires the environment in the description (OWASP API9:2023).
    servers: [
      {
        url: '/',
        description: 'The service that serves this document, local or production.',
        'x-internal': false,
      },
    ],
    tags: [
      ...[...resources].map(({ kind, plural }) => ({
        name: pascal(plural),
        description: docsOf({ kind }).description,
      })),
      serviceTag,
    ],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: named,
      parameters: parameters(contracts),
      headers,
      responses: errorResponses(contracts),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `An access token with the scope of the operation (RFC6750), verified according to RFC8725. The local service requires no token by default. Scopes: ${[...new Set(contracts.flatMap((contract) => scopeOf(contract) ?? []))].map((scope) => `\`${scope}\``).join(', ')}.`,
        },
      },
    },
  };
  return inWords(
    document,
    [...resources].flatMap(({ kind, plural }) => [plural, kind]),
  );
}

/** Returns JSON with a line for each member of the outer objects. */
function textOf(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const lines = members.map(([name, member]) => `${JSON.stringify(name)}: ${textOf(member, depth - 1)}`);
  return `{\n${lines.join(',\n')}\n}`;
}

/** Returns the text of the document, with one line for each operation and each component: a change shows as what it is. */
export const documentText = (document: OpenApiDocument): string => `${textOf(document, 3)}\n`;
