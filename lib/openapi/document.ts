/** The OpenAPI document of the service, made from the contracts that its functions are made of. */
import { readFileSync } from 'node:fs';
import { type Route, routes } from '../../functions/routes.ts';
import { type Contract, scopeOf } from '../../functions/shared/contract/contract.ts';
import type { Resource } from '../../functions/shared/contract/resource.ts';
import { referencesOf } from '../../functions/shared/store/model/relations.ts';
import { parameters, parametersOf } from './parameters.ts';
import { words } from './resources.ts';
import { headers, refusalResponses, responsesOf } from './responses.ts';
import { bodyName, pascal, schemas } from './schemas.ts';
import {
  type OpenApiDocument,
  type Operation,
  type PathItem,
  type RequestBody,
  referTo,
  type Schema,
} from './types.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const description = `Organizations, projects, users, tasks and tags.

- **Lists** take \`page\`, \`limit\`, \`sortBy\`, \`sortOrder\`, and any member as a filter; all filters must hold.
- **Writing** the version that you read, and no newer one: send its \`ETag\` as \`If-Match\`. A newer one is 412.
- **Repeating** a \`POST\` safely: send an \`Idempotency-Key\`, and the same one again.
- **Errors** are \`application/problem+json\`; each \`type\` leads to [what it means](/docs/problems).
- **Compatibility**: under \`/v1\` answers and lists of values may gain members; nothing is taken away.`;

const documentationTag = {
  name: 'Service',
  description: 'The service itself, and what there is to read about it.',
};

const tagOf = ({ resource }: Contract): string =>
  resource ? pascal(resource.plural) : documentationTag.name;

/** Whether a caller sets a member, and it refers to nothing else. */
const isOwn = ({ kind, fields }: Resource, member: string): boolean =>
  member in fields && !referencesOf(kind).some((relation) => relation.field === member);

type Schemas = Readonly<Record<string, Schema>>;

function requestBody(contract: Contract, named: Schemas): RequestBody | undefined {
  const { body, resource } = contract;
  const name = bodyName(contract);
  if (!body || !name) return undefined;
  const { example = {}, change } = resource ? words[resource.kind] : {};
  const { required } = named[name] ?? {};
  // What it may refer to, and need not, does not exist where the reader tries it.
  const whole = Object.entries(example).filter(
    ([member]) => required?.includes(member) || (resource && isOwn(resource, member)),
  );
  const value = name.startsWith('New') ? Object.fromEntries(whole) : name.endsWith('Changes') ? change : {};
  return {
    required: !body.optional,
    content: { 'application/json': { schema: referTo('schemas', name), example: value } },
  };
}

function scopeDescription(contract: Contract): string {
  const scope = scopeOf(contract);
  if (!scope) return 'Requires no token.';
  const { additionalScope: more } = contract;
  const additional = more ? ` Requires the scope \`${more.scope}\` as well when ${more.when}.` : '';
  return `Requires the scope \`${scope}\`.${additional}`;
}

function operation(contract: Contract, method: string, named: Schemas): Operation {
  const scope = scopeOf(contract);
  const body = requestBody(contract, named);
  // Two operations may not have one name; a HEAD is its GET's function all the same.
  const isHead = method === 'HEAD';
  return {
    operationId: isHead ? `${contract.operation}Head` : contract.operation,
    summary: isHead ? `${contract.summary.replace(/\.$/, '')}: the headers only.` : contract.summary,
    description: scopeDescription(contract),
    tags: [tagOf(contract)],
    security: scope ? [{ token: [scope] }] : [],
    parameters: parametersOf(contract),
    ...(body && { requestBody: body }),
    responses: responsesOf(contract, method),
  };
}

const methodOrder = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const segments = (path: string): number => path.split('/').length;

/** Collections before what is in them, and reading before writing, whatever the order of the contracts. */
const inReadingOrder = (one: Route, other: Route): number =>
  Number(one.contract.resource !== other.contract.resource) * (routes.indexOf(one) - routes.indexOf(other)) ||
  segments(one.contract.path) - segments(other.contract.path) ||
  Number(one.contract.path > other.contract.path) - Number(one.contract.path < other.contract.path) ||
  methodOrder.indexOf(one.contract.method) - methodOrder.indexOf(other.contract.method);

/** Makes the document. It is the same every time. */
export function openApiDocument(): OpenApiDocument {
  const contracts = routes.map(({ contract }) => contract);
  const named = schemas(contracts);
  const paths: Record<string, PathItem> = {};
  for (const { contract, methods } of routes.toSorted(inReadingOrder)) {
    for (const method of methods) {
      const item = paths[contract.path] ?? {};
      paths[contract.path] = { ...item, [method.toLowerCase()]: operation(contract, method, named) };
    }
  }
  const resources = new Set(contracts.flatMap(({ resource }) => resource ?? []));
  return {
    openapi: '3.1.0',
    info: { title: 'Project management API', version, description },
    servers: [
      { url: '/', description: 'Where this document is from, production or local.', 'x-internal': false },
    ],
    tags: [
      ...[...resources].map(({ kind, plural }) => ({
        name: pascal(plural),
        description: words[kind].description,
      })),
      documentationTag,
    ],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: named,
      parameters: parameters(contracts),
      headers,
      responses: refusalResponses,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `An access token with the scope of the operation (RFC6750), checked as RFC8725 asks. A service on your own machine asks for none. Scopes: ${[...new Set(contracts.flatMap((contract) => scopeOf(contract) ?? []))].map((scope) => `\`${scope}\``).join(', ')}.`,
        },
      },
    },
  };
}

/** The document as it is committed and served. */
export const documentText = (document: OpenApiDocument): string => `${JSON.stringify(document, null, 2)}\n`;
