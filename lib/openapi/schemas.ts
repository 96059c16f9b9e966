/** Schemas of request and response bodies, generated from the schemas that validate them. */

import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { Contract } from '../../functions/shared/contract/contract.ts';
import type { Resource } from '../../functions/shared/contract/resource.ts';
import { maxBodyBytes } from '../../functions/shared/http/json-body.ts';
import { maxLimit } from '../../functions/shared/http/parse-list-query.ts';
import { catalogue, type ProblemCode, problemType } from '../../functions/shared/http/problems.ts';
import { readOnlyFields } from '../../functions/shared/store/model/entity.ts';
import { fieldDescriptions, resourceDocs } from './resources.ts';
import { referTo, type Schema } from './types.ts';

/** Limit of API Gateway for the request line and the headers. No parameter can be longer. */
export const maxHeadBytes = 10_240;

/** Returns the schema of a whole number that every JSON parser represents exactly. */
export const count = (minimum: number, description: string): Schema => ({
  type: 'integer',
  format: 'int64',
  minimum,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
});

export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const isNull = (schema: Schema): boolean => schema.type === 'null';

/** Replaces `anyOf` with null by a list of types, and names the resource of a reference. */
function simplified(schema: Schema): Schema {
  const { anyOf, reference, ...rest } = schema as Schema & { anyOf?: readonly Schema[]; reference?: string };
  const [one, other] = anyOf ?? [];
  if (one && other && isNull(other)) return { ...simplified(one), type: [String(one.type), 'null'], ...rest };
  return {
    ...rest,
    ...(reference !== undefined && { 'x-reference': reference }),
    ...(schema.items && { items: simplified(schema.items) }),
  };
}

/** Converts a schema. Custom checks have no JSON Schema and are left out; the metadata of a field describes its bounds. */
function converted(schema: v.GenericSchema, typeMode: 'input' | 'output'): Schema {
  const { properties, required } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
  }) as unknown as Schema;
  const described = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    { ...simplified(field), description: fieldDescriptions[name] },
  ]);
  return { type: 'object', properties: Object.fromEntries(described), ...(required && { required }) };
}

/** Returns the schema of an entity in a response. It has every field. */
function entitySchema({ kind, schemas }: Resource): Schema {
  const { properties = {} } = converted(schemas.entity(), 'output');
  const shown = Object.entries(properties).map(([name, { default: _, ...field }]) => [
    name,
    { ...field, ...((readOnlyFields as readonly string[]).includes(name) && { readOnly: true }) },
  ]);
  return {
    type: 'object',
    description: resourceDocs[kind].description,
    properties: Object.fromEntries(shown),
    required: Object.keys(properties),
    example: resourceDocs[kind].example,
  };
}

const listSchema = ({ kind, plural }: Resource): Schema => ({
  type: 'object',
  description: `A page of ${plural}.`,
  properties: {
    data: {
      type: 'array',
      maxItems: maxLimit,
      items: referTo('schemas', pascal(kind)),
      description: 'The entities of this page.',
    },
    total: count(0, 'Number of matching entities on all pages.'),
    page: count(1, 'Number of this page.'),
    totalPages: count(0, 'Number of pages with this limit.'),
  },
  required: ['data', 'total', 'page', 'totalPages'],
});

/** Returns the name of the schema of a request body. The operations of a resource share schemas. */
export function bodyName({ body, resource, operation }: Contract): string | undefined {
  if (!body) return undefined;
  if (resource && body.schema === resource.schemas.whole) return `New${pascal(resource.kind)}`;
  if (resource && body.schema === resource.schemas.part) return `${pascal(resource.kind)}Changes`;
  return `${pascal(operation)}Options`;
}

/** Returns the schema of a request body. Read-only fields are accepted with any value and ignored. */
function bodySchema(
  { ignored: accepted = [], schema }: NonNullable<Contract['body']>,
  description: string,
): Schema {
  const { properties = {}, ...rest } = converted(schema(), 'input');
  const ignored = accepted.map((name) => [
    name,
    { readOnly: true, description: 'Accepted and ignored, so that a fetched object can be sent back.' },
  ]);
  return {
    ...rest,
    description,
    properties: { ...properties, ...Object.fromEntries(ignored) },
    additionalProperties: false,
  };
}

const validationIssue = (location: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: {
    ...location,
    detail: { type: 'string', maxLength: 2_000, description: 'What is wrong.' },
  },
  required: [...Object.keys(location), 'detail'],
});

/** @see https://www.rfc-editor.org/rfc/rfc9457 */
const problem: Schema = {
  type: 'object',
  description: 'An error (RFC 9457).',
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      enum: (Object.keys(catalogue) as ProblemCode[]).map(problemType),
      description: 'Kind of problem, as a link to its explanation.',
    },
    title: { type: 'string', maxLength: 255, description: 'Name of the kind of problem.' },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'HTTP status.' },
    detail: { type: 'string', maxLength: 10_000, description: 'What is wrong with this request.' },
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
            pointer: {
              type: 'string',
              maxLength: maxBodyBytes,
              description: 'JSON pointer to a field of the body (RFC 6901).',
            },
          }),
          validationIssue({
            parameter: {
              type: 'string',
              maxLength: maxHeadBytes,
              description: 'Name of a query parameter or header.',
            },
          }),
        ],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'requestId'],
};

const gatewayMessage: Schema = {
  type: 'object',
  description: 'An error of the gateway. The request did not reach its operation.',
  properties: { message: { type: 'string', maxLength: 255, description: 'Name of the status.' } },
  required: ['message'],
};

const health: Schema = {
  type: 'object',
  properties: { status: { type: 'string', enum: ['ok'], description: 'The only value.' } },
  required: ['status'],
};

function bodyDescription({ body, resource }: Contract): string {
  if (body?.schema === resource?.schemas.whole) return 'Fields that are left out get their defaults.';
  return body?.schema === resource?.schemas.part
    ? 'Fields that are left out do not change. null resets a nullable field.'
    : 'All fields are optional.';
}

/** Returns all schemas by name. */
export function schemas(contracts: readonly Contract[]): Record<string, Schema> {
  const named: Record<string, Schema> = {};
  for (const contract of contracts) {
    const { resource, body, success } = contract;
    if (resource) named[pascal(resource.kind)] ??= entitySchema(resource);
    if (resource && success === 'list') named[`${pascal(resource.kind)}List`] ??= listSchema(resource);
    const name = bodyName(contract);
    if (body && name) named[name] ??= bodySchema(body, bodyDescription(contract));
  }
  return { ...named, Health: health, Problem: problem, GatewayMessage: gatewayMessage };
}
