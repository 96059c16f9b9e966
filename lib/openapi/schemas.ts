/** The schemas of bodies and answers, made from those that validate them. */

import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { Contract } from '../../functions/shared/contract/contract.ts';
import type { Resource } from '../../functions/shared/contract/resource.ts';
import { maxBodyBytes } from '../../functions/shared/http/json-body.ts';
import { maxLimit } from '../../functions/shared/http/list-query.ts';
import { catalogue, type ProblemCode, problemType } from '../../functions/shared/http/problems.ts';
import { readOnlyFields } from '../../functions/shared/store/model/entity.ts';
import { memberDescriptions, words } from './resources.ts';
import { referTo, type Schema } from './types.ts';

/** Bytes that the request line and the headers may have: no parameter can be longer. */
export const largestHead = 10_240;

/** A whole number that JSON can hold exactly. */
export const count = (minimum: number, description: string): Schema => ({
  type: 'integer',
  format: 'int64',
  minimum,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
});

export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const isNull = (schema: Schema): boolean => schema.type === 'null';

/** Says that a string may be null in the way that is easiest to read, and to which resource an id belongs. */
function tidied(schema: Schema): Schema {
  const { anyOf, reference, ...rest } = schema as Schema & { anyOf?: readonly Schema[]; reference?: string };
  const [one, other] = anyOf ?? [];
  if (one && other && isNull(other)) return { ...tidied(one), type: [String(one.type), 'null'], ...rest };
  return {
    ...rest,
    ...(reference !== undefined && { 'x-reference': reference }),
    ...(schema.items && { items: tidied(schema.items) }),
  };
}

/** Checks of our own are left out here: the field's metadata says what they bound. */
function converted(schema: v.GenericSchema, typeMode: 'input' | 'output'): Schema {
  const { properties, required } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
  }) as unknown as Schema;
  const described = Object.entries(properties ?? {}).map(([name, member]) => [
    name,
    { ...tidied(member), description: memberDescriptions[name] },
  ]);
  return { type: 'object', properties: Object.fromEntries(described), ...(required && { required }) };
}

/** In answers every member is there: what was left out has its default. */
function entitySchema({ kind, schemas }: Resource): Schema {
  const { properties = {} } = converted(schemas.entity(), 'output');
  const shown = Object.entries(properties).map(([name, { default: _, ...member }]) => [
    name,
    { ...member, ...((readOnlyFields as readonly string[]).includes(name) && { readOnly: true }) },
  ]);
  return {
    type: 'object',
    description: words[kind].description,
    properties: Object.fromEntries(shown),
    required: Object.keys(properties),
    example: words[kind].example,
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
      description: 'What is on this page.',
    },
    total: count(0, 'How many match, on all pages.'),
    page: count(1, 'The number of this page.'),
    totalPages: count(0, 'How many pages there are with this limit.'),
  },
  required: ['data', 'total', 'page', 'totalPages'],
});

/** The name of an operation's body among the schemas; those of one resource share theirs. */
export function bodyName({ body, resource, operation }: Contract): string | undefined {
  if (!body) return undefined;
  if (resource && body.schema === resource.schemas.whole) return `New${pascal(resource.kind)}`;
  if (resource && body.schema === resource.schemas.part) return `${pascal(resource.kind)}Changes`;
  return `${pascal(operation)}Options`;
}

/** What a body may be. Read-only members may be sent back as they came, whatever they are. */
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

const fault = (place: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: {
    ...place,
    detail: { type: 'string', maxLength: 2_000, description: 'What is wrong with it.' },
  },
  required: [...Object.keys(place), 'detail'],
});

/** RFC 9457. */
const problem: Schema = {
  type: 'object',
  description: 'What went wrong (RFC 9457).',
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      enum: (Object.keys(catalogue) as ProblemCode[]).map(problemType),
      description: 'The kind of problem; it leads to its explanation.',
    },
    title: { type: 'string', maxLength: 255, description: 'The kind of problem in words.' },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'The status.' },
    detail: { type: 'string', maxLength: 10_000, description: 'What happened this time.' },
    instance: {
      type: 'string',
      format: 'uri-reference',
      maxLength: 3 * largestHead,
      description: 'The path that was asked for.',
    },
    requestId: { type: 'string', minLength: 1, maxLength: 255, description: 'Finds the request in the log.' },
    errors: {
      type: 'array',
      maxItems: 50,
      description: 'Each thing that is wrong.',
      items: {
        anyOf: [
          fault({
            pointer: {
              type: 'string',
              maxLength: maxBodyBytes,
              description: 'A member of the body (RFC 6901).',
            },
          }),
          fault({
            parameter: {
              type: 'string',
              maxLength: largestHead,
              description: 'A parameter of the query, or a header.',
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
  description: 'What the gateway says itself, before a request arrives at its operation.',
  properties: { message: { type: 'string', maxLength: 255, description: 'The status in words.' } },
  required: ['message'],
};

const health: Schema = {
  type: 'object',
  properties: { status: { type: 'string', enum: ['ok'], description: 'There is no other.' } },
  required: ['status'],
};

function bodyDescription({ body, resource }: Contract): string {
  if (body?.schema === resource?.schemas.whole) return 'Members that are left out get their defaults.';
  return body?.schema === resource?.schemas.part
    ? 'Members that are left out stay as they are; null resets a member that can be null.'
    : 'All members may be left out.';
}

/** All schemas that the document names. */
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
