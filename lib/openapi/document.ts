/** The OpenAPI document of the service, made from the contracts that its functions are made of. */
import { readFileSync } from 'node:fs';
import { routes } from '../../functions/routes.ts';
import { type Contract, scopeOf } from '../../functions/shared/contract/contract.ts';
import { parameters, parametersOf } from './parameters.ts';
import { words } from './resources.ts';
import { headers, refusalResponses, responsesOf } from './responses.ts';
import { bodyName, pascal, schemas } from './schemas.ts';
import { type OpenApiDocument, type Operation, type PathItem, type RequestBody, referTo } from './types.ts';

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

function requestBody(contract: Contract): RequestBody | undefined {
  const { body, resource } = contract;
  const name = bodyName(contract);
  if (!body || !name) return undefined;
  const { example = {}, change } = resource ? words[resource.kind] : {};
  const whole = Object.fromEntries(
    Object.entries(example).filter(([member]) => resource && member in resource.fields),
  );
  const value = name.startsWith('New') ? whole : name.endsWith('Changes') ? change : {};
  return {
    required: !body.optional,
    content: { 'application/json': { schema: referTo('schemas', name), example: value } },
  };
}

function operation(contract: Contract, method: string): Operation {
  const scope = scopeOf(contract);
  const body = requestBody(contract);
  // Two operations may not have one name; a HEAD is its GET's function all the same.
  const isHead = method === 'HEAD';
  return {
    operationId: isHead ? `${contract.operation}Head` : contract.operation,
    summary: isHead ? `${contract.summary.replace(/\.$/, '')}: the headers only.` : contract.summary,
    description: scope ? `Needs the scope \`${scope}\`.` : 'Anybody may call this.',
    tags: [tagOf(contract)],
    security: scope ? [{ token: [scope] }] : [],
    parameters: parametersOf(contract),
    ...(body && { requestBody: body }),
    responses: responsesOf(contract, method),
  };
}

/** Makes the document. It is the same every time. */
export function openApiDocument(): OpenApiDocument {
  const contracts = routes.map(({ contract }) => contract);
  const paths: Record<string, PathItem> = {};
  for (const { contract, methods } of routes) {
    for (const method of methods) {
      const item = paths[contract.path] ?? {};
      paths[contract.path] = { ...item, [method.toLowerCase()]: operation(contract, method) };
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
      schemas: schemas(contracts),
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
