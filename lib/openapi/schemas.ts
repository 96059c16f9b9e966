/** Schemas of request and response bodies, generated from the schemas that validate them. */
import { type Contract, pascal } from '../../functions/contract/contract.ts';
import { maxBodyBytes } from '../../functions/http/json-body.ts';
import { catalogue, type ProblemCode, problemType } from '../../functions/http/problems.ts';
import { batchResultsSchema, batchSchema } from './batch.ts';
import { entitySchemas } from './entity-schemas.ts';
import { converted, listOf, maxHeadBytes, objectOf, text, textOrNull } from './json-schema.ts';
import { referTo, type Schema } from './types.ts';

/** Returns the name of the schema of a request body. The operations of a resource share schemas. */
export function bodyName({ body, resource, operation, success }: Contract): string | undefined {
  if (!body) return undefined;
  if (resource && success === 'batch') return `${pascal(resource.kind)}Batch`;
  if (resource && body.schema === resource.schemas.whole) return `New${pascal(resource.kind)}`;
  if (resource && body.schema === resource.schemas.part) return `${pascal(resource.kind)}Changes`;
  return `${pascal(operation)}Options`;
}

/** Returns the schema of a request body. Read-only fields are accepted with any value and ignored, except those that some operations refuse. */
function bodySchema(
  { ignored: accepted = [], refused = {}, schema }: NonNullable<Contract['body']>,
  description: string,
): Schema {
  const { properties = {}, ...rest } = converted(schema(), 'input');
  const ignored = accepted.map((name) => [
    name,
    {
      readOnly: true,
      description: `Accepted and ignored, so that a fetched object can be sent back.${name in refused ? ' `POST` and the `create` of a batch refuse it.' : ''}`,
    },
  ]);
  return {
    ...rest,
    description,
    properties: { ...properties, ...Object.fromEntries(ignored) },
    additionalProperties: false,
  };
}

const validationIssue = (location: Readonly<Record<string, Schema>>): Schema =>
  objectOf(undefined, { ...location, detail: text(2_000, 'What is wrong.') });

/** @see https://www.rfc-editor.org/rfc/rfc9457 */
const problem = objectOf(
  'An error (RFC 9457).',
  {
    type: {
      type: 'string',
      format: 'uri-reference',
      enum: (Object.keys(catalogue) as ProblemCode[]).map(problemType),
      description: 'Kind of problem, as a link to its explanation.',
    },
    title: text(255, 'Name of the kind of problem.'),
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'HTTP status.' },
    detail: text(10_000, 'What is wrong with this request.'),
    instance: {
      type: 'string',
      format: 'uri-reference',
      maxLength: 3 * maxHeadBytes,
      description: 'Path of the request.',
    },
    requestId: { type: 'string', minLength: 1, maxLength: 255, description: 'Id of the request in the log.' },
    errors: {
      type: 'array',
      maxItems: 50,
      description: 'Validation issues.',
      items: {
        anyOf: [
          validationIssue({
            pointer: text(maxBodyBytes, 'JSON pointer to a field of the body (RFC 6901).'),
          }),
          validationIssue({
            parameter: text(maxHeadBytes, 'Name of a query parameter or header.'),
          }),
        ],
      },
    },
  },
  ['errors'],
);

const gatewayMessage = objectOf('An error of the gateway. The request did not reach its operation.', {
  message: text(255, 'Name of the status.'),
});

const signedInUser = objectOf('Who a token is for.', {
  subject: textOrNull(maxHeadBytes, 'The claim `sub` of the token, or `client_id`. null without a token.'),
  tenant: {
    type: 'string',
    minLength: 1,
    maxLength: maxHeadBytes,
    description: 'The tenant of the token.',
  },
  scopes: {
    type: 'array',
    maxItems: 100,
    description: 'The scopes of this API that the token has.',
    items: text(100, 'A scope, such as `tasks:read`.'),
  },
  user: {
    anyOf: [referTo('schemas', 'User'), { type: 'null' }],
    description: 'The user with this subject.',
  },
});

/** @param collections that have a channel. */
const liveSchema = (collections: readonly string[]): Schema =>
  objectOf('Where changes are announced.', {
    url: text(255, 'The address for a WebSocket connection.'),
    host: text(255, 'The `host` of the authorization in the messages of the protocol.'),
    endpoint: text(255, 'The endpoint that libraries for AppSync Events are configured with.'),
    channels: objectOf(
      'The channels that the token allows.',
      Object.fromEntries(collections.map((plural) => [plural, text(255, `The channel of ${plural}.`)])),
      collections,
    ),
    seenThrough: objectOf(
      'By collection, those whose changes can also change what you see of it: ask its feed when one of them changes.',
      Object.fromEntries(
        collections.map((plural) => [
          plural,
          listOf(20, text(255, 'A collection.'), `Through which you see ${plural}.`),
        ]),
      ),
      collections,
    ),
    spreadMs: {
      type: 'integer',
      minimum: 0,
      maximum: 600_000,
      description: 'Wait for a random part of so many milliseconds before you ask for what was announced.',
    },
  });

const health = objectOf(undefined, {
  status: { type: 'string', enum: ['ok'], description: 'The only value.' },
});

function bodyDescription({ body, resource }: Contract): string {
  if (body?.schema === resource?.schemas.whole) return 'Fields that you omit get their default values.';
  return body?.schema === resource?.schemas.part
    ? 'Fields that you omit do not change. null clears a nullable field.'
    : 'All fields are optional.';
}

export function schemas(contracts: readonly Contract[]): Record<string, Schema> {
  const named: Record<string, Schema> = {};
  for (const contract of contracts) {
    const { resource, body, success } = contract;
    if (resource && !named[pascal(resource.kind)]) Object.assign(named, entitySchemas(resource));
    if (resource && success === 'batch') {
      const one = pascal(resource.kind);
      named[`${one}Batch`] = batchSchema(resource, one);
      named[`${one}BatchResults`] = batchResultsSchema(resource, one);
    }
    const name = bodyName(contract);
    if (body && name) named[name] ??= bodySchema(body, bodyDescription(contract));
  }
  return {
    ...named,
    SignedInUser: signedInUser,
    Live: liveSchema([...new Set(contracts.flatMap(({ resource }) => resource?.plural ?? []))]),
    Health: health,
    Problem: problem,
    GatewayMessage: gatewayMessage,
  };
}
